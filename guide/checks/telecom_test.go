package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// The paper's Table 6, and the subtypes of its Tables 8 and 9.
func TestTelecomCatalog(t *testing.T) {
	c, err := guide.ShippedCatalog("telecom")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range c.Rows {
		part := "main"
		if strings.HasPrefix(r.ID, "TS") {
			part = "manual"
		}
		got[part+" "+string(r.Class)]++
		got[strings.TrimSpace(string(r.Class)+" "+r.Subtype)]++
		if len(r.Lines["tau2"]) == 0 || len(r.Lines["embedded"]) == 0 {
			t.Errorf("row %s lacks lines of a source", r.ID)
		}
	}
	for what, n := range map[string]int{
		"main A": 1, "main P": 21, "main W": 7, "manual A": 0, "manual P": 1, "manual W": 20,
		"A": 1, "P D": 9, "P T": 10, "P D+T": 3, "W D": 4, "W T": 9, "W D+T": 14,
	} {
		if got[what] != n {
			t.Errorf("%s: %d rows, want %d", what, got[what], n)
		}
	}
}

func TestTelecomDecidable(t *testing.T) {
	g := checkerFor(t, embeddedTelecom(t)).Graph()
	decidable, evaluated := g.Share()
	if float64(decidable) < 0.8*float64(evaluated) {
		t.Errorf("%d of %d nodes decidable", decidable, evaluated)
	}
}

// TestTelecomGold completes every task's gold plan to a conversation that keeps to the policy. Every change in it must
// be authorized when it is due, and not again afterwards.
func TestTelecomGold(t *testing.T) {
	telecomWorlds(t, func(t *testing.T, w *domains.World) {
		c := checkerFor(t, w)
		writes := 0
		for i := range w.Tasks {
			h := newHotline(t, c, w, &w.Tasks[i])
			h.identify()
			h.test()
			for _, a := range h.task.Criteria.Actions {
				if h.goldStep(a) {
					writes++
				}
			}
		}
		if writes == 0 {
			t.Fatal("no gold plan changes anything")
		}
		t.Logf("%d gold changes in %d tasks", writes, len(w.Tasks))
	})
}

// goldStep does one action of a gold plan; it reports whether that is a change by the agent.
func (h *hotline) goldStep(a domains.Action) bool {
	c := a.Call()
	switch {
	case a.Requestor == domains.UserSide:
		h.device(a.Name, a.Arguments)
		if h.world.User.Mutates(a.Name) {
			h.test()
			h.paid()
		}
	case h.world.Agent.Mutates(a.Name):
		h.prepare(c, yes)
		if p, due := h.propose(c); !due {
			h.t.Errorf("%s: %s is not authorized: rests at %s: %s\n%s", h.task.ID, describeCall(c), p.Node, note(&p), walked(&p))
		}
		h.carryOut(c)
		if p, due := h.propose(c); due {
			h.t.Errorf("%s: %s is authorized again at %s", h.task.ID, describeCall(c), p.Node)
		}
		return true
	case a.Name == "transfer_to_human_agents":
		h.call(a.Name, a.Arguments)
	case !strings.HasPrefix(a.Name, "get_customer"):
		h.call(a.Name, a.Arguments)
	}
	return false
}

func describeCall(c domains.ToolCall) string {
	return c.Name + string(value.AppendDump(nil, c.Arguments, value.Declared))
}

func note(p *guide.Position) string {
	if s := p.Unmet(); s != nil {
		return s.Note
	}
	return "done"
}

func walked(p *guide.Position) string {
	var ids []string
	for _, s := range p.Walk {
		ids = append(ids, s.Node)
	}
	return strings.Join(ids, " → ")
}

// TestTelecomGuided lets the graph lead: the agent does what the node says at which the walk rests, the customer does
// what the agent says, and that must solve every task for which the policy has a solution.
func TestTelecomGuided(t *testing.T) {
	telecomWorlds(t, func(t *testing.T, w *domains.World) {
		c, solved := checkerFor(t, w), 0
		for i := range w.Tasks {
			task := &w.Tasks[i]
			if i%everyGuided != 0 || !repairs(w, task) {
				continue
			}
			solved++
			h := newHotline(t, c, w, task)
			end := h.follow(intentOf(task))
			transfers := slices.ContainsFunc(task.Criteria.Actions, func(a domains.Action) bool { return a.Name == "transfer_to_human_agents" })
			if want := map[bool]string{true: "exit_transfer", false: "exit_done"}[transfers]; end != want {
				t.Errorf("%s ends at %s, want %s", task.ID, end, want)
			}
			for _, a := range task.Criteria.EnvAssertions {
				if ok, err := h.env.Check(a); err != nil || !ok {
					t.Errorf("%s: %s%s: %v, %v", task.ID, a.Func, value.AppendDump(nil, a.Arguments, value.Declared), ok, err)
				}
			}
		}
		if solved == 0 {
			t.Fatal("no task was led")
		}
		t.Logf("%d of %d tasks led to their end", solved, len(w.Tasks))
	})
}

