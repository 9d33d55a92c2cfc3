package synthetic_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/llm"
)

// paths are the completed gold plans of a desk's domain.
func (d desk) paths(t testing.TB) (out []compare.Trace) {
	t.Helper()
	tasks, err := d.world.Select("")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := audit.Paths(d.world, tasks)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if p.Err == nil {
			out = append(out, compare.Trace{Name: "task " + p.Task.ID, Messages: p.Messages})
		}
	}
	return out
}

// withChecks has the workflow written with checks, tried on the traces.
func (d desk) withChecks(client llm.Client, traces []compare.Trace) (*author.Draft, string, error) {
	return d.write(client, func(j *author.Job) { j.Checks, j.Traces = true, traces })
}

// differsInAll compares a draft with the built-in workflow, checks and events included.
func (d desk) differsInAll(draft *author.Draft) string {
	return cmp.Diff(d.want, draft.Bundle, cmpopts.IgnoreFields(guide.Node{}, "Line", "Keys"), cmpopts.IgnoreFields(guide.File{}, "Line"),
		cmpopts.IgnoreFields(guide.Edge{}, "Line"), cmpopts.IgnoreFields(guide.Intent{}, "Line"), cmpopts.IgnoreFields(guide.Event{}, "Line"))
}

// TestWriteChecks has the built-in workflows written with their checks: none is dropped, and in completed gold plans, those
// of the reference's tasks too, they decide each change, with the whole conversation and with any message missing, as the
// built-in ones do. Without checks they would not.
func TestWriteChecks(t *testing.T) {
	for _, name := range []string{"airline", "retail", "telecom"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, name)
			traces := d.paths(t)
			draft, log, err := d.withChecks(d.client, traces)
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.differsInAll(draft); diff != "" || draft.Dropped != 0 || strings.Contains(log, "asking again") {
				t.Errorf("(-built in +written):\n%s\n%s", diff, log)
			}
			if !strings.Contains(draft.Files[author.ChecksPage], "keep to the policy; the workflow lets ") {
				t.Errorf("%s", draft.Files[author.ChecksPage])
			}
			plain, _, err := d.write(d.client, nil)
			if err != nil {
				t.Fatal(err)
			}
			guards := d.guards(t, map[string]*guide.Bundle{"built in": d.want, "written": draft.Bundle, "without": plain.Bundle})
			if n := sameDecisions(t, guards, traces); n["without"] == 0 {
				t.Error("checks make no difference")
			}
			t.Run("tau2", func(t *testing.T) {
				domaintest.Shared(t)
				real := openDesk(t, filepath.Join(domaintest.Shared(t), "tau2"), "tau2", name)
				sameDecisions(t, real.guards(t, map[string]*guide.Bundle{"built in": d.want, "written": draft.Bundle}), real.paths(t))
			})
		})
	}
}

// guards are verifiers that go by checks alone.
func (d desk) guards(t *testing.T, bundles map[string]*guide.Bundle) map[string]*verify.Deterministic {
	t.Helper()
	out := map[string]*verify.Deterministic{}
	for name, b := range bundles {
		g, err := guide.Compose(b)
		if err != nil {
			t.Fatal(err)
		}
		w, err := verify.NewWorkflow(d.world, g)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = &verify.Deterministic{Workflow: w}
	}
	return out
}

