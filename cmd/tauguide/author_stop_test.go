//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// writing serves the scripted models: the call with the number hang never ends, and hung is told; refuse decides of others.
type writing struct {
	next  http.Handler
	asked atomic.Int64
	hang  atomic.Int64
	hung  chan struct{}
	spoil atomic.Bool // every answer
}

func (s *writing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.asked.Add(1)
	switch {
	case n == s.hang.Load():
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the client is noticed
		s.hung <- struct{}{}
		<-r.Context().Done()
	case s.spoil.Load():
		_, _ = w.Write([]byte(`{"choices":[{"message":{"role":"assistant","content":"I would rather not."},"finish_reason":"stop"}]}`))
	default:
		s.next.ServeHTTP(w, r)
	}
}

// writers are scripted models that know retail and the attacks on it.
func writers(t *testing.T) http.Handler {
	t.Helper()
	worlds, err := all.Open("embedded", []string{"retail"}, "")
	if err != nil {
		t.Fatal(err)
	}
	set, err := config.LoadAttacks("retail", config.DataKind("embedded"), "default")
	if err != nil {
		t.Fatal(err)
	}
	w, err := set.With(worlds[0])
	if err != nil {
		t.Fatal(err)
	}
	return synthetic.NewServer(synthetic.New(map[string]*domains.World{"retail": w}, synthetic.Config{Scripts: scripted.Scripts()}))
}

// TestAuthorIsStopped interrupts the program in the middle of its work, and gives the command again: what was answered is
// not asked twice, and the result is that of an undisturbed command.
func TestAuthorIsStopped(t *testing.T) {
	bin := program(t)
	for _, c := range []struct {
		name, kept string
		hang       int64
		want       string
		done       string // on stdout at the end
	}{
		{"checklists", "3 answers are kept in ", 4, "interrupted; nothing was written: stage tool, ", "7 checklists and general_rules.yaml written to "},
		{"checklists", "give the command again to go on", 1, "interrupted; nothing was written: stage classify: ", "7 checklists"},
		{"attacks", "7 answers are kept in ", 8, "interrupted; 2 plans were made and are in ", "plans in "},
		{"attacks", "1 answers are kept in ", 2, "interrupted; no plan was made: ", "plans in "},
	} {
		t.Run(c.name+" "+c.kept, func(t *testing.T) {
			server := &writing{next: writers(t), hung: make(chan struct{}, 1)}
			srv := httptest.NewServer(server)
			defer srv.Close()
			dir := t.TempDir()
			start := func(out string) (*exec.Cmd, *bytes.Buffer) {
				cmd := exec.Command(bin, "author", c.name, "retail", "--model", "writer", "--synthetic", "--base-url", srv.URL+"/v1", "--out", out)
				var text bytes.Buffer
				cmd.Stdout, cmd.Stderr, cmd.Dir = &text, &text, dir
				return cmd, &text
			}
			calm := filepath.Join(dir, "calm", "out")
			cmd, text := start(calm)
			if err := cmd.Run(); err != nil || !strings.Contains(text.String(), c.done) {
				t.Fatalf("undisturbed: %v\n%s", err, text)
			}
			undisturbed := server.asked.Swap(0)
			server.hang.Store(c.hang)
			rough := filepath.Join(dir, "rough", "out")
			cmd, text = start(rough)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-server.hung
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(text.String(), c.want) || !strings.Contains(text.String(), c.kept) {
				t.Errorf("interrupted: %v, exit code %d\n%s", err, cmd.ProcessState.ExitCode(), text)
			}
			server.hang.Store(0)
			server.asked.Store(0)
			cmd, text = start(rough)
			if err := cmd.Run(); err != nil || !strings.Contains(text.String(), c.done) {
				t.Fatalf("given again: %v\n%s", err, text)
			}
			if n := server.asked.Load(); n != undisturbed-(c.hang-1) {
				t.Errorf("%d calls when it was given again, want the %d that were left", n, undisturbed-(c.hang-1))
			}
			if diff := cmp.Diff(tree(t, filepath.Dir(calm)), tree(t, filepath.Dir(rough))); diff != "" {
				t.Errorf("(-undisturbed +stopped):\n%s", diff)
			}
		})
	}
}

// tree reads all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		out[strings.TrimPrefix(p, dir)] = string(text)
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("%d files below %s, %v", len(out), dir, err)
	}
	return out
}

// TestAuthorForgetsUnusableAnswers: a command that failed for its model's answers asks for them again.
func TestAuthorForgetsUnusableAnswers(t *testing.T) {
	server := &writing{next: writers(t), hung: make(chan struct{}, 1)}
	srv := httptest.NewServer(server)
	defer srv.Close()
	for _, what := range []string{"checklists", "attacks"} {
		out := filepath.Join(t.TempDir(), "out")
		again := func() (int, string) {
			code, stdout, stderr := command(t, noEnv, "author", what, "retail", "--model", "writer", "--synthetic", "--base-url", srv.URL+"/v1", "--out", out)
			return code, stdout + stderr
		}
		server.spoil.Store(true)
		for range 2 {
			server.asked.Store(0)
			if code, text := again(); code != exitError || server.asked.Load() != 2 || !strings.Contains(text, "give the command again to go on") || strings.Contains(text, "are kept") {
				t.Errorf("%s: exit code %d, %d calls\n%s", what, code, server.asked.Load(), text)
			}
		}
		server.spoil.Store(false)
		if code, text := again(); code != exitOK {
			t.Errorf("%s: exit code %d\n%s", what, code, text)
		}
		if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
			t.Errorf("%s: left behind: %v, %v", what, left, err)
		}
	}
}

// TestAuthorLooksForRoomFirst: where nothing can be written, nobody is asked.
func TestAuthorLooksForRoomFirst(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "tauguide") // for another user, who cannot reach the one of the tests
	if text, err := os.ReadFile(program(t)); err != nil || os.WriteFile(bin, text, 0o755) != nil {
		t.Fatal("copy the program: ", err)
	}
	server := &writing{next: writers(t), hung: make(chan struct{}, 1)}
	srv := httptest.NewServer(server)
	defer srv.Close()
	file, closed, open := filepath.Join(dir, "file"), filepath.Join(dir, "closed"), filepath.Join(dir, "open")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{closed: 0o555, open: 0o777, dir: 0o755, filepath.Dir(dir): 0o755} {
		if err := os.MkdirAll(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	for _, what := range []string{"checklists", "attacks"} {
		for _, c := range []struct{ name, out, limit, want string }{
			{"below a file", filepath.Join(file, "out"), "unlimited", "not a directory"},
			{"read-only folder", filepath.Join(closed, "out"), "unlimited", "permission denied"},
			{"below a read-only folder", filepath.Join(closed, "new", "out"), "unlimited", "permission denied"},
			{"full disk", filepath.Join(open, "out"), "100", "file too large"},
		} {
			t.Run(what+", "+c.name, func(t *testing.T) {
				cmd := exec.Command("/bin/sh", "-c", `ulimit -f `+c.limit+`; exec "$@"`, "sh", bin, "author", what, "retail", "--model", "writer", "--synthetic",
					"--base-url", srv.URL+"/v1", "--out", c.out)
				cmd.Dir = "/"
				if os.Geteuid() == 0 {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
				}
				text, err := cmd.CombinedOutput()
				if cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(text), c.want) || server.asked.Load() != 0 {
					t.Errorf("%v, %d calls\n%s", err, server.asked.Load(), text)
				}
			})
		}
	}
	if left, err := os.ReadDir(open); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
