package domaintest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// call is one recorded call with what it must give.
type call struct {
	Tag       string       `json:"tag"`
	Requestor domains.Side `json:"requestor"`
	Name      string       `json:"name"`
	Arguments value.Value  `json:"arguments"`
	Content   string       `json:"content"`
	Error     bool         `json:"error"`
	AgentHash *string      `json:"agent_db_hash"`
	UserHash  *string      `json:"user_db_hash"`
}

// hashes are the recorded hashes of both databases; null where a side has none.
func sameHashes(e *domains.Env, agent, user *string) error {
	for _, s := range []struct {
		side domains.Side
		want *string
	}{{domains.AgentSide, agent}, {domains.UserSide, user}} {
		got, ok := e.Hash(s.side)
		switch {
		case ok != (s.want != nil):
			return fmt.Errorf("%s database: present %v, recorded %v", s.side, ok, s.want != nil)
		case ok && got != *s.want:
			return fmt.Errorf("%s hash %s, recorded %s", s.side, got, *s.want)
		}
	}
	return nil
}

func (c call) run(e *domains.Env) error {
	res := e.Call(c.Requestor, domains.ToolCall{ID: "v", Name: c.Name, Arguments: c.Arguments, Requestor: c.Requestor})
	if res.Error != c.Error {
		return fmt.Errorf("error flag %v, recorded %v\n got: %s\nwant: %s", res.Error, c.Error, res.Content, c.Content)
	}
	if res.Content != c.Content {
		return fmt.Errorf("content differs\n got: %s\nwant: %s", res.Content, c.Content)
	}
	return sameHashes(e, c.AgentHash, c.UserHash)
}

// goldTask is what was recorded of one base task.
type goldTask struct {
	ID            string  `json:"id"`
	InitAgent     *string `json:"init_agent_db_hash"`
	InitUser      *string `json:"init_user_db_hash"`
	Actions       []call  `json:"actions"`
	FinalAgent    *string `json:"final_agent_db_hash"`
	FinalUser     *string `json:"final_user_db_hash"`
	EnvAssertions []struct {
		Assertion domains.EnvAssertion `json:"assertion"`
		Met       bool                 `json:"met"`
	} `json:"env_assertions"`
	AfterAgent    *string `json:"after_assertions_agent_db_hash"`
	AfterUser     *string `json:"after_assertions_user_db_hash"`
	EvaluatorGold struct {
		Agent *string `json:"agent_db_hash"`
		User  *string `json:"user_db_hash"`
	} `json:"evaluator_gold"`
}

// plans counts what was compared.
type plans struct{ tasks, actions, failing, assertions int }

// goldPlans replays the gold plan of every base task on the reference's data and checks contents, flags and hashes after
// every call, the assertions on the end state, and the evaluator's end state without syncs.
func goldPlans(t *testing.T, d domains.Domain) (n plans) {
	var file struct {
		Tasks []goldTask `json:"tasks"`
	}
	Vectors(t, "gold_"+d.Name+".json", &file)
	w := Real(t, d, domains.Options{})
	for _, rec := range file.Tasks {
		task, ok := w.Task(rec.ID)
		if !ok {
			t.Errorf("task %s is not in the data", rec.ID)
			continue
		}
		e, err := Started(w, task)
		if err != nil {
			t.Errorf("task %s: %v", rec.ID, err)
			continue
		}
		if err := sameHashes(e, rec.InitAgent, rec.InitUser); err != nil {
			t.Errorf("task %s after initialization: %v", rec.ID, err)
		}
		for i, c := range rec.Actions {
			n.actions++
			if c.Error {
				n.failing++
			}
			if err := c.run(e); err != nil {
				t.Errorf("task %s action %d %s: %v", rec.ID, i, c.Name, err)
			}
		}
		if err := sameHashes(e, rec.FinalAgent, rec.FinalUser); err != nil {
			t.Errorf("task %s at the end: %v", rec.ID, err)
		}
		for _, a := range rec.EnvAssertions {
			n.assertions++
			if got, err := e.Check(a.Assertion); err != nil || got != a.Met {
				t.Errorf("task %s: %s holds %v (error %v), recorded %v", rec.ID, a.Assertion.Func, got, err, a.Met)
			}
		}
		if len(rec.EnvAssertions) > 0 {
			if err := sameHashes(e, rec.AfterAgent, rec.AfterUser); err != nil {
				t.Errorf("task %s after the assertions: %v", rec.ID, err)
			}
		}
		g, err := Started(w, task)
		if err != nil {
			t.Fatal(err)
		}
		if task.Criteria != nil {
			for _, a := range task.Criteria.Actions {
				_ = g.Apply(a) // failures are swallowed, as the evaluator does
			}
		}
		if err := sameHashes(g, rec.EvaluatorGold.Agent, rec.EvaluatorGold.User); err != nil {
			t.Errorf("task %s, evaluator's gold: %v", rec.ID, err)
		}
		n.tasks++
	}
	return n
}

