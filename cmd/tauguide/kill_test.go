package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs"
)

// program builds the binary, without the race detector: the test is about processes that die.
func program(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "tauguide")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// models starts serve-models on a free port and returns its base URL.
func models(t *testing.T, bin, data string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "serve-models", "--addr", addr, "--data", data)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 200 {
		if resp, err := http.Get("http://" + addr + "/v1/models"); err == nil {
			resp.Body.Close()
			return "http://" + addr + "/v1"
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("serve-models does not answer")
	return ""
}

// TestKilledRunEndsLikeAnUndisturbedOne holds all real retail tasks over HTTP, once in peace and once killed without
// warning at three random moments and resumed, and compares every record.
func TestKilledRunEndsLikeAnUndisturbedOne(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 912 conversations: left out with -short")
	}
	shared := domaintest.Shared(t)
	bin := program(t)
	url := models(t, bin, filepath.Join(shared, "tau2"))
	dir := t.TempDir()
	calm, rough := filepath.Join(dir, "calm"), filepath.Join(dir, "rough")
	start := func(out string, more ...string) *exec.Cmd {
		cmd := exec.Command(bin, append([]string{"run", filepath.Join(domaintest.Root(t), "configs", "real-retail.yaml"),
			"--base-url", url, "--out", out}, more...)...)
		cmd.Env = append(os.Environ(), "TAU2_DATA_DIR="+filepath.Join(shared, "tau2"))
		cmd.Dir = dir
		return cmd
	}
	began := time.Now()
	if out, err := start(calm).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed run: %v\n%s", err, out)
	}
	took := time.Since(began)
	seed := uint64(time.Now().UnixNano())
	t.Logf("undisturbed run: %v; kill moments drawn with seed %d", took, seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 3 {
		cmd := start(rough, "--resume")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration((0.05 + 0.3*rng.Float64()) * float64(took)))
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Logf("run %d had ended before it was killed", i)
		} else if _, killed := err.(*exec.ExitError); !killed {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
	}
	if out, err := start(rough, "--resume").CombinedOutput(); err != nil {
		t.Fatalf("last resume: %v\n%s", err, out)
	}
	want, got := timeless(t, calm), timeless(t, rough)
	if len(want) != 456 {
		t.Errorf("%d records, want 456", len(want))
	}
	for key, text := range want {
		if diff := cmp.Diff(text, got[key]); diff != "" {
			t.Fatalf("record %s differs (-undisturbed +killed):\n%s", key, diff)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records after the kills, want %d", len(got), len(want))
	}
}

// timeless reads a run's records and scores, without times, and checks that index and folder agree.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	r, err := runs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("%s/%s/%s/%d", rec.Domain, rec.System, rec.Task, rec.Trial)
		score := scores[runs.Ref{Key: rec.Key, Attempt: rec.Attempt}]
		for i := range score.JudgeCalls {
			score.JudgeCalls[i].Transport = rec.Timeless().Calls[0].Transport
		}
		text, err := json.MarshalIndent(map[string]any{"record": rec.Timeless(), "score": score}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out[key] = string(text)
	}
	files, err := filepath.Glob(filepath.Join(dir, "trials", "*", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(r.Index()) || len(files) != len(out) {
		t.Errorf("%s: %d files, %d index entries, %d records", dir, len(files), len(r.Index()), len(out))
	}
	return out
}