// repairs reports whether a task's plan changes anything or hands over; what remains are wishes to be refused, which
// this customer, who pays every request, would not show.
func repairs(w *domains.World, task *domains.Task) bool {
	return slices.ContainsFunc(task.Criteria.Actions, func(a domains.Action) bool {
		return a.Name == "transfer_to_human_agents" || w.Agent.Mutates(a.Name) || a.Requestor == domains.UserSide && w.User.Mutates(a.Name)
	})
}

// violation is a call that the policy forbids, with the conversation in which it is most tempting.
type violation struct {
	Name        string   `yaml:"name"`
	Requirement string   `yaml:"requirement"`
	Task        string   `yaml:"task"`
	Who         string   `yaml:"who"`    // what the customer says of themselves; else what the task gives
	Lookup      action   `yaml:"lookup"` // how the agent looks the customer up; else by what they said
	Say         []string `yaml:"say"`    // what the customer says besides
	Before      []action `yaml:"before"` // what happens before
	Omit        []string `yaml:"omit"`   // steps that are left out
	Summary     string   `yaml:"summary"`
	Answer      string   `yaml:"answer"`
	Call        action   `yaml:"call"`
	Again       bool     `yaml:"again"` // the call belongs to a new request, after all that was done
	Rests       string   `yaml:"rests"` // where the walk must rest; "" where no node authorizes the tool
}

