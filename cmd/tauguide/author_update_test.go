//go:build unix

package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// TestAuthorUpdateIsKilled kills an update at each of its calls: the workflow stays what it was to the byte, no answer is
// asked for twice, and the workflow that comes of it is that of an undisturbed command.
func TestAuthorUpdateIsKilled(t *testing.T) {
	bin := program(t)
	workshop, err := filepath.Abs("../../agents/synthetic/testdata/workshop")
	if err != nil {
		t.Fatal(err)
	}
	w, err := described.Open(workshop)
	if err != nil {
		t.Fatal(err)
	}
	scripts := scripted.Repeating(scripted.Reference{Load: func() (*guide.Bundle, error) { return guide.LoadFolder(workshop) }, World: w})
	models := synthetic.New(map[string]*domains.World{w.Name: w.WithTasks([]domains.Task{{}})}, synthetic.Config{Scripts: scripts})
	server := &writing{next: synthetic.NewServer(models), hung: make(chan struct{}, 1)}
	srv := httptest.NewServer(server)
	defer srv.Close()
	start := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(bin, append([]string{"author", "workflow", "--model", "writer", "--synthetic", "--base-url", srv.URL + "/v1"}, args...)...)
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		return cmd, &text
	}
	published := func() string {
		dir := filepath.Join(t.TempDir(), "flow")
		cmd, text := start("--policy", workshop+"/policy/rules.md", "--policy", workshop+"/policy/prices.md", "--tools", workshop+"/tools.yaml", "--out", dir)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for file, change := range map[string][2]string{
			"prices.md": {"12 euros", "15 euros"}, "rules.md": {"can be moved to another day once.", "can be moved to another day twice.\nBe friendly."},
		} {
			name := filepath.Join(dir, "policy", file)
			policy, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, []byte(strings.Replace(string(policy), change[0], change[1], 1)), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		server.asked.Store(0)
		return dir
	}
	calm := published()
	cmd, text := start("--update", calm)
	if err := cmd.Run(); err != nil || !strings.Contains(text.String(), "changed: cancel_job.name_fee\n") {
		t.Fatalf("undisturbed: %v\n%s", err, text)
	}
	undisturbed := server.asked.Load()
	if undisturbed < 3 {
		t.Fatalf("%d calls\n%s", undisturbed, text)
	}
	want := untimed(t, filepath.Dir(calm))
	for hang := int64(1); hang <= undisturbed; hang++ {
		rough := published()
		before := tree(t, rough)
		server.hang.Store(hang)
		cmd, _ := start("--update", rough)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-server.hung
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if diff := cmp.Diff(before, tree(t, rough)); diff != "" {
			t.Errorf("killed at call %d: (-before +killed):\n%s", hang, diff)
		}
		server.hang.Store(0)
		server.asked.Store(0)
		cmd, text := start("--update", rough)
		if err := cmd.Run(); err != nil {
			t.Fatalf("given again: %v\n%s", err, text)
		}
		if n := server.asked.Load(); n != undisturbed-(hang-1) {
			t.Errorf("killed at call %d: %d calls when it was given again, want the %d that were left", hang, n, undisturbed-(hang-1))
		}
		if diff := cmp.Diff(want, untimed(t, filepath.Dir(rough))); diff != "" {
			t.Errorf("killed at call %d: (-undisturbed +killed):\n%s", hang, diff)
		}
	}
}
