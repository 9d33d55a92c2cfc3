package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/terminal"
)

// TestPager: on a terminal a transcript goes through the pager, in colour and as wide as the terminal; without one that
// can be run, or where none is wanted, it goes to the terminal itself.
func TestPager(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, said := command(t, noEnv, "run", "quickstart", "--only", "domain=telecom", "--only", "system=PolicyGuide-strict", "--only", "task=no-topup-left", "--trials", "1"); code != exitOK {
		t.Fatal(said)
	}
	args := []string{"show", filepath.Join("results", "quickstart"), "no-topup-left/0"}
	for _, c := range []struct {
		name, pager string
		more        []string
		paged       bool
	}{
		{"one of one's own", "sed 's/^/| /'", nil, true},
		{"none wanted", "sed 's/^/| /'", []string{"--no-pager"}, false},
		{"none of that name", "no-such-pager", nil, false},
		{"one that has seen enough", "head -n 1 | sed 's/^/| /'", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PAGER", c.pager)
			shown := strings.ReplaceAll(onScreen(t, 80, 24, append(args, c.more...)...), "\r\n", "\n")
			if paged := strings.Contains(shown, "| \x1b[1mtelecom/PolicyGuide-strict/no-topup-left/0\x1b[m\n"); paged != c.paged {
				t.Errorf("through the pager: %v, want %v:\n%s", paged, c.paged, shown)
			}
			for line := range strings.SplitSeq(shown, "\n") {
				if n := terminal.Columns(strings.TrimPrefix(line, "| ")); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			if whole := strings.Contains(shown, "GATE") && strings.Contains(shown, "reward: 1"); whole == strings.Contains(c.pager, "head") {
				t.Errorf("all is there: %v\n%s", whole, shown)
			}
		})
	}
}
