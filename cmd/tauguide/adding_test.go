package main

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// page is a document that tells how to extend the program. Its fenced blocks are marked by their info strings:
//
//	file=PATH        a new file of the repository
//	add=PATH:FUNC    lines at the end of the list that FUNC returns
//	add=PATH         lines at the end of a file
//	imports=PATH     lines at the end of a file's imports
//	added            commands to run with the program that has all of this
//	measured         what the first of them prints, as a part of its output
type page struct {
	root, dir string
	name      string
	files     map[string]string // by path in the repository: new and changed ones
	commands  []string
	measured  string
}

var infoForm = regexp.MustCompile(`^(file|add|imports)=([^:]+?)(?::(\w+))?$`)

// readPage reads documents of docs/, one after the other, and applies their blocks to the repository's files, in memory.
func readPage(t *testing.T, names ...string) *page {
	t.Helper()
	p := &page{root: domaintest.Root(t), dir: t.TempDir(), name: names[0], files: map[string]string{}}
	var text []byte
	for _, name := range names {
		part, err := os.ReadFile(filepath.Join(p.root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	info, lines, open := "", []string(nil), false
	for _, line := range strings.Split(string(text), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && !open:
			open, info, lines = true, m[2], nil
		case m != nil:
			open = false
			p.block(t, info, lines)
		case open:
			lines = append(lines, line)
		}
	}
	return p
}

func (p *page) block(t *testing.T, info string, lines []string) {
	t.Helper()
	text := strings.Join(lines, "\n") + "\n"
	m := infoForm.FindStringSubmatch(info)
	switch {
	case info == "added":
		p.commands = append(p.commands, lines...)
	case info == "measured":
		p.measured = text
	case m == nil:
	case m[1] == "file":
		p.files[m[2]] = text
	case p.has(t, m[2], lines):
		p.files[m[2]] = p.text(t, m[2]) // somebody has followed the page in this checkout
	case m[1] == "imports":
		p.insert(t, m[2], `\nimport \((?:\n.*)*?\n`, `\)\n`, text)
	case m[3] != "":
		p.insert(t, m[2], `\nfunc `+m[3]+`\(\) (?:.*\n)*?.*\{(?:\n.*)*?\n`, `\t\}\n\}\n`, text)
	default:
		p.files[m[2]] = p.text(t, m[2]) + text
	}
}

// has reports whether a file holds each of the lines, however it is indented.
func (p *page) has(t *testing.T, path string, lines []string) bool {
	t.Helper()
	text := p.text(t, path)
	for _, line := range lines {
		if !strings.Contains(text, strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}

// insert puts lines between two patterns of a file.
func (p *page) insert(t *testing.T, path, before, after, lines string) {
	t.Helper()
	text := p.text(t, path)
	at := regexp.MustCompile(before + "(" + after + ")").FindStringSubmatchIndex(text)
	if at == nil {
		t.Fatalf("%s: no place in %s for %q", p.name, path, lines)
	}
	formatted, err := format.Source([]byte(text[:at[2]] + lines + text[at[2]:])) // sorts imports
	if err != nil {
		t.Fatalf("%s: %s with %q: %v", p.name, path, lines, err)
	}
	p.files[path] = string(formatted)
}

// text is a file as the page has it by now.
func (p *page) text(t *testing.T, path string) string {
	t.Helper()
	if text, ok := p.files[path]; ok {
		return text
	}
	text, err := os.ReadFile(filepath.Join(p.root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write puts the page's files into a folder and returns the overlay that shows them to the go command in their places.
func (p *page) write(t *testing.T) (overlay string) {
	t.Helper()
	replace := map[string]string{}
	for path, text := range p.files {
		to := filepath.Join(p.dir, "files", path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(p.root, path)] = to
		if formatted, err := format.Source([]byte(text)); strings.HasSuffix(path, ".go") && (err != nil || string(formatted) != text) {
			t.Errorf("%s: %s is not in gofmt's form (%v)", p.name, path, err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(p.dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o644); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// goCommand runs the go command on the repository with the page's files in place.
func (p *page) goCommand(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = p.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: go %s: %v\n%s", p.name, strings.Join(args, " "), err, out)
	}
}

// run builds the program with the page's files, runs its commands in a folder with the page's configs, and returns what
// they print, in order.
func (p *page) run(t *testing.T, overlay string) []string {
	t.Helper()
	bin, dir := filepath.Join(p.dir, "tauguide"), filepath.Join(p.dir, "work")
	p.goCommand(t, "build", "-overlay", overlay, "-o", bin, "./cmd/tauguide")
	if err := os.CopyFS(filepath.Join(dir, "configs"), os.DirFS(filepath.Join(p.root, "configs"))); err != nil {
		t.Fatal(err)
	}
	for path, text := range p.files {
		if strings.HasPrefix(path, "configs/") {
			if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out []string
	for _, line := range p.commands {
		command, ok := strings.CutPrefix(line, "go run ./cmd/tauguide ")
		if !ok {
			t.Fatalf("%s: %q is no command of tauguide", p.name, line)
		}
		cmd := exec.CommandContext(t.Context(), bin, strings.Fields(command)...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %s: %v\n%s%s", p.name, line, err, stdout.String(), stderr.String())
		}
		out = append(out, stdout.String())
	}
	return out
}

// TestAddingAnAgent does what docs/adding-an-agent.md says: its agent and its test are vetted. With -long the program is
// built with it, prints the table that the page shows, and its tests pass.
func TestAddingAnAgent(t *testing.T) {
	p := readPage(t, "adding-an-agent.md")
	if len(p.files) != 4 || len(p.commands) != 2 {
		t.Fatalf("%d files and %d commands found in %s", len(p.files), len(p.commands), p.name)
	}
	overlay := p.write(t)
	p.goCommand(t, "vet", "-overlay", overlay, "./agents")
	if !*long {
		return
	}
	out := p.run(t, overlay)
	if p.measured == "" || !strings.Contains(out[0], p.measured) {
		t.Errorf("the page shows\n%s\nnot what the program prints:\n%s", p.measured, out[0])
	}
	if !strings.Contains(out[1], "vote") {
		t.Errorf("no event of the new agent in\n%s", out[1])
	}
	p.goCommand(t, "test", "-overlay", overlay, "./agents", "-run", "TestVote|TestRegistry|TestParams")
}

// TestAddingADomain does what docs/adding-a-domain.md says: its domain builds. With -long the program is built with it,
// replays its gold plans and runs it, and its tests pass.
func TestAddingADomain(t *testing.T) {
	p := readPage(t, "adding-a-domain.md", "domain-data.md")
	if len(p.files) != 8 || len(p.commands) != 3 {
		t.Fatalf("%d files and %d commands found in %s", len(p.files), len(p.commands), p.name)
	}
	overlay := p.write(t)
	if !*long {
		p.goCommand(t, "build", "-overlay", overlay, "./domains/library", "./domains/all")
		return
	}
	out := p.run(t, overlay)
	for i, want := range []string{"renew_loan", "library", "Oracle"} {
		if !strings.Contains(out[i], want) {
			t.Errorf("%s prints no %s:\n%s", p.commands[i], want, out[i])
		}
	}
	p.goCommand(t, "test", "-vet=off", "-overlay", overlay, "./domains/domaintest", "-run", "Invariants/library")
}
