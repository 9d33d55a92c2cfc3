package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/guide"
)

func diffWorkflowCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:     "diff DIR",
		Short:   "Show what was changed in a workflow since a model wrote it",
		Example: "  tauguide workflow diff ./desk",
		Long: "Show what was changed by hand in a workflow that tauguide author workflow wrote, as a unified diff from the published files, which are\n" +
			"kept in authoring/published. Comments, white space and the order of keys do not count.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runDiffWorkflow(p, args[0]) },
	}
}

func runDiffWorkflow(p process, name string) error {
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	if b.dir == "" {
		return usage(fmt.Errorf("%s is built into the program\nhint: name a folder that tauguide author workflow wrote", name))
	}
	published, err := guide.LoadPublished(os.DirFS(b.dir), b.Domain)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if diff := guide.Diff(published, b.Bundle); diff != "" {
		p.printf("%s", diff)
	} else {
		p.printf("%s: nothing was changed since it was published\n", name)
	}
	return nil
}
