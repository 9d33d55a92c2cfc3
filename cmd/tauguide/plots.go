package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
)

func plotsCommand(p process) *cobra.Command {
	var out string
	var formats []string
	var o report.Options
	cmd := &cobra.Command{
		Use:   "plots RUN... --out DIR",
		Short: "Draw the figures of recorded runs",
		Long: "Draw the figures of the paper from the records of one or more runs, as SVG and PNG: 4, Pass^k by k on each domain, 5, the same by\n" +
			"agent family on airline, and, of runs whose user attacks, 6, ASR@k. Bands are 95 % bootstrap intervals. The same runs give the same bytes. Prints the files' names.\n\n" + exitHelp,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(fmt.Errorf("plots are of runs: name one, as in tauguide plots results/quickstart --out pictures"))
			}
			if out == "" {
				return usage(fmt.Errorf("name the folder for the pictures with --out"))
			}
			for _, f := range formats {
				if !slices.Contains(pictureFormats(), f) {
					return usage(fmt.Errorf("unknown picture format %q: choose of %s", f, strings.Join(pictureFormats(), ", ")))
				}
			}
			sources, err := openSources(p, args)
			if err != nil {
				return err
			}
			return draw(p, report.Figures(report.Input{Sources: sources, Options: o}, report.Attacks(sources)), out, formats)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "folder for the pictures; it is made if need be")
	flags.StringSliceVar(&formats, "format", pictureFormats(), "picture formats: svg, png")
	flags.Uint64Var(&o.Seed, "seed", report.DefaultSeed, "of the bootstrap")
	return cmd
}

func pictureFormats() []string { return []string{string(figure.SVG), string(figure.PNG)} }

// draw writes figures to files and prints their names.
func draw(p process, figures []figure.Figure, dir string, formats []string) error {
	if err := makeOut(dir); err != nil {
		return err
	}
	for _, f := range figures {
		for _, format := range formats {
			path := filepath.Join(dir, f.Name+"."+format)
			if err := writeTo(path, func(w io.Writer) error { return f.Write(w, figure.Format(format)) }); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			fmt.Fprintln(p.stdout, path)
		}
	}
	return nil
}
