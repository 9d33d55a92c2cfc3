package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

// validation is what validate prints.
type validation struct {
	Domain         string          `json:"domain"`
	Findings       []guide.Finding `json:"findings"`
	Errors         int             `json:"errors"`
	Warnings       int             `json:"warnings"`
	Nodes          int             `json:"nodes"`          // of the composed graph; 0 if it does not compose
	Authorizations int             `json:"authorizations"` // nodes
	Evaluated      int             `json:"evaluated"`
	Decidable      int             `json:"decidable"` // evaluated nodes that code alone decides
}

type validateFlags struct {
	data, domain, catalog, failOn string
	asJSON                        bool
}

func validateCommand(p process) *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate DOMAIN|DIR",
		Short: "List what is wrong with a bundle",
		Long: "List what is wrong with a bundle, each finding with its file, line and node, its code, and how to mend it: against the tools, the\n" +
			"language of checks and the requirement catalog of its domain. With --data, the catalog's references to the policy documents in that\n" +
			"folder are checked as well. An error keeps a bundle from being used; exit code 4 if there is one.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return validateBundle(p, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.domain, "domain", "", domainHelp)
	flags.StringVar(&f.data, "data", "embedded", "τ² data folder, or the word embedded")
	flags.StringVar(&f.catalog, "catalog", "", "requirement catalog: a file, or none; default: the domain's own")
	flags.StringVar(&f.failOn, "fail-on", string(guide.Error), "exit with 4 at findings from this severity on: error or warning")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func validateBundle(p process, name string, f validateFlags) error {
	if f.failOn != string(guide.Error) && f.failOn != string(guide.Warning) {
		return usage(fmt.Errorf("--fail-on %s: choose error or warning", f.failOn))
	}
	b, err := openBundle(name)
	v := validation{Domain: name, Findings: []guide.Finding{}}
	var found guide.Findings
	switch {
	case errors.As(err, &found): // it does not load, and nothing more can be said
	case err != nil:
		return err
	default:
		v.Domain = b.Domain
		if found, err = b.validate(f); err != nil && !errors.As(err, &found) {
			return err
		}
		if g, err := guide.Compose(b.Bundle); err == nil {
			v.measure(g)
		}
	}
	for _, x := range found {
		x.File = b.place(x.File)
		v.Findings = append(v.Findings, x)
	}
	v.Errors = len(found.Errors())
	v.Warnings = len(found) - v.Errors
	if err := v.print(p, f.asJSON); err != nil {
		return err
	}
	if v.Errors > 0 || f.failOn == string(guide.Warning) && v.Warnings > 0 {
		return coded{exitThreshold, fmt.Errorf("%s: %d errors, %d warnings", v.Domain, v.Errors, v.Warnings)}
	}
	return nil
}

// validate holds a bundle against everything that the program knows of its domain.
func (s source) validate(f validateFlags) (guide.Findings, error) {
	w, err := s.world(f.data, f.domain, "")
	if err != nil {
		return nil, err
	}
	c := guide.Context{Inventory: guide.InventoryOf(w)}
	if c.Vocabulary, err = checks.For(w.Name); err != nil {
		return nil, err
	}
	if c.Catalog, err = f.openCatalog(w.Name); err != nil {
		return nil, err
	}
	if f.data != "embedded" && f.data != "" {
		docs, err := documents(filepath.Join(f.data, "tau2", "domains", w.Name))
		if err != nil {
			return nil, err
		}
		c.Documents = guide.Documents{"tau2": docs}
	}
	return guide.Validate(s.Bundle, c), nil
}

// openCatalog returns nil where no catalog is wanted. The error of a file that is no catalog is a guide.Findings.
func (f validateFlags) openCatalog(domain string) (*guide.Catalog, error) {
	switch f.catalog {
	case "":
		return guide.ShippedCatalog(domain)
	case "none":
		return nil, nil
	}
	text, err := os.ReadFile(f.catalog)
	if err != nil {
		return nil, usage(fmt.Errorf("--catalog: %w; name a file, or none", err))
	}
	return guide.ParseCatalog(f.catalog, text)
}

// documents reads the policy texts in a folder.
func documents(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("policy document: %w", err)
		}
		out[filepath.Base(f)] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	return out, nil
}

func (v *validation) measure(g *guide.Graph) {
	v.Nodes = len(g.Nodes)
	v.Decidable, v.Evaluated = g.Share()
	for _, n := range g.Nodes {
		if n.Type == guide.Authorization {
			v.Authorizations++
		}
	}
}

func (v *validation) print(p process, asJSON bool) error {
	if asJSON {
		return printJSON(p, v)
	}
	for _, f := range v.Findings {
		fmt.Fprintln(p.stdout, f)
	}
	fmt.Fprintf(p.stdout, "%s: %d errors, %d warnings", v.Domain, v.Errors, v.Warnings)
	if v.Nodes > 0 {
		fmt.Fprintf(p.stdout, "; %d nodes, %d authorizations; code decides %d of %d evaluated nodes", v.Nodes, v.Authorizations, v.Decidable, v.Evaluated)
	}
	fmt.Fprintln(p.stdout)
	return nil
}
