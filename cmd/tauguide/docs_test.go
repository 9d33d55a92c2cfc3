package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/config"
)

// block is a fenced shell block of a document.
type block struct {
	line  int
	info  string // what follows "sh" on the fence: data for blocks that need the reference's data, added for an extended program, exit 4 for commands that find something
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
// Without -long, the README's experiments are of two tasks of each domain.
func TestDocumentedCommands(t *testing.T) {
	root := domaintest.Root(t)
	shared, _ := domaintest.Locate(t)
	data := filepath.Join(shared, "tau2")
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
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(root, "configs"), filepath.Join(dir, "configs")); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			for _, b := range found {
				total += runBlock(t, b, data)
			}
		})
	}
	if total < 8 {
		t.Errorf("only %d commands were found in the documents", total)
	}
}

var wordPattern = regexp.MustCompile(`"[^"]*"|\S+`)

// runBlock runs the commands of one block in this process; a trailing & leaves a command running until the block ends.
// Blocks that need the reference's data are passed over, saying so, where it is absent.
func runBlock(t *testing.T, b block, data string) int {
	t.Helper()
	if b.info == "added" {
		return 0 // needs what the page adds to the program, see adding_test.go
	}
	if _, err := os.Stat(data); err != nil && b.info == "data" {
		t.Logf("line %d left out: shared reference data not found in %s", b.line, data)
		return 0
	}
	env := variables(map[string]string{"TAU2_DATA_DIR": data})
	n := 0
	for _, line := range b.lines {
		words, ok := strings.CutPrefix(line, "go run ./cmd/tauguide ")
		if !ok {
			if line != "go test ./..." && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
				t.Errorf("line %d: %q is neither a tauguide command nor go test", b.line, line)
			}
			continue
		}
		n++
		words, behind := strings.CutSuffix(words, " &")
		args := wordPattern.FindAllString(strings.ReplaceAll(words, "$TAU2_DATA_DIR", data), -1)
		for i := range args {
			args[i] = strings.Trim(args[i], `"`)
		}
		if args[0] == "run" && !slices.Contains(args, "--limit") && !slices.Contains(args, "--trials") && !*long {
			args = append(args, "--limit", "2")
		}
		if behind {
			background(t, env, args...)
			continue
		}
		want := exitOK
		if b.info == "exit 4" {
			want = exitThreshold
		}
		code, stdout, stderr := command(t, env, args...)
		if code != want {
			t.Fatalf("line %d: %s: exit code %d\n%s%s", b.line, line, code, stdout, stderr)
		}
		if stdout == "" {
			t.Errorf("line %d: %s prints nothing", b.line, line)
		}
	}
	return n
}

// background runs a command that serves until the test ends, and returns what it announces itself with.
func background(t *testing.T, env func(string) string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	said := announcement(make(chan string, 1))
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, process{args: args, env: env, stdout: io.Discard, stderr: said, progress: os.Stderr})
	}()
	t.Cleanup(func() { stop(); <-ended })
	select {
	case line := <-said:
		return strings.TrimSpace(line)
	case code := <-ended:
		ended <- code
		t.Fatalf("%v ended with %d", args, code)
		return ""
	}
}

// announcement passes the first write on: a server that announces itself is listening.
type announcement chan string

func (a announcement) Write(b []byte) (int, error) {
	select {
	case a <- string(b):
	default:
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
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
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
