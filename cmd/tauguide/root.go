package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/terminal"
)

// Exit codes, the same for every command.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitThreshold   = 4
	exitInterrupted = 130
)

const exitHelp = `Exit codes: 0 ok, 1 error, 2 bad usage or config, 3 run incomplete (some trials void or unscored),
4 threshold failed, 130 interrupted (finished trials are kept).`

// coded is an error with an exit code of its own.
type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

// usage marks an error as bad usage or a bad config.
func usage(err error) error { return domains.Usage(err) }

// exitCode is what the program ends with.
func exitCode(err error) int {
	var c coded
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, domains.ErrUsage):
		return exitUsage
	}
	return exitError
}

// run executes one command line and returns the exit code. Data goes to stdout, everything else to stderr; what steers
// terminals reaches neither, whoever wrote it.
func run(ctx context.Context, p process) int {
	p.out, p.err = terminal.New(p.stdout, p.env), terminal.New(p.stderr, p.env)
	p.stdout, p.stderr = p.out, p.err
	p.live = terminal.New(p.progress, p.env)
	cmd := root(p)
	cmd.SetArgs(p.args)
	cmd.SetOut(p.stdout)
	cmd.SetErr(p.stderr)
	err := cmd.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		p.note("tauguide: " + err.Error())
	}
	return exitCode(err)
}

func root(p process) *cobra.Command {
	cmd := parent("tauguide", "Experiments with policy-compliant customer-service agents",
		runCommand(p), runsCommand(p), scoreCommand(p), tablesCommand(p), plotsCommand(p), compareCommand(p), powerCommand(p), showCommand(p), domainsCommand(p), importCommand(p), exportCommand(p), workflowCommand(p),
		toolguardCommand(p), authorCommand(p), serveModelsCommand(p), probeCommand(p), viewCommand(p), completionCommand(p))
	cmd.Long = "tauguide runs customer-service agents against simulated users in the airline, retail, telecom and mock domains,\n" +
		"scores them, and reports on them.\n\n" + exitHelp
	cmd.Example = "  tauguide run quickstart\n  tauguide tables results/quickstart --table pass-k\n  tauguide show results/quickstart --failed\n  tauguide view"
	cmd.Version = version()
	cmd.PersistentFlags().Var(terminal.Color{p.out, p.err, p.live}, "color", "colours: auto, always or never; auto looks at the terminal, NO_COLOR and CLICOLOR_FORCE")
	cmd.SilenceUsage = true
	cmd.SilenceErrors = true
	cmd.CompletionOptions.DisableDefaultCmd = true // there is our own
	cmd.SetFlagErrorFunc(seeHelp)
	cmd.SetHelpFunc(help(p))
	cmd.SetHelpCommand(helpCommand())
	checkArgs(cmd)
	complete(p, cmd)
	return cmd
}

// parent is a command that only has commands.
func parent(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  noSuch,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	var examples []string
	for _, c := range commands {
		first, _, _ := strings.Cut(c.Example, "\n")
		examples = append(examples, first)
	}
	cmd.Example = strings.Join(examples, "\n")
	return cmd
}

// noSuch refuses what is no command below this one.
func noSuch(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q of %s\nhint: %s", args[0], cmd.CommandPath(), yamlfile.Suggest(args[0], names))
}

// checkArgs makes wrong arguments bad usage, for a command and those below it.
func checkArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return seeHelp(cmd, err)
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		checkArgs(sub)
	}
}

// seeHelp ends an error with how the command is written, unless it says already what to do, or means a flag that there is.
func seeHelp(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	switch {
	case strings.Contains(err.Error(), "\nhint: "):
		return usage(err)
	case errors.As(err, &unknown):
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		if near := yamlfile.Nearest(unknown.GetSpecifiedName(), flags); near != "" {
			return usage(fmt.Errorf("%w\nhint: did you mean --%s?", err, near))
		}
	}
	return usage(fmt.Errorf("%w\nhint: write it as %s; %s --help tells more", err, strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath()))
}

// released is the version of a released program, which scripts/release sets.
var released string

// version is that of a release, or the module version that the binary was built from, with the commit where it is known.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := strings.Trim(info.Main.Version, "()")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " (" + s.Value + ")"
		}
	}
	return v
}
