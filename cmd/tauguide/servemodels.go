package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// defaultAddr is where the scripted models listen unless told otherwise; configs/real-retail.yaml expects them there.
const defaultAddr = "127.0.0.1:8377"

func serveModelsCommand(p process) *cobra.Command {
	var addr, data, file string
	var attacks []string
	var latency time.Duration
	cmd := &cobra.Command{
		Use:   "serve-models",
		Short: "Serve the scripted models over HTTP",
		Long: "Serve the scripted agent, user, judge and verifier as an OpenAI-compatible endpoint (/v1/chat/completions, /v1/models), so that runs\n" +
			"exercise the whole path to a model without one. They learn which trial a request belongs to from the header\n" +
			"X-Tauguide-Trial, which only endpoints marked synthetic are sent. Mistake rates come from the config's synthetic model.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			worlds, err := openSplit(data, nil, domains.EverySplit)
			if err != nil {
				return err
			}
			script := synthetic.Config{Latency: latency, Scripts: scripted.Scripts()}
			if file != "" {
				cfg, err := config.Load(file, p.env)
				if err != nil {
					return usage(err)
				}
				if script, err = cfg.Script(); err != nil {
					return usage(err)
				}
				script.Latency = latency
			}
			byName := map[string]*domains.World{}
			for _, w := range worlds {
				byName[w.Name] = w
			}
			if err := attack(byName, data, attacks); err != nil {
				return usage(err)
			}
			return serve(cmd.Context(), p, addr, synthetic.NewServer(synthetic.New(byName, script)))
		},
	}
	cmd.Flags().StringVar(&addr, "addr", defaultAddr, "address to listen on")
	cmd.Flags().StringVar(&data, "data", "embedded", "τ² data folder, or the word embedded")
	cmd.Flags().StringSliceVar(&attacks, "attacks", nil, "attack sets that runs will name: files, or the word default for those that come with the program")
	cmd.Flags().StringVar(&file, "config", "", "config whose synthetic model sets the rates of mistakes")
	cmd.Flags().DurationVar(&latency, "latency", 0, "wait so long before each answer")
	return cmd
}

// serve runs a handler until ctx is done, then lets running requests finish for a moment.
func serve(ctx context.Context, p process, addr string, h http.Handler) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another with --addr", addr, err)
	}
	fmt.Fprintf(p.stderr, "scripted models on http://%s/v1\n", l.Addr())
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
