package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs"
)

// block is a fenced shell block of a document.
type block struct {
	line  int
	info  string // what follows "sh" on the fence: data for blocks that need the reference's data, added for an extended program
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
	total, bin := 0, program(t)
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
				total += runBlock(t, bin, b, shared)
			}
		})
	}
	if total < 8 {
		t.Errorf("only %d commands were found in the documents", total)
	}
}

// runBlock runs the commands of one block with the built program; a trailing & leaves a command running until the block
// ends. Blocks that need the reference's data are passed over, saying so, where it is absent.
func runBlock(t *testing.T, bin string, b block, shared string) int {
	t.Helper()
	data := filepath.Join(shared, "tau2")
	if b.info == "added" {
		return 0 // needs what the page adds to the program, see adding_test.go
	}
	if _, err := os.Stat(data); err != nil && b.info == "data" {
		t.Logf("line %d left out: shared reference data not found in %s", b.line, shared)
		return 0
	}
	env := append(os.Environ(), "TAU2_DATA_DIR="+data)
	ctx, stop := context.WithCancel(t.Context())
	var background []*exec.Cmd
	defer func() {
		stop()
		for _, cmd := range background {
			_ = cmd.Wait() // it was killed
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
		cmd := exec.CommandContext(ctx, bin, strings.Fields(strings.ReplaceAll(command, "$TAU2_DATA_DIR", data))...)
		cmd.Env = env
		if behind {
			ready := &announcement{ready: make(chan struct{})}
			cmd.Stderr = ready
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			background = append(background, cmd)
			<-ready.ready
			continue
		}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("line %d: %s: %v\n%s%s", b.line, line, err, stdout.String(), stderr.String())
		}
		if stdout.Len() == 0 {
			t.Errorf("line %d: %s prints nothing", b.line, line)
		}
	}
	return n
}

// announcement closes ready at the first write: a server that announces itself is listening.
type announcement struct {
	ready chan struct{}
	once  sync.Once
}

func (w *announcement) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.ready) })
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
