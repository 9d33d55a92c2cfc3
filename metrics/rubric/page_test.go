package rubric_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/metrics/trace"
)

func pageText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", "rubrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The rubric and the verdicts of docs/rubrics.md are right.
func TestPage(t *testing.T) {
	var r *rubric.Rubric
	var verdict rubric.Verdict
	verdicts := 0
	info, body := "", ""
	for i, line := range strings.Split(pageText(t), "\n") {
		next, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && info == "":
			info, body = next, ""
			continue
		case !fence:
			body += line + "\n"
			continue
		}
		kind, rest, _ := strings.Cut(info, " ")
		info = ""
		switch kind {
		case "rubric":
			var err error
			if r, err = rubric.Parse("rubrics.md", []byte(body)); err != nil {
				t.Fatal(err)
			}
		case "conversation":
			msgs, err := trace.Parse(body)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			verdict = r.Judge(msgs, taskOf(t, strings.Fields(rest)))
		case "verdict":
			verdicts++
			if d := cmp.Diff(body, told(verdict)); d != "" {
				t.Errorf("line %d: %s", i+1, d)
			}
		default:
			t.Errorf("line %d: nothing is known of a block %q", i+1, kind)
		}
	}
	if verdicts < 2 {
		t.Errorf("the page has %d verdicts", verdicts)
	}
}

func told(v rubric.Verdict) string {
	var b strings.Builder
	for _, r := range v.Results {
		switch r.State {
		case rubric.Satisfied:
			fmt.Fprintf(&b, "%s satisfied\n", r.ID)
		case rubric.Failed:
			fmt.Fprintf(&b, "%s failed at %d: %s\n", r.ID, r.At, r.Why)
		default:
			fmt.Fprintf(&b, "%s %s: %s\n", r.ID, r.State, r.Why)
		}
	}
	return b.String()
}

// The page tells how many checks there are.
func TestPageCounts(t *testing.T) {
	for _, domain := range rubric.Domains() {
		r := load(t, domain)
		count := map[rubric.Family]int{}
		for _, c := range r.Checks {
			count[c.Family]++
		}
		row := fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |", domain, len(r.Checks), count[rubric.Identification], count[rubric.Diagnosis],
			count[rubric.Consent], count[rubric.Order], count[rubric.Verification])
		if !strings.Contains(pageText(t), row) {
			t.Errorf("docs/rubrics.md does not have the row %q", row)
		}
	}
}
