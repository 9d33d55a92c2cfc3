package tau2_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// seeds are small files of all shapes.
func seeds() []string {
	a := single("a", "t1", `"trial":0,"seed":7,`)
	b := strings.ReplaceAll(single("b", "create_task_1", `"trial":null,"agent_cost":NaN,"info":{"x":-Infinity},`), "get_users", "create_task")
	return []string{
		result(task, a, b), "\ufeff" + result(task, b), "[" + a + "," + b + "]", a, "[" + task + "]",
		`{"simulations":[` + a + `],"tasks":[` + task + `],` + head + "}",
		`{"task_id":"t1","task":` + task + `,"run_info":{"simulation_id":"w","duration_sec":3.5},"reward_info":null,"messages":[]}`,
		`{"info":{"agentModel":"x"},"simulations":[{"taskId":"1"}]}`, `{"tasks":[{"task_id":"1","reward":0}]}`,
		`{"info":null,"tasks":null,"simulations":null}`, `{"simulations":[{"task_id":1,"messages":[{"role":"tool","tool_calls":[{}]}]}]}`,
	}
}

// FuzzRead reads anything. It must come to an end without a panic, with an error that names file and place; what can
// be read can be scored.
func FuzzRead(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
		f.Add([]byte(s[:len(s)*2/3]))
	}
	w := domaintest.Embedded(f, mock.Domain(), domains.Options{})
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := tau2.OpenFS(files(map[string]string{"x.json": string(text)}), "x.json", "x.json")
		if err != nil {
			checkPlace(t, text, err)
			return
		}
		if s.NameAs("mock", "", all.Domains()) != nil {
			return // a file of another domain
		}
		seen := map[int]bool{}
		for one, err := range s.Simulations() {
			if err != nil {
				checkPlace(t, text, err)
				return
			}
			r := one.Record
			if r.Task == "t1" && seen[r.Trial] {
				t.Errorf("trial %d twice", r.Trial)
			}
			seen[r.Trial] = seen[r.Trial] || r.Task == "t1"
			j := tau2.Job{Record: r}
			j.Choose(tau2.RecordedTasks, one.Task, w)
			if j.Task != nil {
				tau2.Compare(context.Background(), w, j.Task, r, one.Recorded, tau2.Options{Hashes: true})
				_ = tau2.Verify(w, j.Task, r, tau2.Full)
			}
		}
	})
}

// FuzzTwin compares what is read of a result with what encoding/json makes of it, in maps.
func FuzzTwin(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var naive map[string]any
		if json.Unmarshal(text, &naive) != nil {
			return
		}
		s, err := tau2.OpenFS(files(map[string]string{"x.json": string(text)}), "x.json", "x.json")
		if err != nil || s.Layout != tau2.LayoutJSON || s.NameAs("mock", "", all.Domains()) != nil {
			return
		}
		list, _ := naive["simulations"].([]any)
		for one, err := range s.Simulations() {
			if err != nil || deviation(s.Deviations(), "simulations that are in the file twice") > 0 {
				return
			}
			if len(list) == 0 {
				t.Fatalf("%s: more simulations than there are", text)
			}
			want := naiveSimulation(list[0].(map[string]any))
			list = list[1:]
			if diff := cmp.Diff(want, asNaive(t, one.Record), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s (-encoding/json +read):\n%s", text, diff)
			}
		}
		if len(list) > 0 {
			t.Fatalf("%s: %d simulations fewer than there are", text, len(list))
		}
	})
}

// naiveSimulation picks from a simulation what asNaive shows of its record.
func naiveSimulation(o map[string]any) []any {
	out := []any{o["task_id"]}
	list, _ := o["messages"].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		line := []any{m["role"], m["content"], m["usage"], m["raw_data"], m["own"]}
		if calls, _ := m["tool_calls"].([]any); m["role"] != "tool" {
			for _, c := range calls {
				c := c.(map[string]any)
				args, usable := c["arguments"].(map[string]any)
				if _, given := c["arguments"]; given && !usable {
					args = nil
				}
				id, _ := c["id"].(string)
				line = append(line, id, c["name"], args, c["own"])
			}
		}
		out = append(out, line)
	}
	return out
}

func asNaive(t *testing.T, r sim.Record) []any {
	t.Helper()
	decode := func(raw json.RawMessage) (v any) {
		if raw != nil {
			if err := json.Unmarshal(raw, &v); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
		}
		return v
	}
	out := []any{r.Task}
	for _, m := range r.Messages {
		line := []any{string(m.Role), nil, decode(m.Extra["usage"]), decode(m.Extra["raw_data"]), decode(m.Extra["own"])}
		if m.Content != nil {
			line[1] = *m.Content
		}
		for _, c := range m.ToolCalls {
			var args map[string]any
			if c.Reason == "" {
				text, err := c.Arguments.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				args, _ = decode(text).(map[string]any)
			}
			line = append(line, c.ID, c.Name, args, decode(c.Provider["own"]))
		}
		out = append(out, line)
	}
	return out
}

func checkPlace(t *testing.T, text []byte, err error) {
	t.Helper()
	var place *tau2.Error
	if !errors.As(err, &place) {
		t.Fatalf("an error without a place: %v", err)
	}
	if place.File != "x.json" || place.Offset > int64(len(text)) || place.Err == nil {
		t.Errorf("place %+v in %d bytes", place, len(text))
	}
}

// FuzzPairing damages nothing itself: whatever the order of messages is, what comes out pairs up.
func FuzzPairing(f *testing.F) {
	f.Add("amuttama")
	f.Add("tAtBttut")
	w := domaintest.Embedded(f, mock.Domain(), domains.Options{})
	f.Fuzz(func(t *testing.T, plan string) {
		if len(plan) > 200 {
			return
		}
		r := plannedRecord(plan)
		task := &domains.Task{ID: "t", Criteria: &domains.Criteria{Actions: []domains.Action{}, RewardBasis: []domains.RewardType{domains.RewardDB}}}
		if c := tau2.Compare(context.Background(), w, task, r, nil, tau2.Options{}); c.Outcome == tau2.Failed {
			t.Errorf("%q: %s", plan, c.Err)
		}
	})
}

// TestImportLeavesNothing cuts a file at many places, and flips bits in it: there is a whole run, or an error and no run.
func TestImportLeavesNothing(t *testing.T) {
	t.Parallel()
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	whole := seeds()[0]
	imported := func(text string) error {
		parent := t.TempDir()
		out := filepath.Join(parent, "run")
		s, err := openFS(t, files(map[string]string{"x.json": text}), "x.json")
		if err == nil {
			_, err = tau2.Import(context.Background(), s, tau2.ImportOptions{Out: out, World: w})
		}
		list, e := os.ReadDir(parent)
		if e != nil {
			t.Fatal(e)
		}
		if err != nil && len(list) > 0 {
			t.Errorf("after %v there is %s", err, list[0].Name())
		}
		if _, e := os.Stat(filepath.Join(out, "manifest.json")); err == nil && e != nil {
			t.Error(e)
		}
		return err
	}
	if err := imported(whole); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 17 {
		if err := imported(whole[:n]); err == nil {
			t.Errorf("cut off at byte %d, it was imported", n)
		}
		flipped := []byte(whole)
		flipped[n] ^= 1 << (n % 8)
		_ = imported(string(flipped)) // may still be a result
	}
	if err := imported(result(task)); err == nil {
		t.Error("a file without simulations was imported")
	}
}
