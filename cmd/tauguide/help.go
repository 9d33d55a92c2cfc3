package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/terminal"
)

// help prints what a command does, for the width of the page. Examples are copied and stay as they are.
func help(p process) func(*cobra.Command, []string) {
	return func(c *cobra.Command, _ []string) {
		about := c.Long
		if about == "" {
			about = c.Short
		}
		if p.out.Width > 0 {
			about = unfold(about)
		}
		prose, examples := p.out.Prose(), false
		for line := range strings.Lines(about + "\n\n" + c.UsageString()) {
			examples = line == "Examples:\n" || examples && line != "\n"
			to := prose
			if examples {
				to = p.out
			}
			_, _ = io.WriteString(to, line)
		}
	}
}

// unfold makes one line of each paragraph; lists, whose lines are indented or short, stay as they are.
func unfold(text string) string {
	lines := strings.Split(text, "\n")
	out := lines[0]
	for i, line := range lines[1:] {
		between := "\n"
		if before := lines[i]; terminal.Columns(before) > 80 && line != "" && !strings.HasPrefix(before, " ") && !strings.HasPrefix(line, " ") {
			between = " "
		}
		out += between + line
	}
	return out
}

// helpCommand is help as a command, which knows a name that there is not.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Help about any command",
		Example: "  tauguide help run",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			if err == nil && c.HasSubCommands() {
				err = noSuch(c, rest)
			}
			if err != nil {
				return usage(err)
			}
			return c.Help()
		},
	}
}
