package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

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
	f.StringVar(&o.addr, "addr", "", "address of the loopback to listen on; port 0 is any free one (default "+view.DefaultAddr+", or a free port where that is taken)")
	f.StringVar(&o.export, "export", "", "write the pages into this folder, which must be new or empty")
	f.BoolVar(&o.json, "json", false, "print the address, or what was written, as JSON")
}

func viewCommand(p process) *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:   "view [RUN...]",
		Short: "Show runs as web pages, served to this machine or written into a folder",
		Long: "Serve web pages of recorded runs on the loopback: lists of trials with filters, tasks against systems, every conversation, and two\n" +
			"conversations side by side. The address is printed on stdout; Ctrl-C ends the server. Runs may be written meanwhile, and lists\n" +
			"follow. Without RUN, the runs of " + config.ResultsDir + " are listed; a folder of runs stands for those in it, also those that come later.\n" +
			"--export writes the same pages into a new folder instead, to be opened from the disk.\n\n" + exitHelp,
		Example: "  tauguide view\n  tauguide view results/quickstart\n  tauguide view results/quickstart --export pages",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{config.ResultsDir}
			}
			switch {
			case !cmd.Flags().Changed("export"):
				return runViewServe(cmd.Context(), p, o, args)
			case cmd.Flags().Changed("addr"):
				return usage(errors.New("--export writes files and serves nothing\nhint: leave --addr out"))
			}
			return runViewExport(cmd.Context(), p, o, args)
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runViewServe(ctx context.Context, p process, o viewOptions, args []string) error {
	debug.SetGCPercent(50) // a run of 40,000 records takes 239 MB at most in place of 315, and a tenth more time
	l, err := view.Listen(o.addr)
	if bad := (*view.AddrError)(nil); errors.As(err, &bad) {
		return usage(fmt.Errorf("--addr: %w", err))
	}
	if err != nil {
		return err
	}
	site, err := openPages(p, args)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	url := fmt.Sprintf("http://%s/", l.Addr())
	if o.json {
		err = p.json(map[string]any{"url": url, "runs": args})
	} else {
		_, err = fmt.Fprintln(p.stdout, url)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	p.note("open this address in a browser of this machine; Ctrl-C ends the server")
	return site.Serve(ctx, l)
}

func runViewExport(ctx context.Context, p process, o viewOptions, args []string) error {
	if o.export == "" {
		return usage(errors.New("--export is empty\nhint: name a folder"))
	}
	dirs, err := readable(p, args)
	if err != nil {
		return err
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
	if done.Left > 0 {
		p.notef("%d pages that open from trials, such as model calls, are left out: only the first %d are written", done.Left, done.Opened)
	}
	start := filepath.Join(o.export, "index.html")
	if o.json {
		return p.json(map[string]any{"start": start, "pages": done.Pages, "records": done.Records, "waiting": done.Waiting, "left_out": done.Left, "troubled": done.Troubled})
	}
	p.printf("%s: %d pages and %d records\n", start, done.Pages, done.Records)
	return nil
}

// readable are the runs to write pages of. A run of a folder that cannot be read is left out, which is told.
func readable(p process, args []string) (dirs []string, err error) {
	for _, arg := range args {
		if !folderOfRuns(arg) {
			dirs = append(dirs, arg)
			continue
		}
		inside, err := runFolders(arg)
		if err != nil {
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

// folderOfRuns reports whether a folder holds runs. That of results does, or should.
func folderOfRuns(dir string) bool {
	inside, _ := store.Folders(dir)
	return len(inside) > 0 || dir == config.ResultsDir
}

// openPages opens the pages of runs and folders of runs.
func openPages(p process, args []string) (*view.Site, error) {
	var dirs []string
	for _, arg := range args {
		var err error
		if folderOfRuns(arg) {
			_, err = runFolders(arg)
		} else {
			dirs, err = append(dirs, arg), checkRun(arg)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := differentRuns(dirs); err != nil {
		return nil, err
	}
	return view.Open(args, p.env)
}
