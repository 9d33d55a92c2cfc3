package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sources are two systems: one with a void trial, one whose name would break a Markdown table.
func sources() []report.Source {
	var all []metrics.Outcome
	for i := range 4 {
		all = append(all,
			metrics.Outcome{Domain: "retail", System: "ReAct", Task: "a", Trial: i, Mut: true, State: metrics.State(i % 2)},
			metrics.Outcome{Domain: "retail", System: "ReAct", Task: "b", Trial: i, State: metrics.Success},
			metrics.Outcome{Domain: "retail", System: "No|op", Task: "b", Trial: i, State: metrics.State(i % 3)})
	}
	return []report.Source{{Name: "demo", Synthetic: true, Identity: "0123abcd", Models: "agent, user and judge synthetic", Outcomes: all}}
}

func TestPassHatTable(t *testing.T) {
	for _, f := range report.Formats() {
		t.Run(string(f), func(t *testing.T) {
			var b bytes.Buffer
			if err := report.PassHat(sources()).Write(&b, f); err != nil {
				t.Fatal(err)
			}
			golden(t, "pass_hat."+string(f), b.Bytes())
		})
	}
}

func TestEmptyTable(t *testing.T) {
	for _, f := range report.Formats() {
		var b bytes.Buffer
		if err := report.PassHat(nil).Write(&b, f); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := report.PassHat(nil).Write(&bytes.Buffer{}, "xml"); err == nil {
		t.Error("an unknown format is accepted")
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
