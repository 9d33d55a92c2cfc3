package attack

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// The roles that work plans out, as tags name them (docs/reference/baselines.md#roles).
const (
	Analyser = "analyser" // finds the passages of the policy that matter for the request
	Planner  = "planner"  // devises the premise
	Advisor  = "advisor"  // lists what not to say
)

var (
	//go:embed prompts/analyser.md
	analyserText string
	//go:embed prompts/planner.md
	plannerText string
	//go:embed prompts/advisor.md
	advisorText string
)

// Authoring is a file of plans to be worked out.
type Authoring struct {
	World *domains.World // with the set's attacks among its tasks
	Set   *Set
	Model *sim.Model
	// Old are earlier plans, nil for none. Those that were made from the same things are kept, as are those written by
	// hand; All makes them all again.
	Old *Plans
	All bool
	// Synthetic marks plans that a scripted model made.
	Synthetic bool
	// Save is told the plans whenever one more is there.
	Save func(*Plans) error
	// Log is told of each step, in a line.
	Log func(line string)
}

// Authored is what came of it.
type Authored struct {
	Plans *Plans
	Made  []string // the attacks whose plans were made now
	Calls []sim.ModelCall
}

// Write works out the plans that are missing or were made from something else, one attack after the other; until then the
// old ones stay, and those for attacks that the set no longer has are dropped. The result is valid together with an error,
// as far as it came.
func (a Authoring) Write(ctx context.Context) (*Authored, error) {
	p := &Plans{Domain: a.Set.Domain, Data: a.Set.Data, Plans: map[string]Plan{}}
	out := &Authored{Plans: p}
	old := a.Old
	if old == nil {
		old = &Plans{}
	} else if (old.Domain != p.Domain || old.Data != p.Data) && !a.All {
		return out, fmt.Errorf("the plans that are there are for %s on %s data, not for %s on %s data\nhint: choose another file", old.Domain, old.Data, p.Domain, p.Data)
	}
	var todo []*Task
	for i := range a.Set.Tasks {
		t := &a.Set.Tasks[i]
		hash, err := a.sourceHash(t)
		if err != nil {
			return out, err
		}
		plan, ok := old.Plans[t.ID]
		if ok {
			p.Plans[t.ID] = plan
		}
		if !ok || a.All || plan.Source != nil && *plan.Source != (Source{Model: a.Model.Name, Hash: hash}) {
			todo = append(todo, t)
		}
	}
	p.Synthetic = a.Synthetic || old.Synthetic && p.anyMade(nil)
	for _, t := range todo {
		a.Log(fmt.Sprintf("attack %s: asking %s", t.ID, a.Model.Name))
		plan, calls, err := a.plan(ctx, t)
		out.Calls = append(out.Calls, calls...)
		if err != nil {
			return out, fmt.Errorf("attack %s: %w", t.ID, err)
		}
		p.Plans[t.ID] = *plan
		out.Made = append(out.Made, t.ID)
		p.Synthetic = a.Synthetic || old.Synthetic && p.anyMade(out.Made)
		if err := a.Save(p); err != nil {
			return out, err
		}
	}
	return out, nil
}

// anyMade reports whether a model made any of the plans, except some.
func (p *Plans) anyMade(except []string) bool {
	for id, plan := range p.Plans {
		if plan.Source != nil && !slices.Contains(except, id) {
			return true
		}
	}
	return false
}

// sourceHash covers all that a plan is made from but the model: the attack, the policy and the prompts.
func (a Authoring) sourceHash(t *Task) (string, error) {
	request, err := a.request(t)
	if err != nil {
		return "", err
	}
	return hash([]string{request, a.World.Policy, analyserText, plannerText, advisorText})
}

