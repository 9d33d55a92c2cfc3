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

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
)

type plotsOptions struct {
	out                       string
	formats, figures, systems []string
	print                     printOptions
	published                 bool
}

// printOptions are how a picture is to be printed.
type printOptions struct {
	width     string
	noCaption bool
}

func (o *printOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.width, "width", "", "width of each picture, such as 84mm or 3.3in")
	f.BoolVar(&o.noCaption, "no-caption", false, "without title and caption, for a page that has its own; that something is synthetic stays")
}

func (o *printOptions) options() (figure.Options, error) {
	out := figure.Options{NoCaption: o.noCaption}
	var err error
	if o.width != "" {
		if out.Width, err = figure.ParseWidth(o.width); err != nil {
			err = fmt.Errorf("--width: %w", err)
		}
	}
	return out, err
}

func (o *plotsOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "folder for the pictures; it is made if need be")
	f.StringSliceVar(&o.formats, "format", pictureFormats(), "formats: svg, pdf and png are pictures, csv has their numbers")
	f.StringSliceVar(&o.figures, "figure", nil, "only these figures, by number or name: "+strings.Join(report.FigureNames(), ", "))
	f.StringSliceVar(&o.systems, "systems", nil, "only these systems, which keep their colours and markers")
	o.print.AddFlags(f)
	f.BoolVar(&o.published, "published", false, "draw the paper's points, hollow, where tables --published has its figures")
}

func plotsCommand(p process) *cobra.Command {
	var o plotsOptions
	cmd := &cobra.Command{
		Use:   "plots RUN... --out DIR",
		Short: "Draw the figures of recorded runs",
		Example: "  tauguide plots results/quickstart --out pictures\n" +
			"  tauguide plots results/quickstart --figure 4 --format svg --out pictures\n" +
			"  tauguide plots results/quickstart --format pdf --width 84mm --no-caption --systems ReAct,PolicyGuide --out pictures",
		Long: "Draw the figures of the paper from the records of one or more runs, as SVG, PDF and PNG: 4, Pass^k by k on each domain, 5, the\n" +
			"same by agent family on airline, and, of runs whose user attacks, 6, ASR@k. Bands, or bars where systems are many, are 95 % intervals.\n" +
			"The numbers are in a csv file. Which runs a figure is of is in the pictures' metadata and in a json file beside them. The same runs\n" +
			"give the same bytes. Prints the files' names.\n\n" + exitHelp,
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
	options, err := o.print.options()
	if err != nil {
		return usage(err)
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
	if err := o.know(sources); err != nil {
		return usage(err)
	}
	if err := makeOut(o.out); err != nil {
		return err
	}
	in := report.Input{Sources: sources, Options: report.Options{Published: o.published}}
	for _, f := range report.Figures(in) {
		if len(o.figures) > 0 && !slices.Contains(o.figures, f.Name) {
			continue
		}
		if len(o.systems) > 0 {
			f = f.Of(o.systems)
		}
		if err := o.write(p, f, report.Numbers(in, f), options); err != nil {
			return err
		}
	}
	return nil
}

// know refuses systems that no run has.
func (o *plotsOptions) know(sources []report.Source) error {
	var known []string
	for i := range sources {
		known = append(known, sources[i].SystemNames()...)
	}
	for _, name := range o.systems {
		if !slices.Contains(known, name) {
			return fmt.Errorf("--systems: no run has a system %q\nhint: %s", name, yamlfile.Suggest(name, known))
		}
	}
	return nil
}

// write writes the files of a figure, the json file always.
func (o *plotsOptions) write(p process, f figure.Figure, numbers report.Table, options figure.Options) error {
	for _, format := range append(slices.Clone(o.formats), string(report.JSON)) {
		path := filepath.Join(o.out, f.Name+"."+format)
		if err := writeTo(path, func(w io.Writer) error {
			if slices.Contains(figure.Formats(), figure.Format(format)) {
				return f.Write(w, figure.Format(format), options)
			}
			return numbers.Write(w, report.Format(format))
		}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		p.printf("%s\n", path)
	}
	return nil
}

// pictureFormats are the formats that can be asked for.
func pictureFormats() (out []string) {
	for _, f := range figure.Formats() {
		out = append(out, string(f))
	}
	return append(out, string(report.CSV))
}
