package rubric_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/metrics/trace"
)

func TestShipped(t *testing.T) {
	if got, want := rubric.Domains(), []string{"airline", "retail", "telecom"}; !cmp.Equal(got, want) {
		t.Fatalf("rubrics for %v, want %v", got, want)
	}
	for domain, least := range map[string]int{"telecom": 25, "airline": 10, "retail": 10} {
		r := load(t, domain)
		families := map[rubric.Family]int{}
		for _, c := range r.Checks {
			families[c.Family]++
		}
		if r.Domain != domain || len(r.Checks) < least || len(families) != 5 {
			t.Errorf("%s: rubric of %s with %d checks of %v", domain, r.Domain, len(r.Checks), families)
		}
	}
	if _, err := rubric.Load("mock"); err == nil || err.Error() != `no rubric for domain "mock"`+"\nhint: there are rubrics for airline, retail, telecom" {
		t.Errorf("got %v", err)
	}
}

const small = `domain: d
patterns:
  yes: {by: user, any: [ye]}
events:
  look: see
  fix: {call: mend}
  told: {said: yes}
checks:
  - {id: c, family: diagnosis, text: Look first., rule: {before: {event: fix, need: look}}}
`

// Faults name the file, the check and the field, and how to fix them.
func TestParseErrors(t *testing.T) {
	replace := func(old, with string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("%q is not in the rubric", old)
		}
		return strings.Replace(small, old, with, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "r.yaml:1:1: the file is empty: write one YAML document"},
		{"two documents", small + "---\ndomain: e\n", "r.yaml:11:1: a second YAML document begins here"},
		{"no YAML", "a: [", "r.yaml:2:1: "},
		{"unknown key", replace("domain: d", "domain: d\nauthor: me"), `unknown key "author"`},
		{"key twice", replace("  look: see", "  look: see\n  look: see"), "look"},
		{"no rule", replace(", rule: {before: {event: fix, need: look}}", ""), "r.yaml: check c: rule: is missing: write one of after"},
		{"two rules", replace("rule: {", "rule: {happens: {event: fix}, "), "checks[0].rule: there are 2 rules: write one"},
		{"unknown rule", replace("rule: {before", "rule: {bevore"), `checks[0].rule: there is no rule "bevore": write one of after`},
		{"unknown pick", replace("event: fix, need", "event: fix, pick: frist, need"), `checks[0].rule: pick: "frist" is no choice among events: write each`},
		{"unknown event", replace("need: look", "need: peek"), `r.yaml: check c: rule.before.need: there is no event "peek": choose one of fix, look, told`},
		{"no event", replace("event: fix, ", ""), "r.yaml: check c: rule.before.event: is missing: name an event"},
		{"no need", replace(", need: look", ""), "r.yaml: check c: rule.before.need: is missing"},
		{"unknown done", replace("rule:", "applies_when: {done: peek}, rule:"), `r.yaml: check c: applies_when.done: there is no event "peek"`},
		{"unknown condition", replace("rule:", "applies_when: {golden: peek}, rule:"), `unknown key "golden"`},
		{"unknown pattern", replace("said: yes", "said: no"), `r.yaml: event told: said: there is no pattern "no": choose one of yes`},
		{"empty event", replace("{call: mend}", "{by: agent}"), "r.yaml: event fix: is empty: name one of call, said and any"},
		{"who", replace("{call: mend}", "{call: mend, by: judge}"), `events.fix.by: it is "judge": write agent or user`},
		{"list in a list", replace("{call: mend}", "{any: [all]}\n  all: {any: look}"), `r.yaml: event fix: any: event "all" is a list of events itself`},
		{"any text", replace("any: [ye]", "none: [ye]"), "r.yaml: pattern yes: fits every text: add any or match"},
		{"upper case", replace("any: [ye]", "any: [Ye]"), `r.yaml: pattern yes: "Ye" is never found: texts are compared in lower case`},
		{"bad expression", replace("any: [ye]", "match: '('"), "r.yaml: pattern yes: match: error parsing regexp"},
		{"empty pattern", replace("yes: {by: user, any: [ye]}", "yes:"), "r.yaml: pattern yes: fits every text"},
		{"never without after", replace("before: {event: fix, need: look}", "never: {event: fix, need: look}"), "r.yaml: check c: rule.never.after: is missing"},
		{"agreed without yes", replace("before: {event: fix, need: look}", "agreed: {event: fix, offer: yes}"), `r.yaml: check c: rule.agreed.yes: there is no pattern ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := rubric.Parse("r.yaml", []byte(tt.text)); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\nhint:", ":"), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := rubric.Parse("r.yaml", []byte(small)); err != nil {
		t.Error(err)
	}
}

// A check does not apply without a task, without a user, and where the plan or the conversation has nothing for it; each
// says why.
func TestNotApplicable(t *testing.T) {
	r, err := rubric.Parse("r.yaml", []byte(strings.Replace(small, "rule:", "applies_when: {gold: mend, gold_all: [mend, see], gold_none: stop, asserts: works, done: look}, rule:", 1)))
	if err != nil {
		t.Fatal(err)
	}
	talk := "user: Hello.\nagent> see => ok\nagent> mend => ok"
	for _, tt := range []struct{ name, task, talk, want string }{
		{"applies", "gold=mend,see asserts=works", talk, "look came before fix"},
		{"no user", "gold=mend,see asserts=works", "agent: Hello.", "there is no user in the conversation"},
		{"not in the plan", "gold=see asserts=works", talk, "the gold plan has no mend"},
		{"not all in the plan", "gold=mend asserts=works", talk, "the gold plan has no see"},
		{"in the plan", "gold=mend,see,stop asserts=works", talk, "the gold plan has stop"},
		{"not asked for", "gold=mend,see", talk, "the task does not ask for works"},
		{"not done", "gold=mend,see asserts=works", "user: Hello.\nagent> mend => ok", "there was no look"},
		{"no subject", "gold=mend,see asserts=works", "user: Hello.\nagent> see => ok\nagent> mend =>! no", "there was no fix"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			msgs, err := trace.Parse(tt.talk)
			if err != nil {
				t.Fatal(err)
			}
			v := r.Judge(msgs, taskOf(t, strings.Fields(tt.task)))
			applicable, satisfied := v.Count()
			want := 0
			if tt.name == "applies" {
				want = 1
			}
			if got := v.Results[0]; got.Why != tt.want || applicable != want || satisfied != want {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := r.Judge(nil, nil).Results[0]; got.State != rubric.NotApplicable || got.Why != "the task is unknown" || got.At != -1 {
		t.Errorf("%+v", got)
	}
}

// A rule is about each of its events unless it picks one: here the first lacks what it needs.
func TestPick(t *testing.T) {
	msgs, err := trace.Parse("user: Hello.\nagent> mend => ok\nagent> see => ok\nagent> mend => ok")
	if err != nil {
		t.Fatal(err)
	}
	for pick, want := range map[string]rubric.State{"": rubric.Failed, "pick: each,": rubric.Failed, "pick: first,": rubric.Failed, "pick: last,": rubric.Satisfied} {
		r, err := rubric.Parse("r.yaml", []byte(strings.Replace(small, "event: fix,", "event: fix, "+pick, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Judge(msgs, taskOf(t, []string{"gold=mend"})).Results[0]; got.State != want {
			t.Errorf("%q: %+v", pick, got)
		}
	}
}

// Parse and Judge never panic, whatever the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	files, err := filepath.Glob(filepath.Join("data", "*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	msgs, err := trace.Parse("user: Yes, ye.\nagent> see a=b => {\"a\": [\"b\"]}\nagent> mend a=b => ok\nuser> see => ok")
	if err != nil {
		f.Fatal(err)
	}
	task := &domains.Task{Criteria: &domains.Criteria{Actions: []domains.Action{{Name: "mend"}, {Name: "see"}}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := rubric.Parse("fuzz.yaml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.yaml: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, res := range r.Judge(msgs, task).Results {
			if res.Why == "" || res.At < -1 || res.At >= len(msgs) {
				t.Errorf("%+v", res)
			}
		}
	})
}
