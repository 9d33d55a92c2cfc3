package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	scripts "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// defaultAddr is where the scripted models listen unless told otherwise; configs/real-retail.yaml expects them there.
const defaultAddr = "127.0.0.1:8377"

type serveModelsOptions struct {
	addr, data, config string
	attacks            []string
	latency            time.Duration
}

func (o *serveModelsOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "addr", defaultAddr, "address to listen on")
	f.StringVar(&o.data, "data", "embedded", "τ² data folder, or the word embedded")
	f.StringSliceVar(&o.attacks, "attacks", nil, "attack sets that runs will name: files, or the word default for those that come with the program")
	f.StringVar(&o.config, "config", "", "config whose synthetic model sets the rates of mistakes")
	f.DurationVar(&o.latency, "latency", 0, "wait so long before each answer")
}

func serveModelsCommand(p process) *cobra.Command {
	var o serveModelsOptions
	cmd := &cobra.Command{
		Use:     "serve-models",
		Short:   "Serve the scripted models over HTTP",
		Example: "  tauguide serve-models --addr 127.0.0.1:0",
		Long: "Serve the scripted agent, user, judge and verifier as an OpenAI-compatible endpoint (/v1/chat/completions, /v1/models), so that runs\n" +
			"exercise the whole path to a model without one. They learn which trial a request belongs to from the header\n" +
			"X-Tauguide-Trial, which only endpoints marked synthetic are sent; without it they go by the texts of the request, so that\n" +
			"agent, user and judge answer any client, τ²-bench too. Mistake rates come from the config's synthetic model.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServeModels(cmd.Context(), p, o) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func runServeModels(ctx context.Context, p process, o serveModelsOptions) error {
	worlds, err := all.Open(o.data, nil, domains.EverySplit)
	if err != nil {
		return err
	}
	script := synthetic.Config{Scripts: scripts.Scripts()}
	if o.config != "" {
		cfg, err := config.Load(o.config, p.env)
		if err != nil {
			return usage(err)
		}
		if script, err = cfg.Script(); err != nil {
			return usage(err)
		}
	}
	script.Latency = o.latency
	byName := map[string]*domains.World{}
	for _, w := range worlds {
		byName[w.Name] = w
	}
	if err := config.AddAttacks(byName, o.data, o.attacks); err != nil {
		return usage(err)
	}
	return serve(ctx, p, o.addr, synthetic.NewServer(synthetic.New(byName, script)))
}

// serve runs a handler until ctx is done, then lets running requests finish for a moment.
func serve(ctx context.Context, p process, addr string, h http.Handler) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w\nhint: choose another address with --addr", addr, err)
	}
	p.notef("scripted models on http://%s/v1", l.Addr())
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
