package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tauguide/tauguide/runs/view"
)

func viewCommand(p process) *cobra.Command {
	var addr, export string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "view RUN...",
		Short: "Show runs as web pages, served to this machine or written into a folder",
		Long: "Serve web pages of recorded runs on the loopback: lists of trials with filters, tasks against systems, every conversation, and two\n" +
			"conversations side by side. The address is printed on stdout; Ctrl-C ends the server. Runs may be written meanwhile: a page shows\n" +
			"what is there when it is loaded. --export writes the same pages into a new folder instead, to be opened from the disk.\n\n" + exitHelp,
		Example: "  tauguide view results/quickstart\n  tauguide view results/quickstart --export pages",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("export") {
				if cmd.Flags().Changed("addr") {
					return usage(errors.New("--export writes files and serves nothing: leave --addr out"))
				}
				return exportPages(cmd, p, args, export, asJSON)
			}
			return servePages(cmd, p, args, addr, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&addr, "addr", view.DefaultAddr, "address of the loopback to listen on; port 0 is any free one")
	flags.StringVar(&export, "export", "", "write the pages into this folder, which must be new or empty")
	flags.BoolVar(&asJSON, "json", false, "print the address, or what was written, as JSON")
	return cmd
}

// openPages reads the runs; the same run twice is refused, since its pages would have two addresses.
func openPages(p process, dirs []string) (*view.Site, error) {
	seen := map[string]string{}
	for _, dir := range dirs {
		real, err := realRun(dir)
		if err != nil {
			return nil, err
		}
		if st, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil || st.IsDir() {
			return nil, usage(fmt.Errorf("%s is no run directory: it has no manifest.json", dir))
		}
		if first, twice := seen[real]; twice {
			return nil, usage(fmt.Errorf("%s and %s are the same run: name it once", first, dir))
		}
		seen[real] = dir
	}
	return view.Open(dirs, p.env)
}

func servePages(cmd *cobra.Command, p process, dirs []string, addr string, asJSON bool) error {
	l, err := view.Listen(addr)
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
	if asJSON {
		err = printJSON(p, map[string]any{"url": url, "runs": dirs})
	} else {
		_, err = fmt.Fprintln(p.stdout, url)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	fmt.Fprintln(p.stderr, "open this address in a browser of this machine; Ctrl-C ends the server")
	return site.Serve(cmd.Context(), l)
}

func exportPages(cmd *cobra.Command, p process, dirs []string, to string, asJSON bool) error {
	if to == "" {
		return usage(errors.New("--export: name a folder"))
	}
	site, err := openPages(p, dirs)
	if err != nil {
		return err
	}
	done, err := site.Export(cmd.Context(), to)
	if cmd.Context().Err() != nil && err != nil {
		return coded{exitInterrupted, err}
	}
	if err != nil {
		return err
	}
	for _, file := range done.Troubled {
		fmt.Fprintf(p.stderr, "warning: %s tells of an error, such as a damaged record\n", filepath.Join(to, filepath.FromSlash(file)))
	}
	if done.Waiting > 0 {
		fmt.Fprintf(p.stderr, "%d pages are of trials without a record: not held yet, or it is gone\n", done.Waiting)
	}
	start := filepath.Join(to, "index.html")
	if asJSON {
		return printJSON(p, map[string]any{"start": start, "pages": done.Pages, "records": done.Records, "waiting": done.Waiting, "troubled": done.Troubled})
	}
	fmt.Fprintf(p.stdout, "%s: %d pages and %d records\n", start, done.Pages, done.Records)
	return nil
}