// fuzz runs the recorded sequences of valid and junk calls, the files side by side, and returns the number of calls.
func fuzz(t *testing.T, d domains.Domain) int {
	w := Real(t, d, domains.Options{})
	var counts [3]int
	t.Run("files", func(t *testing.T) {
		for i := range counts {
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				t.Parallel()
				counts[i] = fuzzFile(t, w, fmt.Sprintf("fuzz_%s_%d.json", d.Name, i+1))
			})
		}
	})
	return counts[0] + counts[1] + counts[2]
}

func fuzzFile(t *testing.T, w *domains.World, name string) int {
	var file struct {
		Sequences []struct {
			TaskID    string  `json:"task_id"`
			InitAgent *string `json:"init_agent_db_hash"`
			InitUser  *string `json:"init_user_db_hash"`
			Calls     []call  `json:"calls"`
		} `json:"sequences"`
	}
	Vectors(t, name, &file)
	n := 0
	for i, s := range file.Sequences {
		task, ok := w.Task(s.TaskID)
		if !ok {
			t.Fatalf("%s: task %s is not in the data", name, s.TaskID)
		}
		e, err := Started(w, task)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := sameHashes(e, s.InitAgent, s.InitUser); err != nil {
			t.Errorf("%s sequence %d after initialization: %v", name, i, err)
		}
		for j, c := range s.Calls {
			n++
			if err := c.run(e); err != nil {
				t.Errorf("%s sequence %d call %d (%s) %s %s: %v", name, i, j, c.Tag, c.Name, c.Arguments.Repr(), err)
				break
			}
		}
	}
	return n
}

// schemas compares tool names, kinds, order and parameter schemas with the recorded ones; descriptions are ours and
// left out of the comparison.
func schemas(t *testing.T, w *domains.World) [2]int {
	var file map[string]json.RawMessage
	Vectors(t, "tools_"+w.Name+".json", &file)
	return [2]int{sameTools(t, file["assistant"], w.Agent), sameTools(t, file["user"], w.User)}
}

func sameTools(t *testing.T, raw json.RawMessage, k *domains.Kit) int {
	t.Helper()
	var side *struct {
		Tools []struct {
			Function struct {
				Name       string      `json:"name"`
				Parameters value.Value `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Order []string                `json:"order"`
		Types map[string]domains.Kind `json:"types"`
	}
	if err := json.Unmarshal(raw, &side); err != nil {
		t.Fatal(err)
	}
	if side == nil || k == nil {
		if (side == nil) != (k == nil) {
			t.Errorf("toolkit present %v, recorded %v", k != nil, side != nil)
		}
		return 0
	}
	var order []string
	for _, tool := range k.Tools {
		order = append(order, tool.Spec.Name)
		if want := side.Types[tool.Spec.Name]; tool.Kind != want {
			t.Errorf("%s: kind %s, recorded %s", tool.Spec.Name, tool.Kind, want)
		}
	}
	if diff := cmp.Diff(side.Order, order); diff != "" {
		t.Errorf("listing order (-recorded +got):\n%s", diff)
	}
	for _, want := range side.Tools {
		tool, ok := k.Tool(want.Function.Name)
		if !ok {
			t.Errorf("%s is missing", want.Function.Name)
			continue
		}
		got, err := value.Parse(tool.Spec.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		a, b := undescribed(want.Function.Parameters), undescribed(got)
		if diff := cmp.Diff(dump(a), dump(b)); diff != "" {
			t.Errorf("%s parameters (-recorded +got):\n%s", want.Function.Name, diff)
		}
	}
	return len(side.Tools)
}

func dump(v value.Value) string { return string(value.AppendDump(nil, v, value.Declared)) }

// undescribed returns a schema without the descriptions, which are prose. A property that is called description
// stays: only texts go.
func undescribed(v value.Value) value.Value {
	if items, ok := v.Items(); ok {
		out := slices.Clone(items)
		for i := range out {
			out[i] = undescribed(out[i])
		}
		return value.OfList(out)
	}
	m, ok := v.Map()
	if !ok {
		return v
	}
	out := &value.Map{}
	for k, x := range m.All() {
		if _, isText := x.Text(); k == "description" && isText {
			continue
		}
		out.Set(k, undescribed(x))
	}
	return value.OfMap(out)
}