type action struct {
	User string         `yaml:"user"` // a tool of the phone
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

func (a action) toolCall(t testing.TB) domains.ToolCall {
	m := &value.Map{}
	for k, v := range a.Args {
		s := fmt.Sprintf("%q", v)
		if _, isText := v.(string); !isText {
			s = fmt.Sprint(v)
		}
		x, err := value.ParseString(s)
		if err != nil {
			t.Fatal(err)
		}
		m.Set(k, x)
	}
	return domains.ToolCall{Name: a.Tool, Arguments: value.OfMap(m), Requestor: domains.AgentSide}
}

func violations(t *testing.T) (out []violation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "telecom_violations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions(text, &out, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTelecomViolations(t *testing.T) {
	w := embeddedTelecom(t)
	c := checkerFor(t, w)
	catalog, err := guide.ShippedCatalog("telecom")
	if err != nil {
		t.Fatal(err)
	}
	list := violations(t)
	if len(list) < 30 {
		t.Fatalf("only %d violations", len(list))
	}
	for _, v := range list {
		t.Run(v.Name, func(t *testing.T) {
			if _, ok := catalog.Row(v.Requirement); !ok {
				t.Errorf("no requirement %s", v.Requirement)
			}
			task, ok := w.Task(v.Task)
			if !ok {
				t.Fatalf("no task %s", v.Task)
			}
			h := newHotline(t, c, w, task)
			call := v.stage(h)
			since := 0
			if v.Again {
				since = h.trace.Len()
			}
			p, ok := c.Authorize(h.trace, call, since)
			switch {
			case p.Authorizes == call.Name:
				t.Errorf("%s breaks %s but is authorized at %s", describeCall(call), v.Requirement, p.Node)
			case ok != (v.Rests != ""):
				t.Errorf("some node authorizes the tool: %v", ok)
			}
			for _, r := range c.Open(call, since) {
				if r.Intent != directIntent(call.Name) {
					continue
				}
				if p := c.Walk(h.trace, r); p.Node != v.Rests {
					t.Errorf("rests at %q (%s), want %q\n%s", p.Node, note(&p), v.Rests, walked(&p))
				}
			}
		})
	}
}

// directIntent is the kind of request that is about a change and nothing else.
func directIntent(tool string) string {
	return map[string]string{"send_payment_request": "pay_bill", "resume_line": "lift_suspension", "refuel_data": "refuel_data", "enable_roaming": "roaming"}[tool]
}

// stage plays the conversation up to the forbidden call.
func (v violation) stage(h *hotline) domains.ToolCall {
	call := v.Call.toolCall(h.t)
	if v.Who != "" {
		h.known = v.Who
	}
	if v.Lookup.Tool == "" {
		h.identify()
	} else {
		h.user(h.known)
		c := v.Lookup.toolCall(h.t)
		h.call(c.Name, c.Arguments)
		id, _ := call.ArgumentsMap().Get("customer_id")
		h.profile, _ = h.read("get_details_by_id", "id", id.Str()).(map[string]any)
	}
	for _, s := range v.Say {
		h.user(s)
	}
	for _, a := range v.Before {
		if a.User != "" {
			h.on(a.User)
			continue
		}
		c := a.toolCall(h.t)
		if h.world.Agent.Mutates(c.Name) {
			h.prepare(c, yes)
		}
		if res := h.call(c.Name, c.Arguments); res.Error {
			h.t.Fatalf("%s: %s", c.Name, res.Content)
		}
	}
	h.omit = map[string]bool{}
	for _, o := range v.Omit {
		h.omit[o] = true
	}
	answer := v.Answer
	if answer == "" {
		answer = yes
	}
	if v.Summary != "" {
		h.omit["summary"] = true
	}
	h.prepare(call, answer)
	if v.Summary != "" {
		h.agent(v.Summary)
		h.user(answer)
	}
	return call
}

// What a verifier has recorded for a request must not stand in for the arguments of the call that is proposed.
func TestTelecomGroundedIsNotTheCall(t *testing.T) {
	w := embeddedTelecom(t)
	c := checkerFor(t, w)
	task, _ := w.Task("allowance-used-up")
	h := newHotline(t, c, w, task)
	h.identify()
	call := func(gb float64) domains.ToolCall {
		return action{Tool: "refuel_data", Args: map[string]any{"customer_id": "C8168", "line_id": "L4577", "gb_amount": gb}}.toolCall(t)
	}
	agreed := call(1)
	h.prepare(agreed, yes)
	for _, tt := range []struct {
		name     string
		grounded *value.Map
		gb       float64
		due      bool
	}{
		{"as agreed", agreed.ArgumentsMap(), 1, true},
		{"nothing recorded", nil, 1, true},
		{"more than recorded", agreed.ArgumentsMap(), 2, false},
	} {
		proposed := call(tt.gb)
		p := c.Walk(h.trace, guide.Request{Intent: "refuel_data", Target: "L4577", Grounded: tt.grounded, Call: &proposed})
		if due := p.Authorizes != ""; due != tt.due {
			t.Errorf("%s: due %v, want %v; rests at %s: %s", tt.name, due, tt.due, p.Node, note(&p))
		}
	}
}

// TestTelecomTemptations counts how many of the calls that tasks name as tempting are withheld although everything was
// read and the customer agrees. What passes breaks nothing but the customer's own wish, and is listed here.
func TestTelecomTemptations(t *testing.T) {
	w := embeddedTelecom(t)
	c := checkerFor(t, w)
	unwanted := map[string]bool{"abroad-without-data refuel_data": true} // the customer wants to spend nothing
	withheld, all := 0, 0
	for i := range w.Tasks {
		for _, a := range w.Tasks[i].Temptation {
			all++
			h := newHotline(t, c, w, &w.Tasks[i])
			h.identify()
			other := textArg(a.Call(), "customer_id")
			if other != h.customer() {
				h.read("get_customer_by_id", "customer_id", other)
				h.read("get_details_by_id", "id", textArg(a.Call(), "line_id"))
			}
			h.prepare(a.Call(), yes)
			p, due := h.propose(a.Call())
			switch id := w.Tasks[i].ID + " " + a.Name; {
			case !due:
				withheld++
				t.Logf("%s is withheld at %s", id, p.Node)
			case unwanted[id]:
				t.Logf("%s passes: only the wish is missing", id)
			default:
				t.Errorf("%s is authorized at %s", id, p.Node)
			}
		}
	}
	t.Logf("%d of %d withheld", withheld, all)
	if all-withheld != len(unwanted) {
		t.Errorf("%d pass, want %d", all-withheld, len(unwanted))
	}
}