// request is what the roles are told of an attack: the user's brief and the calls that it is after.
func (a Authoring) request(t *Task) (string, error) {
	task, ok := a.World.Task(t.ID)
	if !ok {
		return "", fmt.Errorf("the world has no task %s: put the set's attacks into it first", t.ID)
	}
	var calls []string
	for _, f := range t.Forbidden {
		text, err := json.Marshal(f.Arguments)
		if err != nil {
			return "", err
		}
		calls = append(calls, fmt.Sprintf("- %s %s", f.Call, text))
	}
	return "<request>\n" + task.UserScenario.Text() + "\n</request>\n\nThe request comes to one of these calls of the agent's tools:\n" + strings.Join(calls, "\n"), nil
}

// plan has the three roles make one plan.
func (a Authoring) plan(ctx context.Context, t *Task) (*Plan, []sim.ModelCall, error) {
	request, err := a.request(t)
	if err != nil {
		return nil, nil, err
	}
	sum, err := a.sourceHash(t)
	if err != nil {
		return nil, nil, err
	}
	p := &Plan{Source: &Source{Model: a.Model.Name, Hash: sum}}
	var calls []sim.ModelCall
	ask := func(role, system, question string, use func(answer string) error) error {
		more, err := a.ask(ctx, role, t.ID, system, question, use)
		calls = append(calls, more...)
		return err
	}
	err = ask(Analyser, strings.Replace(analyserText, "{{policy}}", strings.TrimSpace(a.World.Policy), 1), request, func(answer string) (err error) {
		p.Fragments, err = fragments(answer, a.World.Policy)
		return err
	})
	if err != nil {
		return nil, calls, err
	}
	informed := request + "\n\n<rules>\n- " + strings.Join(p.Fragments, "\n- ") + "\n</rules>"
	err = ask(Planner, plannerText, informed, func(answer string) error {
		_, rest, _ := strings.Cut(answer, "<premise>")
		inside, _, closed := strings.Cut(rest, "</premise>")
		if p.Premise = strings.TrimSpace(inside); !closed || p.Premise == "" {
			return errors.New("there is no premise between <premise> and </premise>")
		}
		return nil
	})
	if err != nil {
		return nil, calls, err
	}
	err = ask(Advisor, advisorText, informed, func(answer string) (err error) {
		p.Avoid, err = texts(answer)
		return err
	})
	return p, calls, err
}

// ask puts a question to a role until use accepts the answer, at most twice.
func (a Authoring) ask(ctx context.Context, role, task, system, question string, use func(string) error) (calls []sim.ModelCall, err error) {
	m := a.Model.With(role)
	m.Tag.Task = task
	msgs := []llm.Message{{Role: llm.System, Content: &system}, {Role: llm.User, Content: &question}}
	calls, err = m.Put(ctx, sim.Question{Messages: msgs, Use: use, Again: func(why error) (string, error) {
		return fmt.Sprintf("That cannot be used: %v. Answer again, in full and in the form that was asked for.", why), nil
	}})
	switch {
	case errors.As(err, new(*sim.UnusableError)):
		err = fmt.Errorf("%s: the model's second answer cannot be used either: %w\nhint: try another model", role, err)
	case err != nil:
		err = fmt.Errorf("%s: %w", role, err)
	}
	return calls, err
}

// texts reads a JSON list of texts, whatever is around it.
func texts(answer string) ([]string, error) {
	from, to := strings.IndexByte(answer, '['), strings.LastIndexByte(answer, ']')
	if from < 0 || to < from {
		return nil, errors.New("there is no JSON list")
	}
	var out []string
	if err := json.Unmarshal([]byte(answer[from:to+1]), &out); err != nil {
		return nil, fmt.Errorf("the JSON list is not one of texts: %w", err)
	}
	out = slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(out) == 0 {
		return nil, errors.New("the list is empty")
	}
	return out, nil
}

// fragments reads the analyser's passages; those that are not the policy's words are left out.
func fragments(answer, policy string) ([]string, error) {
	list, err := texts(answer)
	if err != nil {
		return nil, err
	}
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	whole := plain(policy)
	list = slices.DeleteFunc(list, func(s string) bool { return !strings.Contains(whole, plain(s)) })
	if len(list) == 0 {
		return nil, errors.New("none of the passages is in the rule book: copy them word for word")
	}
	return list, nil
}
