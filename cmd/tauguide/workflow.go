package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/guide/export/svg"
)

func workflowCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workflow",
		Short: "Validate, draw, audit and exchange workflow bundles",
		Long: "Work on workflow bundles: a domain's policy written as a workflow, in a folder with a main.yaml and subflows (docs/workflows.md).\n" +
			"DOMAIN is a bundle that is built into the program: " + strings.Join(guide.Shipped(), ", ") + ". DIR is a folder of your own,\n" +
			"named with a path where it has the name of one of these (./airline).",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(validateCommand(p), renderCommand(p), pdlCommand(p), auditCommand(p), coverageCommand(p), importWorkflowCommand(p), exportWorkflowCommand(p))
	return cmd
}

// source is a bundle and where it was read.
type source struct {
	*guide.Bundle
	dir string // "" for a bundle of the program
}

// openBundle reads the bundle of a domain or a folder. A bundle that does not load is a guide.Findings.
func openBundle(name string) (source, error) {
	if slices.Contains(guide.Shipped(), name) {
		b, err := guide.LoadShipped(name)
		return source{b, ""}, err
	}
	if _, err := os.Stat(name); err != nil {
		return source{}, usage(fmt.Errorf("%s is neither a bundle of the program (%s) nor a folder", name, strings.Join(guide.Shipped(), ", ")))
	}
	dir, err := filepath.Abs(name) // so that "." has a name
	if err != nil {
		return source{}, err
	}
	b, err := guide.LoadFolder(dir)
	return source{b, name}, err
}

// place names the file of a finding as it can be opened from here; those of catalogs have their place already.
func (s source) place(file string) string {
	if s.dir == "" || file != "main.yaml" && !strings.HasPrefix(file, "subflows/") {
		return file
	}
	return filepath.Join(s.dir, filepath.FromSlash(file))
}

const domainHelp = "domain whose tools the bundle is for; default: the folder's name"

// world opens the domain that a bundle is for, with the tasks of the split.
func (s source) world(data, domain, split string) (*domains.World, error) {
	if domain == "" {
		domain = s.Domain
	}
	if _, err := all.Domain(domain); err != nil {
		return nil, usage(fmt.Errorf("%w, with --domain", err))
	}
	worlds, err := openSplit(data, []string{domain}, split)
	if err != nil {
		return nil, err
	}
	return worlds[0], nil
}

func renderCommand(p process) *cobra.Command {
	var format, subflow string
	cmd := &cobra.Command{
		Use:   "render DOMAIN|DIR",
		Short: "Write a workflow as the document for prompts, or draw it as SVG, Mermaid or DOT",
		Long:  "Write a workflow as md, the document that verifiers are shown, or draw it: as svg, as mermaid, or as dot, Graphviz's language.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return renderWorkflow(cmd.Context(), p, args[0], format, subflow)
		},
	}
	cmd.Flags().StringVar(&format, "format", "md", "md, svg, mermaid or dot")
	cmd.Flags().StringVar(&subflow, "subflow", "", "only this file, with those that it uses as boxes; main is the main file")
	return cmd
}

func renderWorkflow(ctx context.Context, p process, name, format, subflow string) error {
	draw, known := map[string]func(context.Context, export.Picture) (string, error){
		"md":      nil,
		"mermaid": func(_ context.Context, pic export.Picture) (string, error) { return export.Mermaid(pic), nil },
		"dot":     func(_ context.Context, pic export.Picture) (string, error) { return export.DOT(pic), nil },
		"svg": func(ctx context.Context, pic export.Picture) (string, error) {
			out, err := svg.Draw(ctx, export.DOT(pic))
			return string(out), err
		},
	}[format]
	switch {
	case !known:
		return usage(fmt.Errorf("--format %s is unknown\nhint: choose md, svg, mermaid or dot", format))
	case draw == nil && subflow != "":
		return usage(fmt.Errorf("--subflow %s: the document for prompts is of the whole workflow\nhint: add --format svg, mermaid or dot", subflow))
	}
	b, err := openBundle(name)
	if err != nil {
		return err
	}
	g, err := guide.Compose(b.Bundle)
	if err != nil && subflow == "" {
		return err
	}
	if draw == nil {
		fmt.Fprint(p.stdout, export.Prompt(g))
		return nil
	}
	var pic export.Picture
	if subflow == "" {
		pic = export.Whole(g)
	} else if pic, err = export.OneFile(b.Bundle, subflow); err != nil {
		return usage(err)
	}
	text, err := draw(ctx, pic)
	if err != nil {
		return err
	}
	fmt.Fprint(p.stdout, text)
	return nil
}

func pdlCommand(p process) *cobra.Command {
	var domain string
	cmd := &cobra.Command{
		Use:   "pdl DOMAIN|DIR",
		Short: "Write a workflow as the procedure description of the FlowAgent baseline",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := openBundle(args[0])
			if err != nil {
				return err
			}
			w, err := b.world("embedded", domain, "")
			if err != nil {
				return err
			}
			d, err := export.CompilePDL(b.Bundle, w.Agent.Specs())
			if err != nil {
				return err
			}
			fmt.Fprint(p.stdout, d)
			return nil
		},
	}
	cmd.Flags().StringVar(&domain, "domain", "", domainHelp)
	return cmd
}
