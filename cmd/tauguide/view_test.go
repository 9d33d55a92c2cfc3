package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestViewServesUntilItIsInterrupted starts the server as Ctrl-C ends it, in both ways of printing the address.
func TestViewServesUntilItIsInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tour")
	quickstart := filepath.Join(domaintest.Root(t), "configs", "quickstart.yaml")
	var out bytes.Buffer
	first := process{args: []string{"run", quickstart, "--only", "domain=retail", "--only", "system=Noop", "--limit", "1", "--trials", "1", "--out", dir}, env: os.Getenv, stdout: &out, stderr: &out}
	if code := run(t.Context(), first); code != exitOK {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	for _, flags := range [][]string{nil, {"--json"}} {
		ctx, interrupt := context.WithCancel(t.Context())
		printed, stdout := io.Pipe()
		var stderr bytes.Buffer
		code := make(chan int, 1)
		go func() {
			code <- run(ctx, process{args: append([]string{"view", dir}, flags...), env: os.Getenv, stdout: stdout, stderr: &stderr})
			stdout.Close()
		}()
		text := make([]byte, 1<<12)
		n, err := printed.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, printed) }()
		address := strings.TrimSpace(string(text[:n]))
		if flags != nil {
			var said struct {
				URL  string   `json:"url"`
				Runs []string `json:"runs"`
			}
			if err := json.Unmarshal(text[:n], &said); err != nil || len(said.Runs) != 1 {
				t.Fatalf("%s: %v", text[:n], err)
			}
			address = said.URL
		}
		r, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", address, r.StatusCode)
		}
		interrupt()
		if got := <-code; got != exitOK {
			t.Errorf("%v: exit %d: %s", flags, got, stderr.String())
		}
	}
	for _, addr := range []string{"0.0.0.0:0", "10.0.0.1:80", "nonsense"} {
		if code := run(t.Context(), process{args: []string{"view", dir, "--addr", addr}, env: os.Getenv, stdout: &out, stderr: &out}); code != exitUsage {
			t.Errorf("--addr %s: exit %d, want %d", addr, code, exitUsage)
		}
	}
}
