package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

type validateOptions struct {
	data, domain, catalog, failOn string
	json                          bool
}

func (o *validateOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.domain, "domain", "", domainHelp)
	f.StringVar(&o.data, "data", "embedded", "τ² data folder, or the word embedded")
	f.StringVar(&o.catalog, "catalog", "", "requirement catalog: a file, or none; default: the domain's own")
	f.StringVar(&o.failOn, "fail-on", string(guide.Error), "exit with 4 at findings from this severity on: error or warning")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func validateCommand(p process) *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate DOMAIN|DIR",
		Short: "List what is wrong with a bundle",
		Example: "  tauguide workflow validate retail\n" +
			"  tauguide workflow validate ./retail",
		Long: "List what is wrong with a bundle, each finding with its file, line and node, its code, and how to mend it: against the tools, the\n" +
			"language of checks and the requirement catalog of its domain. Lines that nodes cite are looked for in the policy that stands beside\n" +
			"the bundle, in policy/ or authoring/policy/. With --data, the catalog's references to the policy documents in that folder are checked\n" +
			"as well. An error keeps a bundle from being used; exit code 4 if there is one.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runValidate(p, o, args[0]) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runValidate(p process, o validateOptions, name string) error {
	if o.failOn != string(guide.Error) && o.failOn != string(guide.Warning) {
		return usage(fmt.Errorf("--fail-on %s is no severity\nhint: choose error or warning", o.failOn))
	}
	b, err := openBundle(p, name)
	v := guide.Validation{Domain: name, Findings: []guide.Finding{}}
	var found guide.Findings
	switch {
	case errors.As(err, &found): // it does not load, and nothing more can be said
	case err != nil:
		return err
	default:
		v.Domain = b.Domain
		if b.Origin != nil {
			v.Edited = b.Origin.Edited
		}
		if found, err = b.validate(o); err != nil && !errors.As(err, &found) {
			return err
		}
		if g, err := guide.Compose(b.Bundle); err == nil {
			v.Measure(g)
		}
	}
	for _, x := range found {
		x.File = b.place(x.File)
		v.Findings = append(v.Findings, x)
	}
	v.Errors = len(found.Errors())
	v.Warnings = len(found) - v.Errors
	if !o.json {
		v.Print(p.out.Prose())
	} else if err := p.json(v); err != nil {
		return err
	}
	if v.Errors > 0 || o.failOn == string(guide.Warning) && v.Warnings > 0 {
		return coded{exitThreshold, fmt.Errorf("%s: %d errors, %d warnings", v.Domain, v.Errors, v.Warnings)}
	}
	return nil
}

// validate checks a bundle against everything that the program knows of its domain.
func (s source) validate(o validateOptions) (guide.Findings, error) {
	w, err := s.world(o.data, o.domain, "")
	if err != nil {
		return nil, err
	}
	s.Domain = w.Name // whatever the folder is called
	c := guide.Context{Inventory: guide.InventoryOf(w), Vocabulary: checks.For(w)}
	if c.Catalog, err = o.openCatalog(w.Name); err != nil {
		return nil, err
	}
	if c.Documents, err = s.documents(o, w.Name); err != nil {
		return nil, err
	}
	return guide.Validate(s.Bundle, c), nil
}

// openCatalog returns nil where no catalog is wanted. The error of a file that is not a catalog is a guide.Findings.
func (o validateOptions) openCatalog(domain string) (*guide.Catalog, error) {
	switch o.catalog {
	case "":
		return guide.ShippedCatalog(domain)
	case "none":
		return nil, nil
	}
	text, err := domains.ReadFile(o.catalog, yamlfile.MaxBytes)
	if err != nil {
		return nil, usage(fmt.Errorf("--catalog: %w\nhint: name a file, or none", err))
	}
	return guide.ParseCatalog(o.catalog, text)
}

// documents are the policy's texts: those beside the bundle, and those of a data folder.
func (s source) documents(o validateOptions, domain string) (out guide.Documents, err error) {
	out = guide.Documents{}
	if o.data != "embedded" && o.data != "" {
		if out["tau2"], err = guide.ReadDocuments(filepath.Join(o.data, "tau2", "domains", domain, "*.md")); err != nil {
			return nil, err
		}
	}
	if s.dir != "" {
		out[guide.Beside], err = guide.ReadBeside(s.dir)
	}
	return out, err
}
