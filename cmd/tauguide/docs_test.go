package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs"
)

// block is a fenced shell block of a document.
type block struct {
	line  int
	info  string // what follows "sh" on the fence: data for blocks that need the reference's data
	lines []string
}

var fence = regexp.MustCompile("^```(\\w*) ?(.*)$")

// blocks finds the shell blocks of a document.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	open := false
	for i, line := range strings.Split(string(text), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && open:
			open = false
		case m != nil:
			open = m[1] == "sh"
			if open {
				out = append(out, block{line: i + 1, info: m[2]})
			}
		case open:
			last := &out[len(out)-1]
			last.lines = append(last.lines, line)
		}
	}
	return out
}

// TestDocumentedCommands runs every command of the README and of docs/, in order, as a reader would: a document's
// commands share a folder in which configs/ is the repository's. "go test" lines are left to the one who runs the tests.
func TestDocumentedCommands(t *testing.T) {
	root := domaintest.Root(t)
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range append([]string{filepath.Join(root, "README.md")}, files...) {
		found := blocks(t, file)
		if len(found) == 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			shared, _ := domaintest.Locate(t)
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(root, "configs"), filepath.Join(dir, "configs")); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			for _, b := range found {
				total += runBlock(t, b, shared)
			}
		})
	}
	if total < 8 {
		t.Errorf("only %d commands were found in the documents", total)
	}
}

// runBlock runs the commands of one block; a trailing & leaves a command running until the block ends.
// Blocks that need the reference's data are passed over, saying so, where it is absent.
func runBlock(t *testing.T, b block, shared string) int {
	t.Helper()
	env := os.Getenv
	if b.info == "data" {
		if _, err := os.Stat(filepath.Join(shared, "tau2")); err != nil {
			t.Logf("line %d left out: shared reference data not found in %s", b.line, shared)
			return 0
		}
		env = func(name string) string {
			if name == "TAU2_DATA_DIR" {
				return filepath.Join(shared, "tau2")
			}
			return os.Getenv(name)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	background := make(chan struct{})
	running := 0
	defer func() {
		stop()
		for range running {
			<-background
		}
	}()
	n := 0
	for _, line := range b.lines {
		command, ok := strings.CutPrefix(line, "go run ./cmd/tauguide ")
		if !ok {
			if line != "go test ./..." && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
				t.Errorf("line %d: %q is neither a tauguide command nor go test", b.line, line)
			}
			continue
		}
		n++
		command, behind := strings.CutSuffix(command, " &")
		args := strings.Fields(os.Expand(command, env))
		var stdout, stderr bytes.Buffer
		p := process{args: args, env: env, stdout: &stdout, stderr: &stderr}
		if behind {
			running++
			ready := make(chan struct{})
			p.stderr = &signalWriter{ready: ready}
			go func() {
				run(ctx, p)
				background <- struct{}{}
			}()
			<-ready
			continue
		}
		if code := run(ctx, p); code != exitOK {
			t.Fatalf("line %d: %s: exit code %d\n%s%s", b.line, line, code, stdout.String(), stderr.String())
		}
		if stdout.Len() == 0 {
			t.Errorf("line %d: %s prints nothing", b.line, line)
		}
	}
	return n
}

// signalWriter closes ready at the first write: a server that announces itself is listening.
type signalWriter struct {
	ready chan struct{}
	done  bool
}

func (w *signalWriter) Write(b []byte) (int, error) {
	if !w.done {
		w.done = true
		close(w.ready)
	}
	return len(b), nil
}

// TestReadmeOpensWithTwoCommands holds the README to its promise.
func TestReadmeOpensWithTwoCommands(t *testing.T) {
	found := blocks(t, filepath.Join(domaintest.Root(t), "README.md"))
	var first []string
	for _, b := range found[:2] {
		first = append(first, b.lines...)
	}
	want := "[go run ./cmd/tauguide run configs/quickstart.yaml go test ./...]"
	if got := fmt.Sprint(first); got != want {
		t.Errorf("the README opens with %s, want %s", got, want)
	}
}

// TestConfigReferenceIsComplete compares docs/config.md with the config's JSON Schema.
func TestConfigReferenceIsComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(runs.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	fieldNames(schema, names)
	if len(names) < 30 {
		t.Fatalf("only %d fields found in the schema", len(names))
	}
	for name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/config.md does not mention `%s`", name)
		}
	}
}

// fieldNames collects the property names of a schema.
func fieldNames(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if props, ok := v["properties"].(map[string]any); ok {
			for name := range props {
				into[name] = true
			}
		}
		for _, x := range v {
			fieldNames(x, into)
		}
	case []any:
		for _, x := range v {
			fieldNames(x, into)
		}
	}
}
