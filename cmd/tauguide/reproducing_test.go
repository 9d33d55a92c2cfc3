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
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
)

// bill is what a config of the paper costs: conversations, and the guide's calls and dollars after Table 14.
type bill struct {
	conversations int
	calls         float64
	dollars       float64
}

// billOf counts a config's conversations by the published sizes of the splits. The guide of Table 14 is GPT-5.4 with the
// workflow: other guides, guards, agents and users are not in its figures, and so not here.
func billOf(t *testing.T, c *config.Config, p map[string]float64) bill {
	t.Helper()
	var b bill
	for _, d := range c.Domains {
		tasks := int(p["splits."+d.Name+"."+d.Split+".all"])
		if c.User.Attack != "" {
			set, err := config.LoadAttacks(d.Name, "tau2", d.Attacks)
			if err != nil {
				t.Fatal(err)
			}
			tasks = len(set.Tasks)
		}
		if tasks == 0 {
			t.Fatalf("the paper has no %s split of %s", d.Split, d.Name)
		}
		for _, s := range c.Systems {
			if len(s.Domains) > 0 && !strings.Contains(" "+strings.Join(s.Domains, " ")+" ", " "+d.Name+" ") {
				continue
			}
			n := tasks * c.Trials
			b.conversations += n
			if s.Agent == "policyguide" && s.Model == "gpt-5.4" {
				b.calls += float64(n) * p["table14."+d.Name+".policyguide.calls_per_task"]
				b.dollars += float64(n) * p["table14."+d.Name+".policyguide.dollars_per_task"]
			}
		}
	}
	return b
}

// TestReproducingPage holds docs/reproducing.md to the configs, the tables and the paper's figures.
func TestReproducingPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", "reproducing.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	p, err := configs.Published()
	if err != nil {
		t.Fatal(err)
	}
	english := message.NewPrinter(language.English)
	for _, name := range configs.PaperNames() {
		source, err := configs.Paper(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(name+".yaml", source, func(string) string { return "set" })
		if err != nil {
			t.Fatal(err)
		}
		b := billOf(t, c, p)
		want := english.Sprintf("| `%s` | %d | %.0f | %.0f |", configs.PaperPath(name), b.conversations, b.calls, b.dollars)
		if !strings.Contains(page, want) {
			t.Errorf("docs/reproducing.md lacks the line %q", want)
		}
	}
	for _, s := range report.Tables() {
		if s.Number > 0 && !strings.Contains(page, fmt.Sprintf("| %d | `%s` |", s.Number, s.Name)) {
			t.Errorf("docs/reproducing.md does not list table %d as %s", s.Number, s.Name)
		}
	}
}