// sameDecisions puts each change of conversations to verifiers, and fails where what was written decides otherwise than what
// is built in. It counts how many decisions of each verifier differ from those of the built-in workflow.
func sameDecisions(t *testing.T, guards map[string]*verify.Deterministic, traces []compare.Trace) map[string]int {
	t.Helper()
	differ, asked := map[string]int{}, 0
	mutates := guards["built in"].Workflow.World.Agent.Mutates
	for _, trace := range traces {
		for _, made := range guide.NewTrace(trace.Messages...).Calls {
			if !mutates(made.Name) {
				continue
			}
			whole := trace.Messages[:made.Index]
			for missing := -1; missing < len(whole); missing += 4 { // every fourth message, or none
				msgs := whole
				if missing >= 0 {
					msgs = append(whole[:missing:missing], whole[missing+1:]...)
				}
				said := map[string]string{}
				for name, g := range guards {
					ok, known, why := g.Call(verify.Input{Messages: msgs, Trace: guide.NewTrace(msgs...)}, made.ToolCall())
					said[name] = fmt.Sprint(ok, known, why)
				}
				asked++
				for name := range guards {
					if said[name] != said["built in"] {
						differ[name]++
					}
				}
				if said["written"] != said["built in"] {
					t.Fatalf("%s: %s without message %d: %s, built in: %s", trace.Name, made.Name, missing, said["written"], said["built in"])
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no change was asked for")
	}
	return differ
}

// What each defect of a check is called.
var namedChecks = map[scripted.Defect]string{
	scripted.CheckSyntax: "Syntax error", scripted.CheckUnknownName: "undeclared reference to 'all_is_well'", scripted.CheckUnknownFact: "facts has no member nobody_knows",
	scripted.CheckType: "the expression is of type int", scripted.CheckAlwaysTrue: "always true", scripted.CheckAlwaysFalse: "always false",
	scripted.CheckOtherNode: "the file has no such node",
}

// TestPlantedCheckDefects has each defect of checks planted at several places of each domain: made once, it is mended by asking
// again; made twice, that check alone is dropped, and listed with the reason. The workflow is published either way.
func TestPlantedCheckDefects(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| \S+ \| \S* \|.*\n`)
	for name, seeds := range map[string]int64{"airline": 1, "retail": 5, "telecom": 1} {
		d := newDesk(t, name)
		traces := d.paths(t)[:8] // these mistakes show without
		for defect, text := range namedChecks {
			for seed := range seeds {
				t.Run(fmt.Sprintf("%s/%s/%d", name, defect, seed), func(t *testing.T) {
					if seed == 0 {
						draft, log, err := d.withChecks(scripted.Plant(defect, seed, false, d.client), traces)
						if err != nil {
							t.Fatalf("made once: %v", err)
						}
						if diff := d.differsInAll(draft); diff != "" || draft.Dropped != 0 || strings.Count(log, "asking again") != 1 || !strings.Contains(log, text) {
							t.Errorf("made once: (-built in +written):\n%s\n%s", diff, log)
						}
					}
					draft, _, err := d.withChecks(scripted.Plant(defect, seed, true, d.client), traces)
					if err != nil {
						t.Fatalf("made twice: %v", err)
					}
					page := draft.Files[author.ChecksPage]
					_, list, _ := strings.Cut(page, "\n## Dropped\n\n")
					list, _, _ = strings.Cut(list, "\n## ")
					lines := row.FindAllString(list, -1)
					if draft.Dropped != 1 || len(lines) != 2 || !strings.Contains(lines[1], text) { // the head is one
						t.Errorf("made twice: %d dropped\n%s", draft.Dropped, list)
					}
					if diff := d.differs(draft); diff != "" {
						t.Errorf("made twice: (-built in +written):\n%s", diff)
					}
				})
			}
		}
	}
}

// TestUnreadableChecks: a model of whose first answers for checks nothing can be read is not asked on, and the command fails.
func TestUnreadableChecks(t *testing.T) {
	d := newDesk(t, "mock")
	draft, log, err := d.withChecks(meddle(d.client, func(stage, _, answer string) string {
		if stage == "checks" {
			return "Bananas are a fruit."
		}
		return answer
	}), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "stage checks: main.workflow.json, checks: the answer cannot be used") || len(draft.Files) != 0 || strings.Contains(log, "subflow.json, checks") {
		t.Errorf("%v, %d files\n%s", err, len(draft.Files), log)
	}
}

// TestHarmfulChecks has checks written that are sound by themselves: conversations that keep to the policy show what harm
// they do, and they are dropped although they are written again. The rest is as it was.
func TestHarmfulChecks(t *testing.T) {
	d := newDesk(t, "retail")
	traces := d.paths(t)
	for _, c := range []struct{ name, file, old, new, node, why string }{
		{"withholds what the policy allows", "subflows/summary_and_confirm.subflow.json", `"check": "agreed(request)"`, `"check": "agreed(request) && agent_mentioned([\"abracadabra\"])"`,
			"subflows/summary_and_confirm.yaml | confirm", "it withholds "},
		{"fails", "subflows/summary_and_confirm.subflow.json", `"check": "agreed(request)"`, `"check": "agreed(request) && last_result(\"get_order_details\").lock == 1"`,
			"subflows/summary_and_confirm.yaml | confirm", "no such key: lock"},
		{"goes by something else than its tool", "subflows/locate_order.subflow.json", `"check": "order_status(request) != \"\""`, `"check": "size(said_by_user) > 0"`,
			"subflows/locate_order.yaml | load_order", "although get_order_details was never called"},
		{"goes by another tool", "subflows/locate_order.subflow.json", `"check": "order_status(request) != \"\""`, `"check": "facts.customer != \"\""`,
			"subflows/locate_order.yaml | load_order", "although get_order_details was never called"},
		{"an event that never comes", "subflows/identify_customer.subflow.json", `"pattern": "`, `"pattern": "^abracadabra$`, "subflows/identify_customer.yaml | give_data", "it withholds "},
		{"is there twice", "subflows/locate_order.subflow.json", `"checks": [`, `"checks": [{"node": "own_order", "check": "order_own(request)"},`, "subflows/locate_order.yaml | own_order", "it is there twice"},
		{"is empty", "subflows/return_items.subflow.json", `"check": "items_in_order(request)"`, `"check": " "`, "subflows/return_items.yaml | name_items", "neither a check nor an event"},
		{"has a branch too many", "subflows/return_items.subflow.json", `"check": "items_in_order(request)"`, `"branch_checks": {"yes": "true"}`, "subflows/return_items.yaml | name_items", `it has no branch \"yes\"`},
		{"a pattern is none", "subflows/identify_customer.subflow.json", `"pattern": "`, `"pattern": "(`, "subflows/identify_customer.yaml | give_data", "the pattern is no RE2"},
		{"talk in place of checks", "subflows/identify_customer.subflow.json", "```json", "", "subflows/identify_customer.yaml |  |", "is not closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			draft, log, err := d.withChecks(meddle(d.client, func(stage, file, answer string) string {
				if stage == "checks" && file == c.file {
					if !strings.Contains(answer, c.old) {
						t.Fatalf("no %s in\n%s", c.old, answer)
					}
					return strings.Replace(answer, c.old, c.new, 1)
				}
				return answer
			}), traces)
			if err != nil {
				t.Fatal(err)
			}
			page := draft.Files[author.ChecksPage]
			_, list, _ := strings.Cut(page, "\n## Dropped\n\n")
			list, _, _ = strings.Cut(list, "\n## ")
			if !strings.Contains(list, c.node) || !strings.Contains(list, strings.ReplaceAll(c.why, `\"`, `"`)) {
				t.Errorf("dropped:\n%s\nlog:\n%s", list, log)
			}
			if diff := d.differs(draft); diff != "" {
				t.Errorf("(-built in +written):\n%s", diff)
			}
		})
	}
}
