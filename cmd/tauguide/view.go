package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
)

type viewOptions struct {
	addr, export string
	json         bool
}

func (o *viewOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "addr", view.DefaultAddr, "address of the loopback to listen on; port 0 is any free one")
	f.StringVar(&o.export, "export", "", "write the pages into this folder, which must be new or empty")
	f.BoolVar(&o.json, "json", false, "print the address, or what was written, as JSON")
}

func viewCommand(p process) *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view [RUN...]",
		Short: "Show runs as web pages, served to this machine or written into a folder",
		Long: "Serve web pages of recorded runs on the loopback: lists of trials with filters, tasks against systems, every conversation, and two\n" +
			"conversations side by side. The address is printed on stdout; Ctrl-C ends the server. Runs may be written meanwhile: a page shows\n" +
			"what is there when it is loaded. Without RUN, all runs of " + config.ResultsDir + " are shown; a folder of runs stands for those in it.\n" +
			"--export writes the same pages into a new folder instead, to be opened from the disk.\n\n" + exitHelp,
		Example: "  tauguide view\n  tauguide view results/quickstart\n  tauguide view results/quickstart --export pages",
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := viewed(p, args)
			switch {
			case err != nil:
				return err
			case !cmd.Flags().Changed("export"):
				return runViewServe(cmd.Context(), p, o, dirs)
			case cmd.Flags().Changed("addr"):
				return usage(errors.New("--export writes files and serves nothing\nhint: leave --addr out"))
			}
			return runViewExport(cmd.Context(), p, o, dirs)
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runViewServe(ctx context.Context, p process, o viewOptions, dirs []string) error {
	l, err := view.Listen(o.addr)
	if bad := (*view.AddrError)(nil); errors.As(err, &bad) {
		return usage(fmt.Errorf("--addr: %w", err))
	}
	if err != nil {
		return err
	}
	site, err := openPages(p, dirs)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	url := fmt.Sprintf("http://%s/", l.Addr())
	if o.json {
		err = p.json(map[string]any{"url": url, "runs": dirs})
	} else {
		_, err = fmt.Fprintln(p.stdout, url)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	p.note("open this address in a browser of this machine; Ctrl-C ends the server")
	return site.Serve(ctx, l)
}

func runViewExport(ctx context.Context, p process, o viewOptions, dirs []string) error {
	if o.export == "" {
		return usage(errors.New("--export is empty\nhint: name a folder"))
	}
	site, err := openPages(p, dirs)
	if err != nil {
		return err
	}
	done, err := site.Export(ctx, o.export)
	if ctx.Err() != nil && err != nil {
		return coded{exitInterrupted, err}
	}
	if err != nil {
		return err
	}
	for _, file := range done.Troubled {
		p.warn(fmt.Sprintf("%s reports an error, such as a damaged record", filepath.Join(o.export, filepath.FromSlash(file))))
	}
	if done.Waiting > 0 {
		p.notef("%d pages are of trials without a record: not run yet, or it is gone", done.Waiting)
	}
	start := filepath.Join(o.export, "index.html")
	if o.json {
		return p.json(map[string]any{"start": start, "pages": done.Pages, "records": done.Records, "waiting": done.Waiting, "troubled": done.Troubled})
	}
	p.printf("%s: %d pages and %d records\n", start, done.Pages, done.Records)
	return nil
}

// viewed are the runs to show. A run of a folder that cannot be read is left out, which is told.
func viewed(p process, args []string) (dirs []string, err error) {
	if len(args) == 0 {
		args = []string{config.ResultsDir}
	}
	for _, arg := range args {
		inside, _ := store.Folders(arg)
		if len(inside) == 0 && arg != config.ResultsDir {
			dirs = append(dirs, arg)
			continue
		}
		if inside, err = runFolders(arg); err != nil {
			return nil, err
		}
		for _, dir := range inside {
			if _, err := store.Open(dir); err != nil {
				p.warn(err.Error())
				continue
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// openPages reads the runs.
func openPages(p process, dirs []string) (*view.Site, error) {
	if err := differentRuns(dirs); err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if err := checkRun(dir); err != nil {
			return nil, err
		}
	}
	return view.Open(dirs, p.env)
}
