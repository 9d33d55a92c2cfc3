package compare_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// reader is a model that gives these answers, and keeps what it was asked.
type reader struct {
	answers []string
	asked   []llm.Request
}

func (r *reader) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	r.asked = append(r.asked, req)
	if len(r.asked) > len(r.answers) {
		return llm.Response{}, fmt.Errorf("call %d is not foreseen", len(r.asked))
	}
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &r.answers[len(r.asked)-1]}}, nil
}

// graded is an answer with one grade after the other for the rules a, b, c, d; a letter each.
func graded(letters string) string {
	var out []string
	for i, l := range letters {
		grade := map[rune]string{'f': "full", 'w': "weaker", 's': "stronger", 'n': "none"}[l]
		out = append(out, fmt.Sprintf(`{"rule": "%c", "node": "look", "grade": %q}`, 'a'+i, grade))
	}
	return "[" + strings.Join(out, ",\n") + "]"
}

func TestJudge(t *testing.T) {
	b := bundleOf("start entry - look", "look tool_call get_users add", "add tool_authorization create_task end", "end exit - -")
	catalog := &guide.Catalog{Rows: []guide.Row{{ID: "a", Text: "One."}, {ID: "b", Text: "Two."}, {ID: "c", Text: "Three."}, {ID: "d", Text: "Four."}}}
	good := graded("fwsn")
	for _, tt := range []struct {
		name    string
		answers []string
		kappa   string // of A
		full    int    // of A
		fails   string
	}{
		{"alike", []string{good, good, good, good}, "1.00", 1, ""},
		{"half by chance", []string{graded("ffnn"), graded("fnnn"), good, good}, "0.50", 1, ""},
		{"worse than chance", []string{graded("ffnn"), graded("nnff"), good, good}, "-1.00", 0, ""},
		{"one grade for all", []string{graded("ffff"), graded("ffff"), good, good}, "", 4, ""},
		{"words around it", []string{"Node [look] does it.\n```json\n" + good + "\n```\nThat is all.", good, good, good}, "1.00", 1, ""},
		{"asked again", []string{"I cannot say.", good, good, good, good}, "1.00", 1, ""},
		{"no JSON", []string{"no", "no"}, "", 0, "one: first reading: there is no JSON array of objects"},
		{"broken JSON", []string{good, `[{"rule": }]`, `[{"rule": }]`}, "", 0, "one: second reading: the JSON array: "},
		{"a rule is missing", []string{good, good, graded("ffn"), graded("ffn")}, "", 0, "two: first reading: rule d is missing"},
		{"a rule twice", []string{"x", `[{"rule": "a", "grade": "none"}, {"rule": "a", "grade": "none"}]`}, "", 0, "rule a is there twice"},
		{"no such rule", []string{"x", `[{"rule": "z", "grade": "none"}]`}, "", 0, `there is no rule "z"`},
		{"no such grade", []string{"x", strings.Replace(good, "weaker", "perhaps", 1)}, "", 0, `rule b: there is no grade "perhaps"`},
		{"no such node", []string{"x", strings.Replace(good, "look", "peek", 1)}, "", 0, `rule a: there is no node "peek"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := report(t, b, b, compare.Basis{})
			model := &reader{answers: tt.answers}
			calls, err := r.Judge(t.Context(), &sim.Model{Client: model, Name: "m"}, b, b, catalog)
			if len(calls) != len(tt.answers) || len(model.asked) != len(tt.answers) {
				t.Errorf("%d calls, want %d", len(calls), len(tt.answers))
			}
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || r.Judged != nil {
					t.Errorf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if k := r.Judged.A.Kappa; k != nil {
				got = fmt.Sprintf("%.2f", *k)
			}
			if got != tt.kappa || r.Judged.A.Full != tt.full {
				t.Errorf("kappa %s, %d in full; want %s, %d", got, r.Judged.A.Full, tt.kappa, tt.full)
			}
		})
	}
}

// The reading is blind and its order changes; what the two workflows are read as is a difference.
func TestJudgeIsBlind(t *testing.T) {
	b := bundleOf("start entry - look", "look tool_call get_users add", "add tool_authorization create_task end", "end exit - -")
	for _, n := range b.Main.Nodes {
		n.Policy = []string{"a"}
	}
	catalog := &guide.Catalog{Rows: []guide.Row{{ID: "a", Text: "One."}, {ID: "b", Text: "Two."}}}
	r := report(t, b, b, compare.Basis{})
	model := &reader{answers: []string{graded("fn"), graded("wn"), graded("fn"), graded("fn")}}
	if _, err := r.Judge(t.Context(), &sim.Model{Client: model, Name: "m"}, b, b, catalog); err != nil {
		t.Fatal(err)
	}
	text := func(i int) string { return model.asked[i].Messages[1].Text() }
	if text(0) != text(2) || text(1) != text(3) {
		t.Error("the question tells which workflow it is about")
	}
	for i, order := range [][]string{{"### look", "### add", "a: One.", "b: Two."}, {"### add", "### look", "b: Two.", "a: One."}} {
		rest := text(i)
		for _, s := range order {
			_, after, ok := strings.Cut(rest, s)
			if !ok {
				t.Errorf("question %d: %q is not in its place in\n%s", i+1, s, text(i))
			}
			rest = after
		}
	}
	want := difference("judge", "row a is read as full or weaker in A, as full in B (One.)", "look", "look")
	if len(r.Differences) != 1 || fmt.Sprint(r.Differences[0]) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", r.Differences, want)
	}
	if model.asked[0].Tag.Role != compare.Role {
		t.Errorf("role %q", model.asked[0].Tag.Role)
	}
}
