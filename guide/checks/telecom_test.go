package checks_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/policy"
)

// hotline is a conversation at the carrier's hotline under a checker.
type hotline struct {
	*audit.Telecom
	t       testing.TB
	check   *guide.Checker
	mutates func(tool string) bool
}

func newHotline(t testing.TB, stage *audit.Stage, task *domains.Task) *hotline {
	t.Helper()
	return &hotline{Telecom: audit.NewTelecom(converse(t, stage, task)), t: t, check: stage.Check, mutates: stage.World.Agent.Mutates}
}

// on has the customer use a tool of the phone that takes no arguments.
func (h *hotline) on(name string) { h.Instruct(name, value.OfMap(nil)) }

// TestTelecomGuided lets the graph lead: the agent does what the node says at which the walk rests, the customer does
// what the agent says, and that must solve every task for which the policy has a solution.
func TestTelecomGuided(t *testing.T) {
	for _, data := range []string{"tau2", "embedded"} {
		w := open(t, data, "telecom")
		stage := stageOf(t, w)
		solved := 0
		for i := range w.Tasks {
			task := &w.Tasks[i]
			if i%everyGuided != 0 || !repairs(w, task) {
				continue
			}
			solved++
			h := newHotline(t, stage, task)
			h.Answer(audit.FirstPerson(task.UserScenario.Instructions.ReasonForCall))
			end := h.follow(intentOf(task))
			transfers := slices.ContainsFunc(task.Criteria.Actions, func(a domains.Action) bool { return a.Name == "transfer_to_human_agents" })
			if want := map[bool]string{true: "exit_transfer", false: "exit_done"}[transfers]; end != want {
				t.Errorf("%s ends at %s, want %s", task.ID, end, want)
			}
			for _, a := range task.Criteria.EnvAssertions {
				if ok, err := h.Env.Check(a); err != nil || !ok {
					t.Errorf("%s: %s%s: %v, %v", task.ID, a.Func, value.AppendDump(nil, a.Arguments, value.Declared), ok, err)
				}
			}
		}
		if solved == 0 {
			t.Fatal("no task was led")
		}
		t.Logf("%s: %d of %d tasks led to their end", data, solved, len(w.Tasks))
	}
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
	text, err := yaml.MarshalWithOptions(a.Args, yaml.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return call(t, a.Tool, string(text), "")
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
	w := open(t, "embedded", "telecom")
	stage := stageOf(t, w)
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
			task := taskOf(t, w, v.Task)
			h := newHotline(t, stage, task)
			h.Answer(audit.FirstPerson(task.UserScenario.Instructions.ReasonForCall))
			next := v.stage(h)
			since := 0
			if v.Again {
				since = h.Trace.Len()
			}
			p, ok := stage.Check.Authorize(h.Trace, next, since)
			switch {
			case p.Authorizes == next.Name:
				t.Errorf("%s breaks %s but is authorized at %s", describe(next), v.Requirement, p.Node)
			case ok != (v.Rests != ""):
				t.Errorf("some node authorizes the tool: %v", ok)
			}
			for _, r := range stage.Check.Open(next, since) {
				if r.Intent != directIntent(next.Name) {
					continue
				}
				if p := stage.Check.Walk(h.Trace, r); p.Node != v.Rests {
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
	next := v.Call.toolCall(h.t)
	if v.Who != "" {
		h.Known = v.Who
	}
	if v.Lookup.Tool == "" {
		h.Identify()
	} else {
		h.Answer(h.Known)
		c := v.Lookup.toolCall(h.t)
		h.Do(c.Name, c.Arguments)
		h.Profile = policy.RecordOf(h.Read("get_details_by_id", "id", policy.Arguments(next.Arguments).Text("customer_id")))
	}
	for _, s := range v.Say {
		h.Answer(s)
	}
	for _, a := range v.Before {
		if a.User != "" {
			h.on(a.User)
			continue
		}
		c := a.toolCall(h.t)
		if h.mutates(c.Name) {
			h.Prepare(c)
		}
		must(h.t, h.Conversation, c)
	}
	h.Without = v.Omit
	if v.Answer != "" {
		h.Consent = v.Answer
	}
	if v.Summary == "" {
		h.Prepare(next)
		return next
	}
	h.Without = append(h.Without, "proposal")
	h.Prepare(next)
	h.Ask(v.Summary)
	h.Answer(h.Consent)
	return next
}

// What a verifier has recorded for a request must not stand in for the arguments of the call that is proposed.
func TestTelecomGroundedIsNotTheCall(t *testing.T) {
	w := open(t, "embedded", "telecom")
	stage := stageOf(t, w)
	task := taskOf(t, w, "allowance-used-up")
	h := newHotline(t, stage, task)
	h.Answer(audit.FirstPerson(task.UserScenario.Instructions.ReasonForCall))
	h.Identify()
	refuel := func(gb float64) domains.ToolCall {
		return action{Tool: "refuel_data", Args: map[string]any{"customer_id": "C8168", "line_id": "L4577", "gb_amount": gb}}.toolCall(t)
	}
	agreed := refuel(1)
	h.Prepare(agreed)
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
		proposed := refuel(tt.gb)
		p := stage.Check.Walk(h.Trace, guide.Request{Intent: "refuel_data", Target: "L4577", Grounded: tt.grounded, Call: &proposed})
		if due := p.Authorizes != ""; due != tt.due {
			t.Errorf("%s: due %v, want %v; rests at %s: %s", tt.name, due, tt.due, p.Node, note(&p))
		}
	}
}
