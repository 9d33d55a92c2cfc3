package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/guide/export/svg"
)

func workflowCommand(p process) *cobra.Command {
	cmd := parent("workflow", "Validate, draw, audit and exchange workflow bundles",
		validateCommand(p), renderCommand(p), pdlCommand(p), auditCommand(p), coverageCommand(p), guardCommand(p), importWorkflowCommand(p), exportWorkflowCommand(p), compareWorkflowsCommand(p), diffWorkflowCommand(p))
	cmd.Long = "Work on workflow bundles: a domain's policy written as a workflow, in a folder with a main.yaml and subflows (docs/workflow-commands.md).\n" +
		"DOMAIN is a bundle that is built into the program: " + strings.Join(guide.Shipped(), ", ") + ". DIR is a folder of your own,\n" +
		"named with a path where it has the name of one of these (./airline)."
	return cmd
}

// source is a bundle and where it was read.
type source struct {
	*guide.Bundle
	dir string         // "" for a bundle of the program
	own *domains.World // that the folder has itself; nil if it is for a domain of the program
}

// openBundle reads the bundle of a domain or a folder, and says if it was edited after its publication. A bundle that does
// not load is a guide.Findings.
func openBundle(p process, name string) (source, error) {
	if slices.Contains(guide.Shipped(), name) {
		b, err := guide.LoadShipped(name)
		return source{Bundle: b}, err
	}
	if _, err := os.Stat(name); err != nil {
		return source{}, usage(fmt.Errorf("%s is neither a bundle of the program nor a folder\nhint: name a folder, or one of %s", name, strings.Join(guide.Shipped(), ", ")))
	}
	dir, err := filepath.Abs(name) // so that "." has a name
	if err != nil {
		return source{}, err
	}
	s := source{dir: name}
	if err := s.openOwn(); err != nil {
		return s, err
	}
	if s.Bundle, err = guide.LoadFolder(dir); err != nil {
		return s, err
	}
	if s.own != nil {
		s.Domain = s.own.Name // whatever the folder is called
	}
	if s.Origin != nil && len(s.Origin.Edited) > 0 {
		p.notef("%s: edited after it was published: %s (tauguide workflow diff %s shows how)", name, strings.Join(s.Origin.Edited, ", "), name)
	}
	return s, nil
}

// openOwn opens the domain that the folder has itself.
func (s *source) openOwn() (err error) {
	if described.Described(s.dir) {
		s.own, err = described.Open(s.dir)
	}
	return err
}

// place names the file of a finding as it can be opened from here; those of catalogs have their place already.
func (s source) place(file string) string {
	if s.dir == "" || file != "main.yaml" && !strings.HasPrefix(file, "subflows/") {
		return file
	}
	return filepath.Join(s.dir, filepath.FromSlash(file))
}

const domainHelp = "domain whose tools the bundle is for; default: that of the folder's own tools.yaml, the one that it was written for, or the folder's name"

// world opens the domain that a bundle is for, with the tasks of the split.
func (s source) world(data, domain, split string) (*domains.World, error) {
	if domain == "" && s.own != nil {
		return s.own, nil
	}
	if domain == "" {
		domain = s.Domain
	}
	if _, err := all.Domain(domain); err != nil {
		return nil, fmt.Errorf("--domain: %w", err)
	}
	worlds, err := all.Open(data, []string{domain}, split)
	if err != nil {
		return nil, err
	}
	return worlds[0], nil
}

type renderOptions struct{ format, subflow string }

func (o *renderOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", "md", "md, svg, mermaid or dot")
	f.StringVar(&o.subflow, "subflow", "", "only this file, with those that it uses as boxes; main is the main file")
}

func renderCommand(p process) *cobra.Command {
	var o renderOptions
	cmd := &cobra.Command{
		Use:   "render DOMAIN|DIR",
		Short: "Write a workflow as the document for prompts, or draw it as SVG, Mermaid or DOT",
		Example: "  tauguide workflow render retail\n" +
			"  tauguide workflow render telecom --format svg --subflow main",
		Long: "Write a workflow as md, the document that verifiers are shown, or draw it: as svg, as mermaid, or as dot, Graphviz's language.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runRender(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runRender(ctx context.Context, p process, o renderOptions, name string) error {
	draw, known := map[string]func(export.Picture) (string, error){
		"md":      nil,
		"mermaid": func(pic export.Picture) (string, error) { return export.Mermaid(pic), nil },
		"dot":     func(pic export.Picture) (string, error) { return export.DOT(pic), nil },
		"svg": func(pic export.Picture) (string, error) {
			out, err := svg.Draw(ctx, export.DOT(pic))
			return string(out), err
		},
	}[o.format]
	switch {
	case !known:
		return usage(fmt.Errorf("--format %s is unknown\nhint: choose md, svg, mermaid or dot", o.format))
	case draw == nil && o.subflow != "":
		return usage(fmt.Errorf("--subflow %s: the document for prompts is of the whole workflow\nhint: add --format svg, mermaid or dot", o.subflow))
	}
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	g, err := guide.Compose(b.Bundle)
	if err != nil && o.subflow == "" {
		return err
	}
	if draw == nil {
		p.printf("%s", export.Prompt(g))
		return nil
	}
	var pic export.Picture
	if o.subflow == "" {
		pic = export.Whole(g)
	} else if pic, err = export.OneFile(b.Bundle, o.subflow); err != nil {
		return usage(err)
	}
	text, err := draw(pic)
	if err != nil {
		return err
	}
	p.printf("%s", text)
	return nil
}

type pdlOptions struct{ domain string }

func (o *pdlOptions) AddFlags(f *pflag.FlagSet) { f.StringVar(&o.domain, "domain", "", domainHelp) }

func pdlCommand(p process) *cobra.Command {
	var o pdlOptions
	cmd := &cobra.Command{
		Use:     "pdl DOMAIN|DIR",
		Short:   "Write a workflow as the procedure description of the FlowAgent baseline",
		Example: "  tauguide workflow pdl telecom",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return runPDL(p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runPDL(p process, o pdlOptions, name string) error {
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	w, err := b.world("embedded", o.domain, "")
	if err != nil {
		return err
	}
	d, err := export.CompilePDL(b.Bundle, w.Agent.Specs())
	if err != nil {
		return err
	}
	p.printf("%s", d)
	return nil
}
