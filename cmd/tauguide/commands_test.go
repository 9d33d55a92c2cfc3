package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// quoted are command lines as pages have them: within a line, or as a line of a code block.
var quoted = regexp.MustCompile("`(tauguide [^`]+)`|(?m)^ *(?:go run \\./cmd/)?(tauguide [a-z].*?)(?: +#.*)?$")

// TestNamedCommandsExist follows every command line that README and docs/ name: command and flags exist. Words in
// capitals stand for arguments.
func TestNamedCommandsExist(t *testing.T) {
	count := 0
	for _, file := range pages(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.NewReplacer("\\\n", " ", "`tauguide\n", "`tauguide ", "\n--", " --").Replace(string(text))
		for _, m := range quoted.FindAllStringSubmatch(lines, -1) {
			words := strings.Fields(m[1] + m[2])[1:]
			if words[0] == "…" || words[0] == "COMMAND" {
				continue
			}
			count++
			c, rest, err := root(process{stdout: io.Discard, stderr: io.Discard, env: noEnv}).Find(words)
			if err != nil || !c.HasParent() && !strings.HasPrefix(words[0], "-") {
				t.Errorf("%s: tauguide %s: there is no such command", file, strings.Join(words, " "))
				continue
			}
			c.InitDefaultHelpFlag()
			for _, word := range rest {
				name, isFlag := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(name, "=")
				if isFlag && c.Flag(strings.TrimRight(name, ".,;)")) == nil {
					t.Errorf("%s: tauguide %s: the command has no flag --%s", file, strings.Join(words, " "), name)
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d commands are named", count)
	}
}

// TestCommandsPage names every command.
func TestCommandsPage(t *testing.T) {
	text, err := os.ReadFile(domaintest.Root(t) + "/docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	all := everyCommand(root(process{stdout: io.Discard, stderr: io.Discard, env: noEnv}))
	for _, c := range slices.DeleteFunc(all, func(c *cobra.Command) bool { return c.HasSubCommands() || c.Name() == "help" }) {
		if !regexp.MustCompile("`" + c.CommandPath() + "[ `]").Match(text) {
			t.Errorf("docs/commands.md does not say what %s is for", c.CommandPath())
		}
	}
}
