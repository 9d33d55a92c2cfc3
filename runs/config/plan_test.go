package config_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
)

func TestTrialSeedsAreTheReferences(t *testing.T) {
	// The vectors of docs/reference/tau2.md#seeds.
	tests := []struct {
		seed int64
		want []int64
	}{
		{300, []int64{626729, 373753, 361454, 1567, 514337, 363271, 554706, 863145}},
		{42, []int64{670487, 116739, 26225, 777572}},
		{0, []int64{885440, 403958}},
		{1, []int64{140891, 596853}},
	}
	for _, tt := range tests {
		if got := config.TrialSeeds(tt.seed, len(tt.want)); !slices.Equal(got, tt.want) {
			t.Errorf("seed %d: %v, want %v", tt.seed, got, tt.want)
		}
	}
	if got := config.TrialSeeds(-42, 4); !slices.Equal(got, tests[1].want) {
		t.Errorf("seed -42: %v, want those of 42", got)
	}
	if wide, narrow := config.TrialSeeds(1<<32|7, 4), config.TrialSeeds(7, 4); slices.Equal(wide, narrow) {
		t.Error("the upper half of the seed does not count")
	}
	for _, seed := range config.TrialSeeds(math.MinInt64, 1000) {
		if seed < 0 || seed > 1_000_000 {
			t.Errorf("seed %d is out of range", seed)
		}
	}
}

func TestMoreTrialsKeepTheSeedsOfTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Int64().Draw(t, "seed"), rapid.IntRange(0, 20).Draw(t, "n")
		if a, b := config.TrialSeeds(seed, n), config.TrialSeeds(seed, n+5); !slices.Equal(a, b[:n]) {
			t.Errorf("%v does not start %v", a, b)
		}
	})
}

// keys returns the keys of a plan in short.
func keys(plan []config.Planned) []string {
	out := make([]string, len(plan))
	for i, p := range plan {
		out[i] = p.Key.String()
	}
	return out
}

