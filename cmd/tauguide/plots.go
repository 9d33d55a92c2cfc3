package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
)

type plotsOptions struct {
	out              string
	formats, figures []string
}

func (o *plotsOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "folder for the pictures; it is made if need be")
	f.StringSliceVar(&o.formats, "format", pictureFormats(), "picture formats: svg, png")
	f.StringSliceVar(&o.figures, "figure", nil, "only these figures, by number or name: "+strings.Join(report.FigureNames(), ", "))
}

func plotsCommand(p process) *cobra.Command {
	var o plotsOptions
	cmd := &cobra.Command{
		Use:   "plots RUN... --out DIR",
		Short: "Draw the figures of recorded runs",
		Example: "  tauguide plots results/quickstart --out pictures\n" +
			"  tauguide plots results/quickstart --figure 4 --format svg --out pictures",
		Long: "Draw the figures of the paper from the records of one or more runs, as SVG and PNG: 4, Pass^k by k on each domain, 5, the same by\n" +
			"agent family on airline, and, of runs whose user attacks, 6, ASR@k. Bands are 95 % intervals. The same runs give the same bytes. Prints the files' names.\n\n" + exitHelp,
		RunE: func(_ *cobra.Command, args []string) error { return runPlots(p, o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runPlots(p process, o plotsOptions, dirs []string) error {
	if len(dirs) == 0 {
		return usage(errors.New("plots are of runs\nhint: name one, as in tauguide plots results/quickstart --out pictures"))
	}
	if o.out == "" {
		return usage(errors.New("--out is missing\nhint: name the folder for the pictures"))
	}
	for _, f := range o.formats {
		if !slices.Contains(pictureFormats(), f) {
			return usage(fmt.Errorf("unknown picture format %q\nhint: choose of %s", f, strings.Join(pictureFormats(), ", ")))
		}
	}
	for i, name := range o.figures {
		known, err := report.FindFigure(name)
		if err != nil {
			return usage(err)
		}
		o.figures[i] = known
	}
	sources, err := openSources(p, dirs)
	if err != nil {
		return err
	}
	if err := makeOut(o.out); err != nil {
		return err
	}
	for _, f := range report.Figures(report.Input{Sources: sources}) {
		if len(o.figures) > 0 && !slices.Contains(o.figures, f.Name) {
			continue
		}
		for _, format := range o.formats {
			path := filepath.Join(o.out, f.Name+"."+format)
			if err := writeTo(path, func(w io.Writer) error { return f.Write(w, figure.Format(format)) }); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			p.printf("%s\n", path)
		}
	}
	return nil
}

func pictureFormats() []string { return []string{string(figure.SVG), string(figure.PNG)} }
