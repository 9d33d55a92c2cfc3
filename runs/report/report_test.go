package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
)

func build(t testing.TB, name string, in report.Input) report.Table {
	t.Helper()
	table, err := report.Build(name, in)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func one(t testing.TB, o report.Options) report.Input {
	t.Helper()
	return report.Input{Sources: []report.Source{fixture(t)}, Options: o}
}

// find returns the cell of the first row that has all these labels in it.
func find(t *testing.T, table report.Table, column string, labels ...string) report.Cell {
	t.Helper()
	for _, r := range table.Rows {
		have := map[string]bool{}
		for _, c := range r {
			have[c.Text] = true
		}
		all := true
		for _, l := range labels {
			all = all && have[l]
		}
		for i, c := range table.Columns {
			if all && c.Key == column {
				return r[i]
			}
		}
	}
	t.Fatalf("table %s has no %s in a row of %v", table.Name, column, labels)
	return report.Cell{}
}

func TestMissingRowsNameTheirCommand(t *testing.T) {
	table := build(t, "main", one(t, report.Options{Published: true}))
	c := find(t, table, "pass^4_all", "retail", "PolicyGuard")
	if c.Text != "-" || c.Value != nil || !strings.Contains(c.Why, "`tauguide run configs/paper/table1.yaml --only system=PolicyGuard") {
		t.Errorf("a missing figure is %+v, want a dash with the command", c)
	}
	if p := find(t, table, "pass^4_all_paper", "retail", "PolicyGuard"); p.Text != "0.360" {
		t.Errorf("the paper's figure beside it is %q, want 0.360", p.Text)
	}
}

// TestDifferencesAreOfEqualTasks: the paper's figures and the differences to them are beside a run of the whole split with
// four trials of each task, and beside no other.
func TestDifferencesAreOfEqualTasks(t *testing.T) {
	run := func(tasks, trials int, split string, last metrics.State) report.Source {
		s := report.Source{Provenance: report.Provenance{Name: "r"}, Domains: []report.Domain{{Name: "airline", Split: split}},
			Systems: []report.System{{Name: "ReAct", Kind: report.ReAct}, {Name: "Guide", Kind: report.PolicyGuide}}}
		for task := range tasks {
			for trial := range trials {
				o := metrics.Outcome{Domain: "airline", System: "ReAct", Task: fmt.Sprint(task), Trial: trial, State: metrics.Success}
				if task == tasks-1 {
					o.State = last
				}
				s.Outcomes = append(s.Outcomes, o)
				o.System = "Guide"
				s.Outcomes = append(s.Outcomes, o)
			}
		}
		return s
	}
	for _, tt := range []struct {
		why    string
		source report.Source
		want   string
	}{
		{"the whole split", run(50, 4, "base", metrics.Failure), "+0.520"},
		{"a part of it", run(49, 4, "base", metrics.Failure), "-"},
		{"fewer trials", run(50, 3, "base", metrics.Failure), "-"},
		{"more trials", run(50, 5, "base", metrics.Failure), "-"},
		{"trials without a result", run(50, 4, "base", metrics.Void), "-"},
		{"another split", run(50, 4, "train", metrics.Failure), "-"},
	} {
		in := report.Input{Sources: []report.Source{tt.source}, Options: report.Options{Published: true, Resamples: 10}}
		table := build(t, "main", in)
		if d := find(t, table, "pass^4_all_difference", "airline", "ReAct"); d.Text != tt.want {
			t.Errorf("%s: the difference is %s, want %s", tt.why, d.Text, tt.want)
		}
		said := slices.ContainsFunc(table.Notes, func(n string) bool {
			return strings.Contains(n, "none is shown beside") || strings.Contains(n, "run r on train")
		})
		if said == (tt.want != "-") {
			t.Errorf("%s: the notes are %q", tt.why, table.Notes)
		}
		paired := slices.ContainsFunc(build(t, "bootstrap", in).Columns, func(c report.Column) bool { return c.Key == "delta_paper" })
		if paired != (tt.want != "-") {
			t.Errorf("%s: the paper's difference is shown: %v", tt.why, paired)
		}
	}
}

func TestPublishedOnlyWhereAsked(t *testing.T) {
	for _, s := range report.Tables() {
		in := report.Input{}
		if !s.Free {
			in = one(t, report.Options{Resamples: 10})
		}
		if got := write(t, report.CSV, build(t, s.Name, in)); strings.Contains(strings.SplitN(got, "\n", 2)[0], "_paper") {
			t.Errorf("table %s shows the paper's figures unasked", s.Name)
		}
	}
}

// TestPublishedIsOfOtherTasks pins that the paper's figures are not shown beside runs on the program's own tasks.
func TestPublishedIsOfOtherTasks(t *testing.T) {
	for _, s := range report.Tables() {
		if s.Free {
			continue
		}
		in := one(t, report.Options{Published: true, Resamples: 10})
		in.Sources[0].DataFolder = "embedded"
		table := build(t, s.Name, in)
		for k, c := range table.Columns {
			if !strings.HasSuffix(c.Key, "_paper") {
				continue
			}
			for _, row := range table.Rows {
				if row[k].Value != nil {
					t.Errorf("table %s has %s in column %s", s.Name, row[k].Text, c.Key)
				}
			}
		}
		if !slices.ContainsFunc(table.Notes, func(n string) bool { return strings.Contains(n, "on the program's own") }) {
			t.Errorf("table %s does not say why: %v", s.Name, table.Notes)
		}
	}
}

var commandPattern = regexp.MustCompile("`tauguide ([^`]*)`")

// TestEveryCommandIsOne prepares the runs of all commands that the tables name for what nobody ran.
func TestEveryCommandIsOne(t *testing.T) {
	commands := map[string]bool{}
	for _, s := range report.Tables() {
		if s.Free {
			continue
		}
		for _, m := range commandPattern.FindAllStringSubmatch(write(t, report.Markdown, build(t, s.Name, report.Input{})), -1) {
			commands[m[1]] = true
		}
	}
	if len(commands) < 10 {
		t.Fatalf("only %d commands: %v", len(commands), commands)
	}
	for c := range commands {
		words := strings.Fields(c)
		if len(words) < 4 || words[0] != "run" || words[2] != "--only" {
			t.Errorf("%q is no run of a part", c)
			continue
		}
		text, err := configs.Text(words[1])
		if err != nil {
			t.Error(err)
			continue
		}
		cfg, err := config.Parse(words[1], text, func(string) string { return "set" })
		if err != nil {
			t.Fatal(err)
		}
		o := config.Options{Synthetic: true, Data: "embedded", Out: t.TempDir()}
		for i := 2; i < len(words); i += 2 {
			o.Only = append(o.Only, words[i+1])
		}
		job, err := config.Resolve(context.Background(), cfg, o)
		if err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		if len(job.Trials) == 0 {
			t.Errorf("%s plans nothing", c)
		}
	}
}

// TestEveryPlaceHasACommand holds the paper's configs to the tables: whatever a table wants, a config can produce.
func TestEveryPlaceHasACommand(t *testing.T) {
	for _, s := range report.Tables() {
		if s.Free || s.Number == 0 {
			continue
		}
		text := write(t, report.Markdown, build(t, s.Name, report.Input{}))
		for _, bad := range []string{"restore it", "has no such system"} {
			if strings.Contains(text, bad) {
				t.Errorf("table %s: %s\n%s", s.Name, bad, text)
			}
		}
	}
}

func TestSystemsStandByKind(t *testing.T) {
	react := func(name string, overlays ...config.Overlay) config.System {
		return config.System{Name: name, Agent: "react", Model: "m", Overlays: overlays}
	}
	models := map[string]config.Model{"m": {Model: "gpt-5.4-2026-03-01"}, "c": {Model: "claude-sonnet-4-6"}, "mini": {Model: "gpt-5.4-mini"}}
	tests := []struct {
		name   string
		system config.System
		want   report.System
	}{
		{"plain", react("A"), report.System{Name: "A", Kind: report.ReAct, Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4"}},
		{"shorthand", config.System{Name: "B", Agent: "policyguide", Model: "c"}, report.System{Name: "B", Kind: report.PolicyGuide, Model: "claude-sonnet-4-6", Family: "claude-sonnet-4.6", Verifier: "claude-sonnet-4.6"}},
		{"overlay", react("ReAct", config.Overlay{Name: "policyguide"}), report.System{Name: "ReAct", Kind: report.PolicyGuide, Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "gpt-5.4"}},
		{"its usual parameters", react("C", config.Overlay{Name: "policyguide", Params: json.RawMessage(`{"gate":"advisory","model":"x","timeout":"9s"}`)}),
			report.System{Name: "C", Kind: report.PolicyGuide, Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "x"}},
		{"a strict one", react("D", config.Overlay{Name: "policyguide", Params: json.RawMessage(`{"gate":"strict","verifier":"deterministic"}`)}),
			report.System{Name: "D", Kind: report.PolicyGuide, Variant: "gate strict, verifier deterministic", Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "code"}},
		{"an ablation", config.System{Name: "H", Agent: "policyguard-raw", Model: "m", Params: json.RawMessage(`{"dialogue":false,"timeout":"9s"}`)},
			report.System{Name: "H", Kind: report.PolicyGuardRawCalls, Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "gpt-5.4"}},
		{"an ablation as overlay", react("I", config.Overlay{Name: "policyguard", Params: json.RawMessage(`{"dialogue":true,"policy":false}`)}),
			report.System{Name: "I", Kind: report.PolicyGuardChecklist, Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "gpt-5.4"}},
		{"a hybrid of a model and code", config.System{Name: "K", Agent: "policyguide", Model: "m", Params: json.RawMessage(`{"verifier":"hybrid","model":"c"}`)},
			report.System{Name: "K", Kind: report.PolicyGuide, Variant: "verifier hybrid", Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "claude-sonnet-4.6, code"}},
		{"two ablations", config.System{Name: "J", Agent: "policyguard", Model: "m", Params: json.RawMessage(`{"dialogue":false,"policy":false}`)},
			report.System{Name: "J", Kind: report.PolicyGuard, Variant: "dialogue false, policy false", Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "gpt-5.4"}},
		{"two overlays", react("E", config.Overlay{Name: "policyguide"}, config.Overlay{Name: "toolguard"}),
			report.System{Name: "E", Kind: "toolguard+policyguide+react", Model: "gpt-5.4-2026-03-01", Family: "gpt-5.4", Verifier: "gpt-5.4, code"}},
		{"a small model is another", config.System{Name: "F", Agent: "react", Model: "mini"}, report.System{Name: "F", Kind: report.ReAct, Model: "gpt-5.4-mini"}},
		{"no model", config.System{Name: "G", Agent: "noop"}, report.System{Name: "G", Kind: "noop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := report.SystemOf(&config.Config{Models: models}, tt.system); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestRunsAreNeverPooled gives two runs of the same systems: each has rows of its own, with its own figures.
func TestRunsAreNeverPooled(t *testing.T) {
	a, b := fixture(t), fixture(t)
	b.Name = "other"
	for i := range b.Outcomes {
		b.Outcomes[i].State = metrics.Success
	}
	table := build(t, "main", report.Input{Sources: []report.Source{a, b}})
	if x := find(t, table, "pass^4_all", "fixture", "airline", "ReAct"); x.Text != "0.750" {
		t.Errorf("the first run has %s, want 0.750", x.Text)
	}
	if x := find(t, table, "pass^4_all", "other", "airline", "ReAct"); x.Text != "1.000" {
		t.Errorf("the second run has %s, want 1.000", x.Text)
	}
}

// TestNoNaNAnywhere draws runs of all kinds, void and pending trials included, and reads every table in every format.
func TestNoNaNAnywhere(t *testing.T) {
	numbers := regexp.MustCompile(`(?i)\b(nan|inf)\b|null.{0,20}(nan|inf)`)
	rapid.Check(t, func(t *rapid.T) {
		s := report.Source{Provenance: report.Provenance{Name: "r", Config: "c"}, Domains: []report.Domain{{Name: "airline", Split: "base"}},
			Systems: []report.System{{Name: "A", Kind: report.ReAct}, {Name: "B", Kind: report.PolicyGuide}}, Spent: map[report.Spender]*report.Spending{}}
		for range rapid.IntRange(0, 12).Draw(t, "outcomes") {
			s.Outcomes = append(s.Outcomes, metrics.Outcome{Domain: "airline", System: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "system"),
				Task: fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "task")), Trial: rapid.IntRange(0, 4).Draw(t, "trial"), Mut: rapid.Bool().Draw(t, "mut"),
				State: metrics.State(rapid.IntRange(0, 3).Draw(t, "state"))})
		}
		s.Spent[report.Spender{Domain: "airline", System: "B", Role: "guide"}] = &report.Spending{Tasks: map[string]metrics.Use{"a": {
			Conversations: rapid.IntRange(0, 1).Draw(t, "trials"), Usage: metrics.Usage{Calls: rapid.IntRange(0, 2).Draw(t, "calls")}}}}
		in := report.Input{Sources: []report.Source{s}, Options: report.Options{Published: true, Holm: true, Resamples: 20}}
		for _, spec := range report.Tables() {
			if spec.Free {
				continue
			}
			table, err := spec.Build(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []report.Format{report.JSON, report.LaTeX} { // the others write the same texts and values
				var b bytes.Buffer
				if err := table.Write(&b, f); err != nil {
					t.Fatalf("%s as %s: %v", spec.Name, f, err)
				}
				if bad := numbers.FindString(b.String()); bad != "" {
					t.Fatalf("%s as %s says %q:\n%s", spec.Name, f, bad, b.String())
				}
			}
			for _, r := range table.Rows {
				for i, c := range r {
					if c.Text == "-" && c.Why == "" && table.Columns[i].Key != "tasks" && table.Columns[i].Key != "evaluable" && table.Columns[i].Key != "planned" {
						t.Fatalf("table %s: %s is undefined without a reason", spec.Name, table.Columns[i].Key)
					}
				}
			}
		}
		for _, f := range report.Figures(in) {
			for _, p := range f.Panels {
				for _, line := range p.Series {
					for _, at := range line.Points {
						if !(at.Lo <= at.Value+1e-12 && at.Value <= at.Hi+1e-12) {
							t.Fatalf("band %v to %v does not hold %v", at.Lo, at.Hi, at.Value)
						}
					}
				}
			}
		}
	})
}

func TestReferenceIsChecked(t *testing.T) {
	s, err := report.FindTable("12")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Build(one(t, report.Options{Reference: "Gided"})); err == nil || !strings.Contains(err.Error(), `did you mean "Guided"?`) {
		t.Errorf("an unknown reference gives %v, want an error with the nearest name", err)
	}
	table := build(t, "12", one(t, report.Options{Reference: "ReAct"}))
	if c := find(t, table, "opponent_only", "ReAct", "Noop"); c.Text != "0" {
		t.Errorf("Noop alone passes %s tasks", c.Text)
	}
}

// TestPublishedCountsGiveThePublishedTest feeds counts that the paper has in Table 12 through the whole table.
func TestPublishedCountsGiveThePublishedTest(t *testing.T) {
	s := report.Source{Provenance: report.Provenance{Name: "paper"}, Systems: []report.System{{Name: "R", Kind: report.ReAct}, {Name: "G", Kind: report.PolicyGuide}},
		Domains: []report.Domain{{Name: "airline", Split: "base"}, {Name: "retail", Split: "base"}, {Name: "telecom", Split: "base"}}}
	add := func(domain string, n, from int, guide, react metrics.State) {
		for task := range n {
			for trial := range 4 {
				for system, state := range map[string]metrics.State{"G": guide, "R": react} {
					s.Outcomes = append(s.Outcomes, metrics.Outcome{Domain: domain, System: system, Task: fmt.Sprint(from + task), Trial: trial, State: state})
				}
			}
		}
	}
	add("airline", 11, 0, metrics.Success, metrics.Failure)
	add("airline", 3, 100, metrics.Failure, metrics.Success)
	add("retail", 12, 0, metrics.Success, metrics.Failure)
	add("retail", 10, 100, metrics.Failure, metrics.Success)
	add("telecom", 54, 0, metrics.Success, metrics.Failure)
	add("telecom", 6, 100, metrics.Failure, metrics.Success)
	add("airline", 36, 200, metrics.Success, metrics.Success) // as many as the splits have
	add("retail", 92, 200, metrics.Failure, metrics.Failure)
	add("telecom", 54, 200, metrics.Success, metrics.Success)
	table := build(t, "12", report.Input{Sources: []report.Source{s}, Options: report.Options{Published: true}})
	for column, want := range map[string]string{"reference_only": "77", "opponent_only": "19", "z": "+5.92", "z_difference": "0.00", "discordant_difference": "0"} {
		if c := find(t, table, column, "R"); c.Text != want {
			t.Errorf("%s is %s, want %s", column, c.Text, want)
		}
	}
}

func TestCompare(t *testing.T) {
	s := fixture(t)
	c, err := report.Compare(0, report.Side{Source: &s, System: "Guided"}, report.Side{Source: &s, System: "Noop"})
	if err != nil {
		t.Fatal(err)
	}
	if c.K != 4 || len(c.Domains) != 3 || c.Pooled.OnlyA != 9 || c.Pooled.OnlyB != 0 || len(c.Unlike) != 0 {
		t.Errorf("comparison: %+v", c)
	}
	wins := 0
	for _, f := range c.Flips {
		if f.A != "pass" || f.B != "fail" {
			t.Errorf("flip %+v: Noop never passes", f)
		}
		wins++
	}
	if wins != 45 || c.Trials != 48 {
		t.Errorf("%d flips of %d trials, want 45 of 48", wins, c.Trials)
	}
	back, err := report.Compare(0, report.Side{Source: &s, System: "Noop"}, report.Side{Source: &s, System: "Guided"})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range c.Domains {
		o := back.Domains[i]
		if *d.Delta != -*o.Delta || *d.Low != -*o.High || *d.P != *o.P {
			t.Errorf("%s: the comparison the other way round is not the opposite: %+v and %+v", d.Domain, d, o)
		}
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

// TestAttackFigure draws attacks on 20 tasks, four times each, of which 16 succeed: ASR@1 is 0.2, and it never falls in k.
func TestAttackFigure(t *testing.T) {
	s := report.Source{Provenance: report.Provenance{Name: "attacks", Synthetic: true}, Systems: []report.System{{Name: "ReAct"}}, Attack: &report.Attack{}}
	for task := range 20 {
		for trial := range 4 {
			o := metrics.Outcome{Domain: "airline", System: "ReAct", Task: fmt.Sprint(task), Trial: trial}
			if task < 8 && trial < 2 {
				o.State = metrics.Success
			}
			s.Attack.Trials = append(s.Attack.Trials, report.AttackTrial{Outcome: o})
		}
	}
	figures := report.Figures(report.Input{Sources: []report.Source{s}, Options: report.Options{Resamples: 200}})
	if len(figures) != 1 {
		t.Fatalf("%d figures, want one", len(figures))
	}
	f := figures[0]
	if f.Number != 6 || f.Scripted != "synthetic" || len(f.Panels) != 1 || len(f.Panels[0].Series) != 1 {
		t.Fatalf("figure %+v", f)
	}
	points := f.Panels[0].Series[0].Points
	if len(points) != 4 || points[0].Value != 0.2 {
		t.Fatalf("points %+v, want four from 0.2 on", points)
	}
	for i := 1; i < len(points); i++ {
		if points[i].Value < points[i-1].Value {
			t.Errorf("ASR@%d is below ASR@%d: %+v", i+1, i, points)
		}
	}
}

func TestUnlikeRuns(t *testing.T) {
	with := func(fields map[string]string) *report.Source {
		s := fixture(t)
		s.Setup = config.Identity{Version: 1, Fields: map[string]string{"seed": "1", "user.model": `"careful"`, "models.careful.model": `"x"`, "models.clumsy.model": `"y"`,
			"domains.airline.split": `"base"`, "domains.mock.split": `"base"`, "systems.ReAct.agent": `"react"`}}
		for k, v := range fields {
			s.Setup.Fields[k] = v
		}
		return &s
	}
	plain := with(nil)
	tests := []struct {
		name, field, value string
		want               string // "" if such runs may be compared
	}{
		{"same", "seed", "1", ""},
		{"another system", "systems.ReAct.agent", `"noop"`, ""},
		{"another agent model", "models.clumsy.model", `"z"`, ""},
		{"another user", "models.careful.model", `"z"`, "models.careful.model"},
		{"another seed", "seed", "2", `seed is 1 in the first run and 2 in the second`},
		{"another split", "domains.airline.split", `"test"`, "domains.airline.split"},
		{"another prompt of the user on a domain that both have", "user.prompt.airline", `"x"`, "user.prompt.airline"},
		{"a prompt on a domain that neither has", "user.prompt.mock", `"x"`, ""},
		{"hashes are cut short", "user.prompt.retail", strings.Repeat("0123456789abcdef", 4), "is absent in the first run and 0123456789ab in the second"},
		{"a domain that only one has", "domains.mock.split", `"test"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(report.Unlike(plain, with(map[string]string{tt.field: tt.value})), "; ")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
