package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	info  []string // what follows "sh" on the fence, see runBlock
	lines []string
	shown string            // the part of the last command's output that the next block, "text shown", has
	saved map[string]string // files that the reader has saved before: blocks "yaml save=FILE"
}

var fence = regexp.MustCompile("^```(\\w*) ?(.*)$")

// blocks finds the shell blocks of a document. A line that ends in a backslash goes on in the next.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	kind, saved := "", map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && kind != "":
			kind = ""
		case m != nil:
			kind = strings.Join(m[1:], " ")
			if m[1] == "sh" {
				out = append(out, block{line: i + 1, info: strings.Fields(m[2]), saved: maps.Clone(saved)})
			}
		case strings.HasPrefix(kind, "sh "):
			last := &out[len(out)-1]
			if n := len(last.lines); n > 0 && strings.HasSuffix(last.lines[n-1], `\`) {
				last.lines[n-1] = strings.TrimSuffix(last.lines[n-1], `\`) + strings.TrimSpace(line)
				continue
			}
			last.lines = append(last.lines, line)
		case kind == "text shown":
			out[len(out)-1].shown += line + "\n"
		case strings.HasPrefix(kind, "yaml save="):
			saved[strings.TrimPrefix(kind, "yaml save=")] += line + "\n"
		}
	}
	return out
}

// pages are README and everything below docs/, from the repository's root.
func pages(t *testing.T) []string {
	t.Helper()
	root := domaintest.Root(t)
	out := []string{filepath.Join(root, "README.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDocumentedCommands runs every command of the README and of docs/, in order, as a reader would: a document's
// commands share a folder in which configs/ is the repository's. "go test" lines are left to the one who runs the tests, "go install" to scripts/release.
// Without -long, experiments are of two tasks of each domain.
func TestDocumentedCommands(t *testing.T) {
	root := domaintest.Root(t)
	shared, _ := domaintest.Locate(t)
	data := filepath.Join(shared, "tau2")
	total := 0
	for _, file := range pages(t) {
		found := blocks(t, file)
		if len(found) == 0 {
			continue
		}
		name, err := filepath.Rel(filepath.Join(root, "docs"), file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimPrefix(name, "../"), func(t *testing.T) {
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
// On the fence, data says that the block needs the reference's data (it is passed over, saying so, where that is
// absent), model that it asks a real model, which others stand in for, added that it needs what the page adds to the
// program (see adding_test.go), and exit 4 that its commands find something.
func runBlock(t *testing.T, b block, data string) int {
	t.Helper()
	if slices.Contains(b.info, "added") {
		return 0
	}
	if _, err := os.Stat(data); err != nil && slices.Contains(b.info, "data") {
		t.Logf("line %d left out: shared reference data not found in %s", b.line, data)
		return 0
	}
	for name, content := range b.saved {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := exitOK
	if slices.Contains(b.info, "exit") {
		want = exitThreshold
	}
	n, output := 0, ""
	for _, line := range b.lines {
		words, ok := strings.CutPrefix(strings.TrimPrefix(line, "go run ./cmd/"), "tauguide ")
		if !ok {
			if line != "go test ./..." && !strings.HasPrefix(line, "go install ") && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "export ") {
				t.Errorf("line %d: %q is neither a tauguide command nor go test", b.line, line)
			}
			continue
		}
		n++
		words, _, _ = strings.Cut(words, " # ")
		words, behind := strings.CutSuffix(words, " &")
		args := wordPattern.FindAllString(strings.ReplaceAll(words, "$TAU2_DATA_DIR", data), -1)
		for i := range args {
			args[i] = strings.Trim(args[i], `"`)
		}
		env := map[string]string{}
		if slices.Contains(b.info, "data") || slices.Contains(b.info, "model") {
			env["TAU2_DATA_DIR"] = data
		}
		if slices.Contains(b.info, "model") {
			args = standIn(t, args, env)
		}
		if args[0] == "run" && !slices.Contains(args, "--limit") && !slices.Contains(args, "--trials") && !slices.Contains(args, "--dry-run") && !*long {
			args = append(args, "--limit", "2")
		}
		if behind {
			background(t, variables(env), args...)
			continue
		}
		code, stdout, stderr := command(t, variables(env), args...)
		if code != want {
			t.Fatalf("line %d: %s: exit code %d\n%s%s", b.line, line, code, stdout, stderr)
		}
		if output = stdout; stdout == "" {
			t.Errorf("line %d: %s prints nothing", b.line, line)
		}
	}
	if !strings.Contains(output, b.shown) {
		t.Errorf("line %d: the page shows\n%s\nnot what the program prints:\n%s", b.line, b.shown, output)
	}
	return n
}

// standIn has others answer in the place of a real model: a server on this machine for the config of first contact and
// for probes, scripted models, runs on the embedded data, for all else. A dry run asks nobody.
func standIn(t *testing.T, args []string, env map[string]string) []string {
	t.Helper()
	env["OPENAI_API_KEY"] = goodKey
	switch {
	case args[0] == "probe":
		args = append(args, "--base-url", byModel(t).URL)
	case slices.Contains(args, "--dry-run"):
	case args[0] == "author":
		args = append(args, "--synthetic", "--reference", "configs/authoring/lending")
	case args[0] == "workflow":
		args = append(args, "--synthetic")
	case args[0] != "run":
	case strings.Contains(args[1], "openai-smoke"):
		_, env["OPENAI_BASE_URL"] = smoke(t, goodKey, "gpt-4.1-mini")
		args = append(args, "--concurrency", "1")
	default:
		args = append(args, "--synthetic", "--data", "embedded")
	}
	return args
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
