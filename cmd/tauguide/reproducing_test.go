package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
)

// bill is a line of the page: what a config is estimated at, as --dry-run tells it.
func bill(t *testing.T, name, data string, o config.Options, flags string) string {
	t.Helper()
	cfg, err := config.Load(name, func(key string) string {
		switch {
		case key == "TAU2_DATA_DIR":
			return data
		case strings.HasSuffix(key, "_KEY"):
			return "set"
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := config.Resolve(t.Context(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := runs.NewEstimate(plan, "")
	if err != nil {
		t.Fatal(err)
	}
	var calls, tokens float64
	for _, l := range e.Lines {
		calls, tokens = calls+l.Calls, tokens+l.Prompt+l.Completion
	}
	english, dollars, took := message.NewPrinter(language.English), "?", e.Time()
	if e.Cost != nil {
		dollars = english.Sprintf("%.2f", *e.Cost)
	}
	if e.Seconds == 0 {
		took = "–"
	}
	return english.Sprintf("| `%s%s` | %d | %.0f | %.1f | %s | %s |\n", name, flags, e.Trials, calls, tokens/1e6, dollars, took)
}

// bills are the lines of all configs that come with the program, each with its cheap variant.
func bills(t *testing.T) string {
	t.Helper()
	data := filepath.Join(domaintest.Shared(t), "tau2")
	lines := "| `tauguide run` | conversations | calls | million tokens | dollars | time |\n|---|---|---|---|---|---|\n"
	for _, name := range configs.Names() {
		lines += bill(t, name, data, config.Options{}, "") + bill(t, name, data, config.Options{Limit: 3, Trials: 1}, " --limit 3 --trials 1")
	}
	return lines
}

// reproducing reads docs/reproducing.md.
func reproducing(t *testing.T) (file, page string) {
	t.Helper()
	file = filepath.Join(domaintest.Root(t), "docs", "reproducing.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, string(text)
}

// TestReproducingPage: the page lists all tables of the paper.
func TestReproducingPage(t *testing.T) {
	_, page := reproducing(t)
	for _, s := range report.Tables() {
		if s.Number > 0 && !strings.Contains(page, fmt.Sprintf("| %d | `%s` |", s.Number, s.Name)) {
			t.Errorf("docs/reproducing.md does not list table %d as %s", s.Number, s.Name)
		}
	}
}

// TestReproducingPageTellsTheCosts that --dry-run tells; -update writes them.
func TestReproducingPageTellsTheCosts(t *testing.T) {
	want := bills(t)
	file, page := reproducing(t)
	head, rest, found := strings.Cut(page, "| `tauguide run` |")
	_, tail, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatal("docs/reproducing.md has no table of costs")
	}
	updated := head + want + "\n" + tail
	if *update {
		if err := os.WriteFile(file, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != updated {
		t.Errorf("docs/reproducing.md tells other costs than --dry-run: run this test with -update; the table is\n%s", want)
	}
}
