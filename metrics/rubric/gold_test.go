package rubric_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/rubric"
)

const handoff = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."

func open(t testing.TB, data, domain string) *domains.World {
	t.Helper()
	d, err := all.Domain(domain)
	if err != nil {
		t.Fatal(err)
	}
	if data == "tau2" {
		return domaintest.Real(t, d, domains.Options{})
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

func load(t testing.TB, domain string) *rubric.Rubric {
	t.Helper()
	r, err := rubric.Load(domain)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func selected(t testing.TB, w *domains.World) []*domains.Task {
	t.Helper()
	tasks, err := w.Select("")
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) == 0 {
		t.Fatal("there are no tasks")
	}
	return tasks
}

// Gold plans of the telecom domain, completed as policy and manual have it, satisfy every check that applies. The plans
// list corrections in no order of their own; hotline puts them into that of the layers.
func TestTelecomGold(t *testing.T) {
	r := load(t, "telecom")
	for _, tt := range []struct {
		data           string
		tasks, applied int
		idle           []string // checks that no plan brings about
	}{
		{"tau2", 114, 1998, []string{"id.name_with_birth", "pay.one_at_a_time"}},
		{"embedded", 14, 178, []string{"order.service_data", "order.data_mms"}},
	} {
		t.Run(tt.data, func(t *testing.T) {
			w := open(t, tt.data, "telecom")
			tasks, applied := selected(t, w), map[string]int{}
			total := 0
			for _, task := range tasks {
				h := newHotline(t, w, task)
				for _, res := range r.Judge(h.hold(nil), task).Results {
					switch res.State {
					case rubric.Failed:
						t.Errorf("%s: %s: %s (message %d)\n%s", task.ID, res.ID, res.Why, res.At, rendered(h.Messages))
					case rubric.Satisfied:
						applied[res.ID]++
						total++
					}
				}
			}
			var idle []string
			for _, c := range r.Checks {
				if applied[c.ID] == 0 {
					idle = append(idle, c.ID)
				}
			}
			if len(tasks) != tt.tasks || total != tt.applied || !cmp.Equal(idle, tt.idle) {
				t.Errorf("%d tasks, %d applicable checks, never applied %v; want %d, %d, %v", len(tasks), total, idle, tt.tasks, tt.applied, tt.idle)
			}
		})
	}
}

// Completed gold plans of the other domains satisfy every check; all that is added is the agent's last word.
func TestPlansInOrder(t *testing.T) {
	for _, data := range []string{"tau2", "embedded"} {
		for _, domain := range []string{"airline", "retail"} {
			t.Run(data+"/"+domain, func(t *testing.T) {
				w, r := open(t, data, domain), load(t, domain)
				paths, err := audit.Paths(w, selected(t, w))
				if err != nil {
					t.Fatal(err)
				}
				held, applicable := 0, 0
				for _, p := range paths {
					if p.Messages == nil {
						continue
					}
					held++
					v := r.Judge(concluded(p.Messages), p.Task)
					n, _ := v.Count()
					applicable += n
					for _, res := range v.Results {
						if res.State == rubric.Failed {
							t.Errorf("%s: %s: %s (message %d)", p.Task.ID, res.ID, res.Why, res.At)
						}
					}
				}
				if held == 0 || applicable < 3*held {
					t.Errorf("%d conversations, %d applicable checks", held, applicable)
				}
				t.Logf("%d conversations, %d applicable checks", held, applicable)
			})
		}
	}
}

// concluded adds the agent's last word to a completed plan, which ends with its last call.
func concluded(msgs []domains.Message) []domains.Message {
	last := "That is done. Is there anything else?"
	for _, m := range msgs {
		for _, c := range m.ToolCalls {
			if c.Name == "transfer_to_human_agents" {
				last = handoff
			}
		}
	}
	return append(slices.Clone(msgs), domains.Message{Role: domains.RoleAssistant, Content: &last})
}

// Each planted fault in the order of events is caught by its check in every conversation that it is planted in.
func TestPlantedFaults(t *testing.T) {
	w, r := open(t, "tau2", "telecom"), load(t, "telecom")
	skip := func(steps ...string) func(*hotline) {
		return func(h *hotline) {
			for _, s := range steps {
				h.skip[s] = true
			}
		}
	}
	backwards := func(list []domains.Action) []domains.Action {
		out := slices.Clone(list)
		slices.Reverse(out)
		return out
	}
	for _, tt := range []struct {
		name  string
		plant func(*hotline)
		order func([]domains.Action) []domains.Action
		check string
		tasks int // conversations to which the check applies
	}{
		{"the account is read before the customer is known", func(h *hotline) { h.early = true }, nil, "id.lookup", 114},
		{"the card is re-seated without a look at it", skip("check_sim_status"), nil, "dx.sim", 30},
		{"data are added without the price", skip("consent"), nil, "consent.data_price", 50},
		{"data come before service", nil, backwards, "order.service_data", 50},
		{"the line is resumed before the bill is paid", nil, backwards, "lift.after_payment", 6},
		{"a bill is called paid without a look", skip("paid"), nil, "verify.paid_claim", 6},
		{"no message is tried after the last correction", skip("can_send_mms"), nil, "verify.mms", 40},
		{"the phone is not restarted with new settings", skip("reboot_device"), nil, "verify.apn", 26},
	} {
		t.Run(tt.name, func(t *testing.T) {
			caught := 0
			for _, task := range selected(t, w) {
				sound := result(t, r.Judge(newHotline(t, w, task).hold(nil), task), tt.check)
				if sound.State == rubric.NotApplicable {
					continue
				}
				h := newHotline(t, w, task)
				if tt.plant != nil {
					tt.plant(h)
				}
				if got := result(t, r.Judge(h.hold(tt.order), task), tt.check); got.State != rubric.Failed {
					t.Errorf("%s: %s is %s: %s", task.ID, tt.check, got.State, got.Why)
					continue
				}
				caught++
			}
			if caught != tt.tasks {
				t.Errorf("caught in %d conversations, want %d", caught, tt.tasks)
			}
		})
	}
}

// Recorded conversations of real models get the figures that docs/faithfulness/rubrics.md tells. Their outcomes are those of
// the files.
func TestRecorded(t *testing.T) {
	w, r := open(t, "tau2", "telecom"), load(t, "telecom")
	files, err := filepath.Glob(filepath.Join(domaintest.Shared(t), "trajectories", "telecom", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded conversations: %v", err)
	}
	var traces []rubric.Trace
	for _, f := range files {
		for _, s := range recorded(t, f) {
			task, ok := w.Task(s.Task)
			if !ok || strings.Contains(f, "no-user") {
				continue
			}
			o := metrics.Outcome{Task: s.Task, Trial: s.Trial}
			if s.Reward.Reward > 0.999 {
				o.State = metrics.Success
			}
			traces = append(traces, rubric.TraceOf(o, r.Judge(s.Messages, task)))
		}
	}
	f := rubric.Compliance(traces)
	if f.Pairs != 101 || f.Passing != 61 || f.Valid != 30 {
		t.Errorf("pairs %d, passing %d, valid %d", f.Pairs, f.Passing, f.Valid)
	}
	t.Logf("step %.3f, trace %.3f, process-valid %.3f", f.StepTCR.Value, f.TraceTCR.Value, f.ProcessValid.Value)
}

type simulation struct {
	Task     string            `json:"task_id"`
	Trial    int               `json:"trial"`
	Messages []domains.Message `json:"messages"`
	Reward   struct {
		Reward float64 `json:"reward"`
	} `json:"reward_info"`
}

func recorded(t testing.TB, file string) []simulation {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Simulations []simulation `json:"simulations"`
	}
	if json.Unmarshal(text, &f) != nil {
		return nil // another format
	}
	return f.Simulations
}

// The rubrics name no tool that their domain does not have.
func TestUnknownTools(t *testing.T) {
	for _, domain := range rubric.Domains() {
		if unknown := load(t, domain).Unknown(open(t, "embedded", domain)); len(unknown) > 0 {
			t.Errorf("%s: there are no tools %v", domain, unknown)
		}
	}
	if unknown := load(t, "telecom").Unknown(open(t, "embedded", "retail")); !slices.Contains(unknown, "refuel_data") || slices.Contains(unknown, "transfer_to_human_agents") {
		t.Errorf("telecom's rubric on retail: %v", unknown)
	}
}

// Every requirement that a check refers to is in the catalog of its domain.
func TestPolicyIDs(t *testing.T) {
	refers := 0
	for _, domain := range rubric.Domains() {
		c, err := guide.ShippedCatalog(domain)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range load(t, domain).Checks {
			for _, id := range check.Policy {
				refers++
				if _, ok := c.Row(id); !ok {
					t.Errorf("%s: %s refers to %s, which the catalog does not have", domain, check.ID, id)
				}
			}
		}
	}
	if refers == 0 {
		t.Error("no check refers to a requirement")
	}
}

// BenchmarkJudge judges the longest completed gold path.
func BenchmarkJudge(b *testing.B) {
	r := load(b, "telecom")
	w := open(b, "tau2", "telecom")
	var longest []domains.Message
	var task *domains.Task
	for _, t := range selected(b, w) {
		if msgs := newHotline(b, w, t).hold(nil); len(msgs) > len(longest) {
			longest, task = msgs, t
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Judge(longest, task)
	}
	b.ReportMetric(float64(len(longest)), "messages")
}
