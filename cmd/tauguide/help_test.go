package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/terminal"
)

// everyCommand lists a command and those below it.
func everyCommand(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, below := range c.Commands() {
		out = append(out, everyCommand(below)...)
	}
	return out
}

// TestExamples runs the examples of every command's help, each command's in a folder of its own that has what they name: a
// run, a τ²-bench result, and workflows. Runs are of two tasks of each domain.
func TestExamples(t *testing.T) {
	repository := domaintest.Root(t)
	material := t.TempDir()
	t.Chdir(material)
	for _, args := range []string{
		"run quickstart --only system=ReAct,PolicyGuide --limit 2 --trials 2",
		"export tau2 results/quickstart --domain retail --system ReAct --out results.json",
		"author workflow mock --synthetic --out desk",
		"workflow export airline --out released",
	} {
		if code, _, said := command(t, noEnv, strings.Fields(args)...); code != exitOK {
			t.Fatalf("tauguide %s: exit code %d: %s", args, code, said)
		}
	}
	for name, from := range map[string]string{"configs": "configs", "retail": filepath.Join("guide", "bundles", "retail")} {
		if err := os.CopyFS(name, os.DirFS(filepath.Join(repository, from))); err != nil {
			t.Fatal(err)
		}
	}
	count := 0
	for _, c := range everyCommand(root(process{stdout: io.Discard, stderr: io.Discard, env: noEnv})) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			if c.Example == "" {
				t.Fatal("its help has no example")
			}
			if c.HasSubCommands() && c.HasParent() {
				return // it has the first one of each command below it
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(material)); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			if c.Name() == "run" || !c.HasParent() {
				if err := os.RemoveAll("results"); err != nil {
					t.Fatal(err)
				}
			}
			for line := range strings.SplitSeq(c.Example, "\n") {
				example(t, line)
				count++
			}
		})
	}
	if count < 40 {
		t.Errorf("only %d examples were found", count)
	}
}

// example runs a line of a help text. A command that serves is left running.
func example(t *testing.T, line string) {
	t.Helper()
	_, words, ok := strings.Cut(strings.TrimSuffix(line, ")"), "tauguide ")
	if !ok {
		t.Fatalf("%q is no command", line)
	}
	words, _, _ = strings.Cut(words, " > ")
	args := strings.Fields(words)
	if serves := args[0] == "serve-models" || args[0] == "view" && !slices.Contains(args, "--export"); serves {
		background(t, noEnv, args...)
		return
	}
	if args[0] == "run" {
		args = append(args, "--limit", "2")
	}
	code, stdout, stderr := command(t, variables(map[string]string{"OPENAI_API_KEY": "none is asked"}), args...)
	if code != exitOK {
		t.Errorf("%s: exit code %d\n%s%s", line, code, stdout, stderr)
	}
	if stdout == "" {
		t.Errorf("%s prints nothing", line)
	}
}

