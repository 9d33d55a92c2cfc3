package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestBench runs the short form of what measures the program, as its developers do. Nothing is said of its figures but
// that they are there; in place of the reference runs a command that does nothing.
func TestBench(t *testing.T) {
	measured := "live,quickstart,runs,program"
	shared, ok := domaintest.Locate(t)
	if ok {
		measured += ",results,scripted,reference"
	} else {
		t.Logf("measured without the shared reference data: set TAUGUIDE_SHARED")
	}
	cmd := exec.Command("go", "run", "./scripts/bench", "-short", "-bin", program(t), "-only", measured)
	cmd.Dir = domaintest.Root(t)
	cmd.Env = append(os.Environ(), "TAUGUIDE_SHARED="+shared, "TAU2_PYTHON=true")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || strings.Contains(said.String(), "not measured") {
		t.Fatalf("%v\n%s", err, &said)
	}
	rows := 0
	for line := range strings.Lines(string(out)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 {
			t.Fatalf("not a row: %s", line)
		}
		figure := strings.TrimSpace(cells[4])
		if figure == "–" && !strings.Contains(line, "files read") { // which a benchmark measures: they have no short form
			t.Errorf("without a figure: %s", line)
		}
		rows++
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
}
