package telecom_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// argumentsFor draws arguments for a tool: mostly sensible ones, now and then none of the right type.
func argumentsFor(t *rapid.T, w *domains.World, tool *domains.Tool) value.Value {
	schema, err := value.Parse(tool.Spec.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := schema.Map()
	properties, _ := m.Get("properties")
	p, _ := properties.Map()
	pools := map[string][]string{
		"customer_id": {`"C1"`, `"C2"`, `"C3"`}, "line_id": {`"L1"`, `"L2"`, `"L3"`, `"L4"`}, "bill_id": {`"B1"`, `"B2"`, `"B4"`, `"B00000001"`},
		"id": {`"L1"`, `"P2"`, `"B3"`, `"C2"`}, "phone_number": {`"555-000-0011"`, `"555-000-0001"`}, "gb_amount": {"1", "2.5", "0"}, "limit": {"2", "-1"},
		"mode": {`"4g_5g_preferred"`, `"2g_only"`, `"3g_only"`}, "app_name": {`"messaging"`, `"camera"`}, "permission": {`"sms"`, `"storage"`},
		"apn_settings": {`{}`, `{"apn_name": "broken"}`, `{"mms_port": "x"}`}, "full_name": {`"ada byron"`}, "dob": {`"1990-12-10"`},
	}
	args := &value.Map{}
	for name := range p.All() {
		pool := append([]string{`"x"`}, pools[name]...)
		if rapid.IntRange(0, 19).Draw(t, "junk") == 0 {
			pool = []string{"null", "7", "-0.5", `[]`, `{"a": 1}`, "true"}
		}
		v, err := value.ParseString(rapid.SampledFrom(pool).Draw(t, name))
		if err != nil {
			t.Fatal(err)
		}
		args.Set(name, v)
	}
	return value.OfMap(args)
}

func hashes(e *domains.Env) [2]string {
	a, _ := e.Hash(agent)
	u, _ := e.Hash(user)
	return [2]string{a, u}
}

// TestTrials checks what has to hold of any conversation: reading changes nothing, the same calls lead to the same
// state, a replay of the record leads there too, and other trials notice nothing.
func TestTrials(t *testing.T) {
	w := small(t, domains.Options{})
	task, _ := w.Task("linked")
	open := func(t *rapid.T) *domains.Env {
		e, err := w.New(task)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	tools := map[domains.Side][]domains.Tool{agent: w.Agent.Tools, user: w.User.Tools}
	rapid.Check(t, func(t *rapid.T) {
		first, second, replayed, bystander := open(t), open(t), open(t), open(t)
		atStart := hashes(bystander)
		var record []domains.Message
		for range rapid.IntRange(1, 25).Draw(t, "calls") {
			side := rapid.SampledFrom([]domains.Side{agent, user}).Draw(t, "side")
			tool := &tools[side][rapid.IntRange(0, len(tools[side])-1).Draw(t, "tool")]
			call := domains.ToolCall{ID: "c", Name: tool.Spec.Name, Arguments: argumentsFor(t, w, tool), Requestor: side}
			before := hashes(first)
			got := first.Call(side, call)
			if tool.Kind != domains.Write && hashes(first) != before {
				t.Errorf("%s, which is a %s tool, changed a database", call.Name, tool.Kind)
			}
			if again := second.Call(side, call); again != got {
				t.Errorf("%s gives %+v in one trial and %+v in another", call.Name, got, again)
			}
			role := domains.RoleAssistant
			if side == user {
				role = domains.RoleUser
			}
			record = append(record, domains.Message{Role: role, ToolCalls: []domains.ToolCall{call}}, domains.ResultMessage(call, got))
		}
		if drifts, err := replayed.Replay(record, true); err != nil || len(drifts) > 0 {
			t.Errorf("replay: %v, drifts %v", err, drifts)
		}
		for name, e := range map[string]*domains.Env{"second trial": second, "replay": replayed} {
			if hashes(e) != hashes(first) {
				t.Errorf("%s ends in another state: %v", name, first.Diff(e))
			}
			if d := first.Diff(e); len(d) > 0 {
				t.Errorf("%s has equal hashes, but the comparison says %v", name, d)
			}
		}
		if hashes(bystander) != atStart {
			t.Error("the calls of one trial changed another")
		}
		if equal := len(first.Diff(bystander)) == 0; equal != (hashes(first) == atStart) {
			t.Errorf("comparison says equal %v, the hashes %v", equal, hashes(first) == atStart)
		}
	})
}
