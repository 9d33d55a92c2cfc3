//go:build unix

package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var secondsOfCall = regexp.MustCompile(`"seconds":[0-9.e-]+`)

// untimed is a folder's tree without the seconds that calls took.
func untimed(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := tree(t, dir)
	for name, text := range out {
		out[name] = secondsOfCall.ReplaceAllString(text, `"seconds":0`)
	}
	return out
}

// TestAuthorWorkflowIsKilled kills the program at 20 random calls of one job after the other: no answer is asked for
// twice, and the workflow is that of an undisturbed command.
func TestAuthorWorkflowIsKilled(t *testing.T) {
	bin := program(t)
	server := &writing{next: writers(t), hung: make(chan struct{}, 1)}
	srv := httptest.NewServer(server)
	defer srv.Close()
	dir := t.TempDir()
	start := func(out string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(bin, "author", "workflow", "retail", "--model", "writer", "--synthetic", "--examples", "--checks", "--base-url", srv.URL+"/v1", "--out", out)
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr, cmd.Dir = &text, &text, dir
		return cmd, &text
	}
	calm := filepath.Join(dir, "calm", "out")
	cmd, text := start(calm)
	if err := cmd.Run(); err != nil {
		t.Fatalf("undisturbed: %v\n%s", err, text)
	}
	undisturbed := server.asked.Swap(0)
	want := untimed(t, filepath.Dir(calm))
	random := rand.New(rand.NewPCG(20, 0))
	for kills, job := 0, 0; kills < 20; job++ {
		rough := filepath.Join(dir, "rough", string(rune('a'+job)), "out")
		answered := int64(0)
		for {
			server.asked.Store(0)
			hang := 1 + random.Int64N(6)
			if kills == 20 || answered+hang > undisturbed {
				hang = 0
			}
			server.hang.Store(hang)
			cmd, text := start(rough)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if hang > 0 {
				<-server.hung
				if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			err := cmd.Wait()
			if hang == 0 {
				answered += server.asked.Load()
				if err != nil {
					t.Fatalf("given again: %v\n%s", err, text)
				}
				break
			}
			kills++
			answered += hang - 1
			if _, err := os.Stat(rough); err == nil {
				t.Error("something was written by a command that was killed")
			}
		}
		if answered != undisturbed {
			t.Errorf("job %d: %d answers were asked for, want %d", job, answered, undisturbed)
		}
		if diff := cmp.Diff(want, untimed(t, filepath.Dir(rough))); diff != "" {
			t.Errorf("job %d: (-undisturbed +killed):\n%s", job, diff)
		}
	}
}

// TestAuthorWorkflowOfOddModels has a model go wrong from its first answer on, or from its fourth: the command names the
// stage and what is kept, ends with 1, and leaves nothing in --out.
func TestAuthorWorkflowOfOddModels(t *testing.T) {
	answer := func(message, finish string) string {
		return `{"choices":[{"message":{"role":"assistant",` + message + `},"finish_reason":"` + finish + `"}]}`
	}
	good := writers(t)
	for _, c := range []struct{ name, reply, want string }{
		{"nonsense", answer(`"content":"Bananas are a fruit."`, "stop"), "in the answer"},
		{"another language", answer(`"content":"Gerne: {\"Absichten\": [{\"Name\": \"Stornierung\"}]}"`, "stop"), ""},
		{"200 kB", answer(`"content":"`+strings.Repeat("all work and no play ", 10_000)+`"`, "stop"), "in the answer"},
		{"tool calls", answer(`"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"write_file","arguments":"{}"}}]`, "tool_calls"), "in the answer"},
		{"nothing", answer(`"content":""`, "stop"), ""},
		{"cut off", answer(`"content":"The policy begins with"`, "length"), "cut off at the output limit"},
	} {
		for _, from := range []int64{1, 4} {
			t.Run(c.name, func(t *testing.T) {
				var asked atomic.Int64
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if asked.Add(1) < from {
						good.ServeHTTP(w, r)
						return
					}
					_, _ = io.WriteString(w, c.reply)
				}))
				defer srv.Close()
				out := filepath.Join(t.TempDir(), "out")
				code, stdout, stderr := command(t, noEnv, "author", "workflow", "retail", "--model", "writer", "--synthetic", "--base-url", srv.URL+"/v1", "--out", out)
				stage, kept := "stage plan: plan: ", "give the command again to go on"
				if from > 1 {
					stage, kept = "stage subflows: subflows/", "3 answers are kept in "
				}
				if code != exitError || stdout != "" || !strings.Contains(stderr, "nothing was written to "+out+": "+stage) || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, kept) {
					t.Errorf("exit code %d\n%.3000s%.3000s", code, stdout, stderr)
				}
				if len(stderr) > 20_000 {
					t.Errorf("%d bytes on stderr", len(stderr))
				}
				if _, err := os.Stat(out); err == nil {
					t.Error("something was written")
				}
			})
		}
	}
}

// TestAuthorWorkflowIsOvertaken changes the folder while the model is asked: what is there then stays, and given again the
// command asks nobody a second time. Another command on the same folder is refused meanwhile.
func TestAuthorWorkflowIsOvertaken(t *testing.T) {
	good := writers(t)
	out := filepath.Join(t.TempDir(), "out")
	meanwhile, asked := func() {}, 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		meanwhile()
		meanwhile = func() {}
		good.ServeHTTP(w, r)
	}))
	defer srv.Close()
	author := func(args ...string) (int, string) {
		code, stdout, stderr := command(t, noEnv, append([]string{"author", "workflow", "--model", "writer", "--synthetic", "--base-url", srv.URL + "/v1"}, args...)...)
		return code, stdout + stderr
	}
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(out, name), []byte("mine\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
	meanwhile = func() {
		if code, text := author("retail", "--out", out); code != exitUsage || !strings.Contains(text, "another command is writing there") {
			t.Errorf("at once: exit code %d\n%s", code, text)
		}
		if err := os.Mkdir(out, 0o755); err != nil {
			t.Error(err)
		}
		put("notes.txt")
	}
	if code, text := author("retail", "--out", out); code != exitError || !strings.Contains(text, out+" is not empty") || len(tree(t, out)) != 1 {
		t.Errorf("written: exit code %d\n%s", code, text)
	}
	if err := os.Remove(filepath.Join(out, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	asked = 0
	if code, text := author("retail", "--out", out); code != exitOK || asked != 0 {
		t.Fatalf("given again: exit code %d, %d calls\n%s", code, asked, text)
	}
	meanwhile = func() { put("notes.txt") }
	revise := []string{"--continue", out, "--checks"}
	code, text := author(revise...)
	if code != exitError || !strings.Contains(text, filepath.Join(out, "notes.txt")+" was changed while the model was asked") || tree(t, out)["/notes.txt"] != "mine\n" {
		t.Errorf("continued: exit code %d\n%s", code, text)
	}
	asked = 0
	if code, text := author(revise...); code != exitOK || asked != 0 || tree(t, out)["/notes.txt"] != "mine\n" {
		t.Errorf("continued again: exit code %d, %d calls\n%s", code, asked, text)
	}
}
