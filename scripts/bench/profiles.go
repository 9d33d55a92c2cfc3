package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tauguide/tauguide/guide/export/svg"
	"github.com/tauguide/tauguide/scripts/process"
)

// path is one on which a program spends its time, and the benchmark that goes it.
type path struct{ name, pkg, benchmark string }

func paths() []path {
	return []path{
		{"results", "./runs/tau2", "^BenchmarkCorpus$/^score$"},
		{"trial", "./runs", "^BenchmarkTrial$"},
		{"request", "./sim/llm", "^BenchmarkCall$/^60kB$"},
		{"scripted", "./sim/synthetic", "^BenchmarkConversation$"},
		{"scoring", "./sim", "^BenchmarkEvaluateENV$"},
	}
}

// draw makes a picture of each path's profile: who calls whom, and where processor time goes.
func (b *lab) draw(ctx context.Context) error {
	if b.profiles == "" {
		return nil
	}
	for _, p := range paths() {
		test, profile := filepath.Join(b.dir, p.name+".test"), filepath.Join(b.dir, p.name+".prof")
		if err := output(ctx, nil, "go", "test", p.pkg, "-run", "^$", "-bench", p.benchmark, "-o", test, "-cpuprofile", profile); err != nil {
			return err
		}
		var dot bytes.Buffer
		cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-dot", "-nodecount", "30", "-edgefraction", "0.01", test, profile)
		cmd.Stdout = &dot
		if _, err := process.Run(cmd); err != nil {
			return err
		}
		picture, err := svg.Draw(ctx, dot.String())
		if err != nil {
			return fmt.Errorf("profile of %s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(b.profiles, p.name+".svg"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}
