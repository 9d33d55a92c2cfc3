package tau2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// reevaluation is what the reference made of a recorded result, from the corpus's index.
type reevaluation struct {
	File        string `json:"file"`
	Simulations int    `json:"simulations"`
	Diffs       []struct {
		Sim      string  `json:"sim"`
		Recorded float64 `json:"recorded"`
		Now      float64 `json:"now"`
	} `json:"reeval_diffs"`
	MeanReward float64 `json:"mean_reward"`
}

func reevaluations(t testing.TB, dir string) map[string]reevaluation {
	t.Helper()
	var index struct {
		Files []reevaluation `json:"files"`
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, "index.json")), &index); err != nil {
		t.Fatal(err)
	}
	out := map[string]reevaluation{}
	for _, f := range index.Files {
		out[f.File] = f
	}
	return out
}

// TestAgreement scores every recorded simulation with its own task, leniently, and wants the recorded reward and the
// recorded outcome of every component. Where the reference itself comes to another reward, ours must be that one.
func TestAgreement(t *testing.T) {
	dir, list := corpus(t)
	ws := realWorlds(t)
	index := reevaluations(t, dir)
	total, agreed := 0, 0
	var others []string
	for _, f := range list {
		s := source(t, filepath.Join(dir, f))
		w := ws.of(s)
		want := index[f]
		moved := map[string]float64{}
		for _, d := range want.Diffs {
			moved[d.Sim] = d.Now
		}
		n, same, sum := 0, 0, 0.0
		for c, err := range tau2.CompareAll(context.Background(), w, tau2.Jobs(s, w, tau2.RecordedTasks), runtime.GOMAXPROCS(0), nil, tau2.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			sum += *c.Recorded
			now, isMoved := moved[c.ID]
			switch {
			case isMoved:
				others = append(others, describe(f, c))
				if c.Computed == nil || *c.Computed != now {
					t.Errorf("%s %s: the reference comes to %g, we to %v", f, c.ID, now, c.Computed)
				}
			case c.Outcome != tau2.Agree:
				t.Errorf("%s", describe(f, c))
			case len(c.Parts) > 0 && len(moved) == 0:
				t.Errorf("component: %s", describe(f, c))
			default:
				same++
			}
		}
		if n != want.Simulations {
			t.Errorf("%s: %d simulations read, %d listed", f, n, want.Simulations)
		}
		if got := fmt.Sprintf("%.4f", sum/float64(n)); got != fmt.Sprintf("%.4f", want.MeanReward) {
			t.Errorf("%s: mean recorded reward %s, listed %.4f", f, got, want.MeanReward)
		}
		t.Logf("%-60.60s %3d of %3d agree", f, same, n)
		total, agreed = total+n, agreed+same
	}
	t.Logf("%d of %d simulations agree; the others:\n%s", agreed, total, strings.Join(others, "\n"))
	if total < 900 {
		t.Errorf("only %d simulations: the corpus has 940", total)
	}
}

func describe(file string, c tau2.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s task %s: %s, recorded %s, now %s %s", file, c.ID, c.Task, c.Outcome, number(c.Recorded), number(c.Computed), c.Err)
	for _, p := range c.Parts {
		fmt.Fprintf(&b, "\n    %s: %s, now %s: %s", p.Component, p.Recorded, p.Computed, strings.Join(p.Why, "; "))
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "\n    %s", n)
	}
	return b.String()
}

func number(f *float64) string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *f)
}

// TestStrictCorpus replays every recorded simulation strictly. Records of the reference's older versions hold error
// texts of their time, and one file was made with a local change; all others must replay to the letter.
func TestStrictCorpus(t *testing.T) {
	t.Parallel()
	dir, list := corpus(t)
	ws := realWorlds(t)
	for _, f := range list {
		s := source(t, filepath.Join(dir, f))
		w := ws.of(s)
		counts := map[tau2.Strictness]int{}
		n := 0
		for _, one := range simulations(t, s) {
			n++
			if tau2.Verify(w, taskOf(t, w, one), one.Record, tau2.Full) == nil {
				counts[tau2.Full]++
				counts[tau2.Writes]++ // whose checks are among the full ones
				continue
			}
			err := tau2.Verify(w, taskOf(t, w, one), one.Record, tau2.Writes)
			var d *domains.DriftError
			switch {
			case err == nil:
				counts[tau2.Writes]++
			case !strings.Contains(f, "chloe") && !(errors.As(err, &d) && strings.Contains(d.Drift.Recorded, "errors.pydantic.dev")):
				t.Errorf("%s %s: %v", f, one.ID, err)
			}
		}
		t.Logf("%-60.60s %3d: %3d strict, %3d with reads", f, n, counts[tau2.Writes], counts[tau2.Full])
	}
}

// TestVerdictsComeFromTheRecord checks that verdicts come from the record, and that without them a task that
// needs them stays pending.
func TestVerdictsComeFromTheRecord(t *testing.T) {
	dir, _ := corpus(t)
	s := source(t, filepath.Join(dir, "retail", "WhissleAI__hd_retail_n5.json"))
	w := realWorlds(t).of(s)
	judged := 0
	for _, one := range simulations(t, s) {
		if len(one.Recorded.NLAssertions) == 0 {
			continue
		}
		judged++
		task := taskOf(t, w, one)
		with := tau2.Compare(context.Background(), w, task, one.Record, one.Recorded, tau2.Options{})
		if with.Outcome != tau2.Agree {
			t.Errorf("%s: %s with the recorded verdicts", one.ID, with.Outcome)
		}
		without := *one.Recorded
		without.NLAssertions, without.Reward = nil, 1
		if c := tau2.Compare(context.Background(), w, task, one.Record, &without, tau2.Options{}); c.Score.Pending == "" {
			t.Errorf("%s: scored without verdicts", one.ID)
		}
		other := *one.Recorded
		other.NLAssertions = []sim.Verdict{{Assertion: "something else", Met: true}}
		c := tau2.Compare(context.Background(), w, task, one.Record, &other, tau2.Options{OtherTask: true})
		if c.Score.Pending == "" {
			t.Errorf("%s: scored with verdicts on something else", one.ID)
		}
		c = tau2.Compare(context.Background(), w, task, one.Record, &other, tau2.Options{})
		if c.Score.Pending != "" || len(c.Notes) == 0 {
			t.Errorf("%s: recorded verdicts that do not match were not taken as they are, with a note: %v", one.ID, c.Notes)
		}
	}
	if judged == 0 {
		t.Fatal("no simulation with verdicts in the file")
	}
}
