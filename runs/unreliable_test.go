package runs_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestVerifierThatAlwaysFails runs a guided system whose verifier never gives an answer of use, in three ways. It ends as the
// agent alone would, and wherever the run is looked at that is said.
func TestVerifierThatAlwaysFails(t *testing.T) {
	quiet := make(chan struct{})
	for _, c := range []struct {
		name    string
		answer  func(w http.ResponseWriter)
		timeout string
		cause   string
	}{
		{"context too small", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 4096 tokens","code":"context_length_exceeded"}}`)
		}, "3m", "maximum context length is 4096 tokens"},
		{"nonsense", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"It is sunny today."},"finish_reason":"stop"}]}`)
		}, "3m", "there is no JSON object in it"},
		{"silence", func(http.ResponseWriter) { <-quiet }, "20ms", "the verifier has not answered within 20ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := scripted(t, clumsy(t), func(w http.ResponseWriter, tag llm.Tag) bool {
				if tag.Role == "guide" {
					c.answer(w)
				}
				return tag.Role == "guide"
			})
			t.Cleanup(func() {
				if c.timeout != "3m" {
					close(quiet)
				}
			})
			dir := filepath.Join(t.TempDir(), "run")
			text := strings.Replace(overHTTP(url, ""), "  - {name: Noop, agent: noop}", "  - {name: Guided, agent: policyguide, model: clumsy, params: {timeout: "+c.timeout+"}}", 1)
			s := runtest.Execute(t, text, config.Options{Out: dir})
			if len(s.Oversight) != 1 || s.Oversight[0].Firings == 0 || s.Oversight[0].Failed != s.Oversight[0].Firings {
				t.Fatalf("%+v", s.Oversight)
			}
			n := s.Oversight[0].Firings
			failed := fmt.Sprintf("failed open in %d of %d firings (100.0 %%)", n, n)
			var out bytes.Buffer
			s.Print(&out)
			says(t, "the summary", out.String(), "verifier of Guided: "+failed, "warning: these are not the results of an agent with its verifier", c.cause)

			r := runtest.Open(t, dir)
			source, err := report.FromRun(r, runtest.NoEnv)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"main", "pass", "verifiers"} {
				table, err := report.Build(name, report.Input{Sources: []report.Source{source}})
				if err != nil {
					t.Fatal(err)
				}
				says(t, "table "+name, strings.Join(table.Notes, "\n"), "the verifier of Guided in run small "+failed)
			}
			pair, err := report.Compare(0, report.Side{Source: &source, System: "ReAct"}, report.Side{Source: &source, System: "Guided"})
			if err != nil {
				t.Fatal(err)
			}
			says(t, "the comparison", strings.Join(pair.Notes, "\n"), "the verifier of Guided in run small "+failed)
			for rec, err := range r.Records() {
				if err != nil {
					t.Fatal(err)
				}
				out.Reset()
				if err := show.Print(&out, transcript.Trial{Record: rec}, show.Options{}); err != nil {
					t.Fatal(err)
				}
				if guided := rec.System == "Guided"; guided != strings.Contains(out.String(), "verifier: failed open in ") {
					t.Errorf("%s is shown as\n%s", rec.Key.String(), out.String())
				}
			}
		})
	}
}

func says(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q:\n%s", what, w, text)
		}
	}
}
