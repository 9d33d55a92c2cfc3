package main

import (
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
)

var update = flag.Bool("update", false, "record the example run again")

// TestExampleReplaysToTheSameTables replays the recorded run that is kept with the configs, twice, with every address on
// the network out of reach, and compares its tables byte for byte.
func TestExampleReplaysToTheSameTables(t *testing.T) {
	root := domaintest.Root(t)
	t.Chdir(root)
	tables := filepath.Join("configs", "replay", "tables.txt")
	replay := func(option string) string {
		args := []string{"run", filepath.Join("configs", "replay.yaml"), "--out", filepath.Join(t.TempDir(), "run"), "--full", "--base-url", nowhere(t)}
		if option != "" {
			args = append(args[:len(args)-2], "--cassette", option)
		}
		code, stdout, stderr := command(t, noEnv, args...)
		if code != exitOK {
			t.Fatalf("exit %d: %s\nWhere prompts, tools, data or scripts were changed on purpose, record it again: go test ./cmd/tauguide -run %s -update", code, stderr, t.Name())
		}
		return stdout
	}
	if *update {
		if err := os.RemoveAll(filepath.Dir(tables)); err != nil {
			t.Fatal(err)
		}
		recorded := replay("record:" + filepath.Dir(tables))
		if err := os.Remove(filepath.Join(filepath.Dir(tables), ".lock")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tables, []byte(recorded), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(tables)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if diff := cmp.Diff(string(want), replay("")); diff != "" {
			t.Errorf("the tables of the replay differ from the recorded ones (-want +got):\n%s", diff)
		}
	}
	size := 0
	files, err := filepath.Glob(filepath.Join("configs", "replay", "*.jsonl"))
	if err != nil || len(files) != 8 {
		t.Errorf("%d recordings, error %v, want one for each of 8 trials", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		for _, secret := range []string{"Authorization", "Bearer", "sk-"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds %q", f, secret)
			}
		}
	}
	if size > 200_000 {
		t.Errorf("the recordings are %d bytes long, want at most 200,000", size)
	}
}

// nowhere is an address at which nobody listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/v1"
}