func TestPlanIsTrialByTrialWithSystemsSideBySide(t *testing.T) {
	j := runtest.Resolve(t, strings.Replace(runtest.Small, "domains: [", "domains: [{name: mock, tasks: [add_task]}, ", 1), config.Options{Limit: 2})
	tasks := []string{"mock/%s/add_task", "retail/%s/" + j.Trials[2].Task, "retail/%s/" + j.Trials[4].Task}
	var want []string
	for trial := range 2 {
		for _, task := range tasks {
			for _, system := range []string{"ReAct", "Noop"} {
				want = append(want, fmt.Sprintf(task+"/%d", system, trial))
			}
		}
	}
	if diff := cmp.Diff(want, keys(j.Trials)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	for _, p := range j.Trials {
		if want := config.TrialSeeds(300, 2)[p.Trial]; p.Seed != want {
			t.Errorf("%s has seed %d, want %d", p.Key.String(), p.Seed, want)
		}
	}
}

func TestSystemsKeepToTheirDomains(t *testing.T) {
	both := strings.Replace(runtest.Small, "domains: [", "domains: [{name: mock, tasks: [add_task]}, ", 1)
	j := runtest.Resolve(t, strings.Replace(both, "agent: noop", "agent: noop, domains: [mock]", 1), config.Options{Limit: 1})
	var got []string
	for _, p := range j.Trials {
		if p.Trial == 0 {
			got = append(got, p.Domain+" "+p.System)
		}
	}
	if diff := cmp.Diff([]string{"mock ReAct", "mock Noop", "retail ReAct"}, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestTasksComeInTheOrderOfTheFile(t *testing.T) {
	forth := runtest.Resolve(t, runtest.Small, config.Options{})
	back := runtest.Resolve(t, strings.Replace(runtest.Small, "[cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]",
		"[change-two-items-then-address, cancel-one-return-one, cancel-gift-card-order]", 1), config.Options{})
	if diff := cmp.Diff(forth.Trials, back.Trials); diff != "" {
		t.Errorf("the order of the config changes the plan:\n%s", diff)
	}
}

func TestFilters(t *testing.T) {
	tests := []struct {
		name string
		only []string
		want int    // trials of the 12
		err  string // part of the error
	}{
		{"none", nil, 12, ""},
		{"one task", []string{"task=cancel-one-return-one"}, 4, ""},
		{"comma list", []string{"task=cancel-one-return-one,cancel-gift-card-order"}, 8, ""},
		{"repeated key adds", []string{"task=cancel-one-return-one", "task=cancel-gift-card-order"}, 8, ""},
		{"different keys restrict", []string{"task=cancel-one-return-one", "system=Noop"}, 2, ""},
		{"trial", []string{"trial=1"}, 6, ""},
		{"agent", []string{"agent=react"}, 6, ""},
		{"domain", []string{"domain=retail"}, 12, ""},
		{"unknown key", []string{"tusk=1"}, 0, `unknown key "tusk"` + "\nhint: " + `did you mean "task"?`},
		{"no value", []string{"task="}, 0, "write it as key=value"},
		{"no equals sign", []string{"task"}, 0, "write it as key=value"},
		{"unknown value", []string{"system=Nop"}, 0, `has the system "Nop"` + "\nhint: " + `did you mean "Noop"?`},
		{"unknown trial", []string{"trial=2"}, 0, `has the trial "2"`},
		{"unknown value in a list", []string{"trial=0,7"}, 0, `has the trial "7"`},
		{"nothing left", []string{"agent=noop", "system=ReAct"}, 0, "leave no trial"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j, err := config.Resolve(context.Background(), runtest.Parse(t, runtest.Small), config.Options{Only: tt.only})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q in it", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(j.Trials) != tt.want {
				t.Errorf("%d trials, want %d: %v", len(j.Trials), tt.want, keys(j.Trials))
			}
		})
	}
}

func TestTheLimitCountsWhatTheFilterLeaves(t *testing.T) {
	tests := []struct {
		name string
		only []string
		want []string // tasks
	}{
		{"no filter", nil, []string{"cancel-gift-card-order"}},
		{"a later task", []string{"task=change-two-items-then-address"}, []string{"change-two-items-then-address"}},
		{"a later task of one system and trial", []string{"task=cancel-one-return-one,change-two-items-then-address", "system=Noop", "trial=1"}, []string{"change-two-items-then-address"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]bool{}
			for _, p := range runtest.Resolve(t, runtest.Small, config.Options{Only: tt.only, Limit: 1}).Trials {
				got[p.Task] = true
			}
			if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("tasks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestALongPlanCanBeGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := config.Resolve(ctx, runtest.Parse(t, runtest.Small), config.Options{Trials: 100_000})
	if !errors.Is(err, context.Canceled) || errors.Is(err, domains.ErrUsage) {
		t.Errorf("error %v", err)
	}
}

func TestSelectionErrorsNameTheirPlace(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"unknown task", "cancel-one-return-one,", "cancel-one-retrun-one,", `small.yaml:9:58: domains[0].tasks[1]: split base of retail has no task "cancel-one-retrun-one"` + "\nhint: " + `did you mean "cancel-one-return-one"?`},
		{"unknown split", "name: retail,", "name: retail, split: bass,", `small.yaml:9:26: domain retail has no split "bass"`},
		{"wrong parameter", "agent: noop", "agent: noop, params: {speed: 3}", `small.yaml:12:5: system Noop on domain retail: agent noop: parameters: unknown parameter "speed"` + "\nhint: remove it, there are none here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Resolve(context.Background(), runtest.Parse(t, strings.Replace(runtest.Small, tt.from, tt.to, 1)), config.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestParseKey(t *testing.T) {
	var plan []config.Planned
	for _, k := range []sim.Key{{Domain: "telecom", System: "A/B", Task: "[x]y|z/w", Trial: 3}, {Domain: "retail", System: "ReAct", Task: "12", Trial: 0},
		{Domain: "retail", System: "Guided", Task: "12", Trial: 0}, {Domain: "retail", System: "Guided", Task: "12", Trial: 10}, {Domain: "retail", System: "Guided", Task: "12", Trial: 1}} {
		plan = append(plan, config.Planned{Key: k})
	}
	for _, p := range plan {
		if got, err := config.ParseKey(p.Key.String(), plan); err != nil || got != p.Key {
			t.Errorf("%v, %v; want %v", got, err, p.Key)
		}
	}
	for text, want := range map[string]string{
		"y|z":           "telecom/A/B/[x]y|z/w/3",
		"ReAct":         "retail/ReAct/12/0",
		"react":         "retail/ReAct/12/0",
		"Guided/12/1":   "retail/Guided/12/1", // not 10, of which it is a part too
		"retail/ReAct/": "retail/ReAct/12/0",
	} {
		if got, err := config.ParseKey(text, plan); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"Guided":             `key "Guided" is part of 3 trials` + "\nhint: name one of retail/Guided/12/0, retail/Guided/12/1, retail/Guided/12/10",
		"retail/ReAct/12/1":  `did you mean "retail/ReAct/12/0"?`,
		"airline/Other/99/9": "names no trial\nhint: write it as domain/system/task/trial",
	} {
		if _, err := config.ParseKey(text, plan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", text, err, want)
		}
	}
	for i := range 20 {
		plan = append(plan, config.Planned{Key: sim.Key{Domain: "retail", System: "Guided", Task: "13", Trial: i}})
	}
	if _, err := config.ParseKey("Guided", plan); err == nil || strings.Count(err.Error(), "retail/") != 1 {
		t.Errorf("not one of many trials as an example: %v", err)
	}
}
