package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTwoProcessesRecordIntoOneFolder has three processes run the same trials with one folder of recordings, one of which
// is killed on the way. No answer is lost, doubled or torn, and every trial that is replayed from the folder is what the
// survivors recorded.
func TestTwoProcessesRecordIntoOneFolder(t *testing.T) {
	models, asked := scriptedModels(t, 2*time.Millisecond), atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		models.ServeHTTP(w, r)
	}))
	defer srv.Close()
	bin, dir := program(t), t.TempDir()
	tapes := filepath.Join(dir, "tapes")
	config := experiment(t, srv.URL+"/v1", "10m", "6", "concurrency: 8", "  - {name: ReAct, agent: react, model: m}\n")
	out := func(name string) string { return filepath.Join(dir, name, "run") }
	start := func(name string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(bin, "run", config, "--out", out(name), "--cassette", "record:"+tapes)
		cmd.Dir = dir
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &text
	}
	a, aText := start("a")
	b, bText := start("b")
	killed, _ := start("killed")
	for len(recordFiles(t, out("killed"))) == 0 {
		time.Sleep(time.Millisecond)
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if err := a.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, aText)
	}
	if err := b.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, bText)
	}
	if diff := cmp.Diff(timeless(t, out("a")), timeless(t, out("b"))); diff != "" {
		t.Errorf("the two runs differ:\n%s", diff)
	}
	want := 0
	for _, text := range timeless(t, out("a")) {
		var v struct {
			Record struct {
				Calls []json.RawMessage `json:"calls"`
			} `json:"record"`
			Score struct {
				JudgeCalls []json.RawMessage `json:"judge_calls"`
			} `json:"score"`
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		want += len(v.Record.Calls) + len(v.Score.JudgeCalls)
	}
	files, err := filepath.Glob(filepath.Join(tapes, "*.jsonl"))
	if err != nil || len(files) != 30 {
		t.Fatalf("%d tapes of 30 trials, %v", len(files), err)
	}
	keys, payers, torn := map[string]bool{}, map[string]int{}, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var l struct{ Key, Run string }
			switch err := json.Unmarshal(line, &l); {
			case err != nil: // the process that was killed may have left one
				torn++
			case l.Key == "" || l.Run == "" || keys[l.Key]:
				t.Errorf("%s: %.200s", f, line)
			default:
				keys[l.Key] = true
				payers[l.Run]++
			}
		}
	}
	if len(keys) != want || torn > 1 {
		t.Errorf("%d answers are recorded, want %d; %d torn lines", len(keys), want, torn)
	}
	t.Logf("%d answers, paid by %v, for %d requests", len(keys), payers, asked.Load())
	before := asked.Load()
	code, _, stderr := command(t, noEnv, "run", config, "--out", out("replay"), "--cassette", "replay:"+tapes, "--base-url", nowhere(t))
	if code != exitOK || asked.Load() != before {
		t.Errorf("the replay ended with %d: %s", code, stderr)
	}
	if diff := cmp.Diff(timeless(t, out("a")), timeless(t, out("replay"))); diff != "" {
		t.Errorf("the replay differs:\n%s", diff)
	}
}
