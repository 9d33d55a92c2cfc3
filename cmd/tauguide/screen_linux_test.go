package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/view"
)

// moving are the parts of a screen that no two runs share: the last progress line, and how long it took.
var moving = regexp.MustCompile(`(?m)^(\d+/\d+), .*$|, \d+ run now, in [^\n]*$`)

// still is a screen as it stays: what was drawn over is gone, and so is what no two runs share.
func still(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = text[strings.LastIndex(text, "\r")+1:]
	return moving.ReplaceAllString(text, "…")
}

// onScreen runs the program on a terminal of that size.
func onScreen(t *testing.T, columns, lines uint16, args ...string) (shown string) {
	t.Helper()
	tty, text := runtest.Terminal(t, columns, lines)
	cmd := exec.Command(program(t), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(os.Environ(), "TERM=xterm", "CI=", "NO_COLOR=", "CLICOLOR_FORCE=", "COLUMNS=")
	err := cmd.Run()
	shown = text()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, shown)
	}
	return shown
}

func goldenScreen(t *testing.T, file, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\x1b", "␛")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", filepath.Base(file), diff)
	}
}

// TestFirstCommand runs the README's first command on terminals of three sizes and piped. Without -long, all but the first
// find the trials done, which changes no more than the progress line.
func TestFirstCommand(t *testing.T) {
	root := domaintest.Root(t)
	screens := filepath.Join(root, "cmd", "tauguide", "testdata", "screens")
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "configs"), "configs"); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "configs/quickstart.yaml"}
	for i, size := range [][2]uint16{{80, 40}, {80, 24}, {120, 40}} {
		shown := onScreen(t, size[0], size[1], args...)
		if i == 0 && !strings.HasPrefix(strings.TrimLeft(shown, "\r"), "0/1408, ") {
			t.Errorf("nothing moves at the start: %.200q", shown)
		}
		screen := still(shown)
		lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
		for _, l := range lines {
			if n := terminal.Columns(l); n > int(size[0]) {
				t.Errorf("%d of %d columns: %s", n, size[0], l)
			}
		}
		if size[1] >= 40 && len(lines) >= int(size[1]) { // the prompt needs a line
			t.Errorf("%d lines do not fit a screen of %d", len(lines), size[1])
		}
		goldenScreen(t, filepath.Join(screens, fmt.Sprintf("first-%dx%d.txt", size[0], size[1])), screen)
		args = []string{"run", "configs/quickstart.yaml", "--resume"}
		if *long {
			args[2] = "--fresh"
		}
	}
	readmeShows(t, filepath.Join(root, "README.md"), filepath.Join(screens, "first-80x40.txt"))
	code, stdout, stderr := command(t, noEnv, args...)
	if code != exitOK || strings.Contains(stdout+stderr, "\x1b") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	goldenScreen(t, filepath.Join(screens, "first-piped.txt"), stdout)
	goldenScreen(t, filepath.Join(screens, "first-piped-stderr.txt"), still(stderr))
	_, steps, _ := strings.Cut(stderr, "next:\n")
	steps, address, _ := strings.Cut(steps, "  http://")
	if strings.Count(steps, "\n") != 4 {
		t.Errorf("next steps:\n%s", steps)
	}
	for line := range strings.Lines(steps) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)[1:]
		if words[0] == "view" {
			background(t, noEnv, words...)
			site, err := view.Open(words[1:], noEnv)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			site.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://"+strings.TrimSpace(address), nil))
			if !strings.HasPrefix(address, view.DefaultAddr+"/") || w.Code != http.StatusOK {
				t.Errorf("the address of the last line, %q: status %d", address, w.Code)
			}
		} else if code, stdout, stderr := command(t, noEnv, words...); code != exitOK || stdout == "" {
			t.Errorf("%v: exit code %d: %s", words, code, stderr)
		}
	}
	code, stdout, stderr = command(t, noEnv, append(args, "--quiet")...)
	if code != exitOK || stderr != "" || !strings.HasPrefix(stdout, "Pass^1") {
		t.Errorf("quiet: exit code %d\n%s%s", code, stdout, stderr)
	}
	_, stdout, _ = command(t, noEnv, append(args, "--full")...)
	for _, want := range []string{"Pass^1 and Pass^4 in %", "Pass^k (", "Model calls by role", "config 85", "│ Mut   │"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("--full lacks %q", want)
		}
	}
}

// readmeShows compares the README's sample output with the real one, up to the next steps, which hang on how the program was
// started.
func readmeShows(t *testing.T, readme, screen string) {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(screen)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```text\n")
	sample, _, _ := strings.Cut(rest, "```\n")
	before, _, _ := strings.Cut(string(want), "␛[36mnext:")
	plain := regexp.MustCompile(`␛\[[0-9;]*m`).ReplaceAllString(before, "")
	if diff := cmp.Diff(plain, still(sample)); diff != "" {
		t.Errorf("the README's sample output is not the real one (-want +got):\n%s", diff)
	}
}

// TestTextsFitTheTerminal: no line of any table of a run, or of an imported one, is longer than COLUMNS says; nor are others.
func TestTextsFitTheTerminal(t *testing.T) {
	root := domaintest.Root(t)
	run := filepath.Join(t.TempDir(), "run")
	config := filepath.Join(root, "configs", "quickstart.yaml")
	if code, _, stderr := command(t, noEnv, "run", config, "--limit", "2", "--trials", "1", "--out", run); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	imported, _ := importedRun(t, written(t, "a.json", recordedResult(wantsTask, `"num_trials": 1`, `"num_trials": 4`)))
	lines := [][]string{{"run", config, "--dry-run"}, {"domains", "list"}, {"domains", "check"}, {"workflow", "audit", "airline"}, {"workflow", "validate", "airline"},
		{"workflow", "compare", "airline", "airline"}, {"toolguard"}, {"probe", config}}
	for _, dir := range []string{run, imported} {
		lines = append(lines, []string{"tables", dir, "--table", "all,pass,calls,answers,verifiers,overview,guard-ablations"},
			[]string{"tables", dir, "--table", "1,4", "--published", "--provenance"})
	}
	for _, args := range lines {
		for _, width := range []int{60, 80, 100, 120, 200} {
			code, stdout, stderr := command(t, variables(map[string]string{"COLUMNS": fmt.Sprint(width)}), args...)
			if code != exitOK {
				t.Fatalf("%v: exit code %d: %s", args, code, stderr)
			}
			for line := range strings.Lines(stdout) {
				if n := terminal.Columns(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%v: %d of %d columns: %s", args, n, width, line)
				}
			}
		}
	}
}

// TestInvoked: commands are printed as they can be typed again.
func TestInvoked(t *testing.T) {
	for arg0, want := range map[string]string{"tauguide": "tauguide view x", "./tauguide": "./tauguide view x",
		"/tmp/go-build1/b001/exe/tauguide": "go run ./cmd/tauguide view x"} {
		if got := (process{name: invoked(arg0)}).command("tauguide view x"); got != want {
			t.Errorf("started as %s: %s, want %s", arg0, got, want)
		}
	}
}