// TestExitCodesPage holds docs/exit-codes.md to the codes of the program, and to the commands whose help speaks of a
// threshold.
func TestExitCodesPage(t *testing.T) {
	read := func(parts ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{domaintest.Root(t)}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	find := func(pattern, text string) (out []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return out
	}
	page := read("docs", "exit-codes.md")
	codes := find(`(?m)^\texit[A-Z]\w+ += (\d+)$`, read("cmd", "tauguide", "root.go"))
	if len(codes) < 6 {
		t.Fatalf("only the codes %v were found in root.go", codes)
	}
	if diff := cmp.Diff(codes, find(`(?m)^\| (\d+) \|`, page)); diff != "" {
		t.Errorf("the page does not have the program's codes (-program +page):\n%s", diff)
	}
	if diff := cmp.Diff(codes, find(`\b(\d+) [a-z]`, exitHelp)); diff != "" {
		t.Errorf("nor has the help (-program +help):\n%s", diff)
	}
	var speak []string
	for _, c := range everyCommand(root(process{stdout: io.Discard, stderr: io.Discard, env: noEnv})) {
		if text := c.Long + c.Flags().FlagUsages(); strings.Contains(text, "Exit code 4") || strings.Contains(text, "exit with 4") {
			speak = append(speak, strings.TrimPrefix(c.CommandPath(), "tauguide "))
		}
	}
	slices.Sort(speak)
	if diff := cmp.Diff(speak, find("(?m)^\\| `([a-z ]+?)(?: --[a-z-]+ [A-Z]+)?` \\|", page)); diff != "" {
		t.Errorf("the page does not have the commands with thresholds (-help +page):\n%s", diff)
	}
}

// TestCompletion asks as a shell does.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, said := command(t, noEnv, "run", "quickstart", "--only", "domain=retail", "--only", "system=ReAct,Noop", "--limit", "1", "--trials", "2"); code != exitOK {
		t.Fatal(said)
	}
	run := filepath.Join("results", "quickstart")
	for _, c := range []struct {
		args string // behind which the last is begun
		want []string
		not  string
	}{
		{"tab", []string{"tables"}, "show"},
		{"comp", []string{"compare", "completion"}, "run"},
		{"workflow gu", []string{"guard"}, "audit"},
		{"tables res", []string{run}, "quickstart.yaml"},
		{"tables " + run + " res", []string{run}, ""}, // several may be named
		{"plots " + run + " res", []string{run}, ""},
		{"author workflow m", []string{"mock"}, ""},
		{"show " + run + " retail/ReAct/", []string{"retail/ReAct/cancel-gift-card-order/0", "retail/ReAct/cancel-gift-card-order/1"}, "Noop"},
		{"show " + run + " key res", nil, run}, // and one key only
		{"show " + run + " --system ", []string{"ReAct", "Noop"}, "retail"},
		{"compare res", []string{run + ":ReAct"}, ""},
		{"run qui", []string{"quickstart"}, "paper"},
		{"run --only sys", []string{"system="}, "domain="},
		{"run quickstart --only system=R", []string{"system=ReAct"}, "system=Noop"},
		{"tables --table pass", []string{"pass", "pass-k"}, "nmr"},
		{"plots --figure ", []string{"figure4-pass-k"}, ""},
		{"domains show m", []string{"mock"}, "retail"},
		{"workflow render ret", []string{"retail"}, "mock"},
		{"export tau2 " + run + " --domain a", []string{"airline"}, "mock"},
		{"completion z", []string{"zsh"}, "bash"},
		{"compare " + run, []string{run, run + ":Noop"}, ""},
		{"compare " + run + " ", []string{"ReAct", "Noop"}, run + ":ReAct"},
		{"compare " + run + " ReAct N", []string{"Noop"}, "ReAct"},
		{"compare " + run + ":ReAct res", []string{run + ":Noop"}, "Noop"},
		{"tables " + run + " --table pass,ov", []string{"pass,overview"}, "pass,pass"},
		{"run quickstart --only system=ReAct,No", []string{"system=ReAct,Noop"}, ""},
		{"show " + run + " --task can", []string{"cancel-gift-card-order"}, ""},
		{"runs --color n", []string{"never"}, "auto"},
	} {
		code, out, _ := command(t, noEnv, append([]string{"__complete"}, strings.Split(c.args, " ")...)...)
		if code != exitOK {
			t.Errorf("%s: exit code %d", c.args, code)
		}
		var names []string
		for line := range strings.SplitSeq(out, "\n") {
			name, _, _ := strings.Cut(line, "\t")
			names = append(names, name)
		}
		for _, want := range c.want {
			if !slices.Contains(names, want) {
				t.Errorf("%s: %q is missing in %q", c.args, want, names)
			}
		}
		if slices.Contains(names, c.not) && c.not != "" {
			t.Errorf("%s: %q is offered", c.args, c.not)
		}
	}
}

// TestHelpFitsItsPage: no line of a help text is longer than the width given but an example's, which is copied, and help on
// what there is not is an error.
func TestHelpFitsItsPage(t *testing.T) {
	narrow := variables(map[string]string{"COLUMNS": "60"})
	for _, c := range everyCommand(root(process{stdout: io.Discard, stderr: io.Discard, env: noEnv})) {
		path := strings.Fields(c.CommandPath())[1:]
		code, out, _ := command(t, narrow, append(slices.Clone(path), "--help")...)
		before, rest, _ := strings.Cut(out, "\nExamples:\n")
		_, after, _ := strings.Cut(rest, "\n\n")
		for line := range strings.SplitSeq(before+"\n"+after, "\n") {
			if terminal.Columns(line) > 60 {
				t.Errorf("%s: %q", c.CommandPath(), line)
			}
		}
		if _, wide, _ := command(t, noEnv, append(path, "--help")...); code != exitOK || !strings.Contains(wide, "\nExamples:\n"+c.Example+"\n") {
			t.Errorf("%s: exit code %d, or no examples in\n%s", c.CommandPath(), code, wide)
		}
	}
	for args, want := range map[string]string{"help tabels": `did you mean "tables"`, "help workflow validat": `did you mean "validate"`} {
		if code, out, said := command(t, noEnv, strings.Fields(args)...); code != exitUsage || out != "" || !strings.Contains(said, want) {
			t.Errorf("%s: exit code %d\n%s%s", args, code, out, said)
		}
	}
}
