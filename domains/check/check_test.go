package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/check"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
)

func counts(r check.Report, split string) string {
	for _, s := range r.Splits {
		if s.Name == split {
			return fmt.Sprintf("%d: %d Mut, %d PV, %d missing", s.Tasks, s.Mut, s.PV, len(s.Missing))
		}
	}
	return "no such split"
}

// TestRealRetail pins the counts of the paper and the 18 gold actions that err in the reference too.
func TestRealRetail(t *testing.T) {
	r := check.World(domaintest.Real(t, retail.Domain(), domains.Options{}))
	for split, want := range map[string]string{"base": "114: 104 Mut, 10 PV, 0 missing", "test": "40: 36 Mut, 4 PV, 0 missing"} {
		if got := counts(r, split); got != want {
			t.Errorf("split %s: %s, want %s", split, got, want)
		}
	}
	if r.Actions != 550 || len(r.Broken) != 0 {
		t.Errorf("%d gold actions, %d broken tasks; want 550, 0", r.Actions, len(r.Broken))
	}
	var tasks []string
	writes := 0
	for _, f := range r.Failing {
		tasks = append(tasks, f.Task)
		if f.Kind == "write" {
			writes++
		}
	}
	want := []string{"2", "3", "4", "35", "37", "38", "39", "46", "46", "47", "47", "54", "55", "64", "67", "67", "68", "105"}
	if !slices.Equal(tasks, want) || writes != 2 {
		t.Errorf("failing in tasks %v with %d writes, want %v with 2", tasks, writes, want)
	}
}

// TestRealCounts pins the slices of every real split that the paper reports, and that no other domain's gold fails.
func TestRealCounts(t *testing.T) {
	for _, c := range []struct {
		domain      domains.Domain
		split, want string
		actions     int
	}{
		{airline.Domain(), "base", "50: 26 Mut, 24 PV, 0 missing", 142},
		{telecom.Domain(), "base", "114: 71 Mut, 43 PV, 0 missing", 516},
		{telecom.Domain(), "test", "40: 19 Mut, 21 PV, 0 missing", 516},
		{mock.Domain(), "base", "10: 7 Mut, 3 PV, 0 missing", 8},
	} {
		r := check.World(domaintest.Real(t, c.domain, domains.Options{}))
		if got := counts(r, c.split); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.domain.Name, c.split, got, c.want)
		}
		if len(r.Failing) > 0 || r.Actions != c.actions {
			t.Errorf("%s: %d of %d gold actions fail, want none of %d", c.domain.Name, len(r.Failing), r.Actions, c.actions)
		}
	}
}

// TestRealTelecomSplits has a split whose tasks are in a file of its own, and one whose file is not there.
func TestRealTelecomSplits(t *testing.T) {
	every := check.World(domaintest.Real(t, telecom.Domain(), domains.Options{Split: domains.EverySplit}))
	for split, want := range map[string]string{"base": "114: 71 Mut, 43 PV, 0 missing", "small": "20: 4 Mut, 16 PV, 0 missing", "train": "74: 52 Mut, 22 PV, 0 missing"} {
		if got := counts(every, split); got != want {
			t.Errorf("split %s: %s, want %s", split, got, want)
		}
	}
	if len(every.Failing) > 0 || len(every.Broken) > 0 {
		t.Errorf("gold actions that fail: %v; broken tasks: %v", every.Failing, every.Broken)
	}
	for split, want := range map[string]int{"small": 20, "train": 74, "test": 40, "base": 114, "full": 2285} {
		w := domaintest.Real(t, telecom.Domain(), domains.Options{Split: split})
		tasks, err := w.Select(split)
		if _, there := w.Task("[mobile_data_issue]user_abroad_roaming_enabled_off[PERSONA:None]"); split == "full" && err != nil {
			if there || !strings.Contains(err.Error(), "hint: put them into tasks_full.json") {
				t.Errorf("split full: %v", err)
			}
			continue
		}
		if err != nil || len(tasks) != want {
			t.Errorf("split %s: %d tasks, error %v; want %d", split, len(tasks), err, want)
		}
	}
}

// TestEmbedded holds our own data sets to a standard that the real ones do not meet: no gold action errs, every record keeps
// the invariants, and of what is suspicious there is only what the nature of a refusal brings with it.
func TestEmbedded(t *testing.T) {
	for _, d := range all.Domains() {
		t.Run(d.Name, func(t *testing.T) {
			w := domaintest.Embedded(t, d, domains.Options{})
			r := check.World(w)
			if len(r.Failing)+len(r.Broken)+len(r.Unreached) > 0 || r.Actions == 0 {
				t.Errorf("failing %v, broken %v, unreached %v of %d actions", r.Failing, r.Broken, r.Unreached, r.Actions)
			}
			for _, l := range r.Lints {
				switch l.Kind {
				case check.LintAutoPass, check.LintIdle, check.LintPolicy:
				default:
					t.Errorf("%+v", l)
				}
			}
			if d.Name == "mock" {
				return
			}
			if w.Invariants == "" {
				t.Error("there is no invariants.yaml")
			}
			parts := slices.Sorted(slices.Values(slices.Concat(w.Splits["train"], w.Splits["test"])))
			if !slices.Equal(parts, slices.Sorted(slices.Values(w.Splits["base"]))) || len(parts) != len(w.Tasks) {
				t.Errorf("train and test do not part the tasks of base, which are all: %v", w.Splits)
			}
			for i := range w.Tasks {
				authored(t, w, &w.Tasks[i])
			}
		})
	}
}

// authored looks at what a task of our own has besides: a customer who can say who they are, and a temptation where nothing
// may be changed.
func authored(t *testing.T, w *domains.World, k *domains.Task) {
	t.Helper()
	in, plan := k.UserScenario.Instructions, k.Criteria.Actions
	if in.Domain != w.Name || in.ReasonForCall == "" || in.KnownInfo == nil || in.TaskInstructions == "" {
		t.Errorf("%s: scenario %+v", k.ID, in)
	}
	for name, v := range plan[0].Call().ArgumentsMap().All() {
		if s, _ := v.Text(); name != "dob" && !strings.Contains(k.UserScenario.Text(), s) {
			t.Errorf("%s: the plan begins with %s of %s %q, which the customer does not know", k.ID, plan[0].Name, name, s)
		}
	}
	changes := slices.ContainsFunc(plan, func(a domains.Action) bool { return w.Agent.Mutates(a.Name) || w.User.Mutates(a.Name) })
	if !changes && len(k.Temptation) == 0 {
		t.Errorf("%s: no change is right, but there is no temptation either", k.ID)
	}
	ids := map[string]bool{}
	for _, a := range plan {
		if a.ID == "" || ids[a.ID] {
			t.Errorf("%s: action id %q is empty or used twice", k.ID, a.ID)
		}
		ids[a.ID] = true
	}
}
