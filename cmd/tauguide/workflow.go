package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/tauguide/tauguide/runs/report/figure"
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

type renderOptions struct {
	format, subflow, out string
	expand               []string
	print                printOptions
}

func (o *renderOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", "md", "md, or a drawing: "+strings.Join(drawings(), ", "))
	f.StringVar(&o.subflow, "subflow", "", "only this file, with those that it uses as boxes; main is the main file")
	f.StringSliceVar(&o.expand, "expand", nil, "draw the way to these branches of the classifier, or anchors, and all other branches as one box, as the paper does")
	f.StringVar(&o.out, "out", "", "file to write instead of standard output; its name is printed")
	o.print.AddFlags(f)
}

func renderCommand(p process) *cobra.Command {
	var o renderOptions
	cmd := &cobra.Command{
		Use:   "render DOMAIN|DIR",
		Short: "Write a workflow as the document for prompts, or draw it",
		Example: "  tauguide workflow render retail\n" +
			"  tauguide workflow render telecom --format svg --subflow main\n" +
			"  tauguide workflow render airline --format pdf --expand identify,book,book.agree --out figure12.pdf",
		Long: "Write a workflow as md, the document that verifiers are shown, or draw it: as svg, pdf or png, as mermaid, or as dot, Graphviz's\n" +
			"language. --expand draws it like Figures 12 to 14 of the paper: the way to the classifier, the branches that are named, and one\n" +
			"box for the others. What it is of is in the metadata of svg, pdf and png.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runRender(cmd.Context(), p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

// drawings are the formats of render that are drawings.
func drawings() []string {
	out := []string{"mermaid", "dot"}
	for _, f := range figure.Formats() {
		out = append(out, string(f))
	}
	return out
}

func runRender(ctx context.Context, p process, o renderOptions, name string) error {
	options, err := o.print.options()
	drawn := slices.Contains(drawings(), o.format)
	switch {
	case err != nil:
		return usage(err)
	case !drawn && o.format != "md":
		return usage(fmt.Errorf("--format %s is unknown\nhint: choose md or one of %s", o.format, strings.Join(drawings(), ", ")))
	case !drawn && (o.subflow != "" || len(o.expand) > 0):
		return usage(fmt.Errorf("--subflow and --expand are for drawings: the document for prompts is of the whole workflow\nhint: add --format with one of %s", strings.Join(drawings(), ", ")))
	case o.subflow != "" && len(o.expand) > 0:
		return usage(errors.New("--subflow draws one file, and --expand the whole workflow\nhint: leave one of them out"))
	case o.out == "" && (o.format == string(figure.PDF) || o.format == string(figure.PNG)):
		return usage(fmt.Errorf("--format %s is not for standard output\nhint: name a file with --out", o.format))
	}
	b, err := openBundle(p, name)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := o.render(ctx, &text, b, options); err != nil {
		return err
	}
	if o.out == "" {
		p.printf("%s", text.String())
		return nil
	}
	if err := writeTo(o.out, func(w io.Writer) error { _, err := text.WriteTo(w); return err }); err != nil {
		return err
	}
	p.printf("%s\n", o.out)
	return nil
}

func (o *renderOptions) render(ctx context.Context, w io.Writer, b source, options figure.Options) error {
	g, err := guide.Compose(b.Bundle)
	if err != nil && o.subflow == "" {
		return err
	}
	var pic export.Picture
	switch {
	case o.subflow != "":
		pic, err = export.OneFile(b.Bundle, o.subflow)
	case len(o.expand) > 0:
		pic, err = export.Expanded(b.Bundle, g, o.expand)
	default:
		pic = export.Whole(g)
	}
	if err != nil {
		return usage(err)
	}
	switch o.format {
	case "md":
		_, err = io.WriteString(w, export.Prompt(g))
	case "mermaid":
		_, err = io.WriteString(w, export.Mermaid(pic))
	case "dot":
		_, err = io.WriteString(w, export.DOT(pic))
	default:
		f := figure.Workflow{Picture: pic, Origin: []string{fmt.Sprintf("workflow of %s, hash %s", b.Domain, b.Hash())}}
		if b.Origin != nil {
			f.Origin = append(f.Origin, "written by "+b.Origin.Model)
			if b.Origin.Synthetic {
				f.Scripted = "synthetic"
			}
		}
		err = f.Write(ctx, w, figure.Format(o.format), options)
	}
	return err
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
