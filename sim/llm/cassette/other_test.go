package cassette_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestAnotherRunsCassette replays with the recordings of another run: the miss is named, with what the folder has in place
// of it.
func TestAnotherRunsCassette(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.NewFunc(t, counting)
	record := connect(t, srv.URL, dir, cassette.Record, cassette.Options{})
	for trial := range 3 {
		req := request(trial, 0, "p", "q")
		req.Tag.RunSeed = 7
		complete(t, record, req)
	}
	asked := len(srv.Requests())
	for _, c := range []struct {
		name   string
		change func(*llm.Request)
		want   string
	}{
		{"seed", func(r *llm.Request) { r.Tag.RunSeed = 300 }, "call 0 of the agent in trial mock/A/t [1]/1: nothing is recorded of this trial (no mock.A.t__1_.1."},
		{"seed, by name", func(r *llm.Request) { r.Tag.RunSeed = 300 }, "it is recorded with run seed 7, now 300"},
		{"trial", func(r *llm.Request) { r.Tag.Trial = 9 }, dir + " has recordings of 3 other trials"},
		{"prompt", func(r *llm.Request) { p := "another policy"; r.Messages[0].Content = &p }, "it is recorded with another request, which had another message 0: "},
		{"model", func(r *llm.Request) { r.Model = "larger" }, `which had model "local-model", now "larger"`},
		{"temperature", func(r *llm.Request) { x := 0.5; r.Temperature = &x }, "which had temperature absent, now 0.5"},
		{"tools", func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "f", Parameters: []byte(`{}`)}} }, "offered other tools"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := request(1, 0, "p", "q")
			req.Tag.RunSeed = 7
			c.change(&req)
			e := refused(t, connect(t, srv.URL, dir, cassette.Replay, cassette.Options{}), req)
			if e.Kind != llm.KindCassette || e.Code != cassette.CodeMissing || !strings.Contains(e.Message, c.want) {
				t.Errorf("%s %s, want %q", e.Code, e.Message, c.want)
			}
		})
	}
	empty := t.TempDir()
	if e := refused(t, connect(t, srv.URL, empty, cassette.Replay, cassette.Options{}), request(0, 0, "p")); !strings.Contains(e.Message, empty+" has recordings of 0 other trials") {
		t.Error(e)
	}
	if len(srv.Requests()) != asked {
		t.Errorf("%d requests during the replay", len(srv.Requests())-asked)
	}
}

// TestUnreadableTape: a trial that is recorded, but cannot be read, is not taken for one that is not.
func TestUnreadableTape(t *testing.T) {
	t.Parallel()
	srv := faultserver.NewFunc(t, counting)
	for _, spoil := range []func([]byte) []byte{
		func(b []byte) []byte { return bytes.Replace(b, []byte("{"), []byte("["), 1) },
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { return make([]byte, len(b)) },
	} {
		dir := t.TempDir()
		complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{}), request(0, 0, "p"))
		file := onlyTape(t, dir)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, spoil(text), 0o644); err != nil {
			t.Fatal(err)
		}
		e := refused(t, connect(t, srv.URL, dir, cassette.Replay, cassette.Options{}), request(0, 0, "p"))
		if want := "none of what is recorded of this trial can be read (" + filepath.Base(file) + ")"; !strings.Contains(e.Message, want) {
			t.Errorf("%s, want %q", e.Message, want)
		}
	}
}

// TestPaid tells the answers of a run from those of others, and takes lines of older programs for nobody's.
func TestPaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.NewFunc(t, counting)
	for i, run := range []string{"", "a", "a", "b"} {
		complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{Run: run}), request(0, i, "p"))
	}
	complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{Run: "b"}), request(0, 1, "p")) // recorded by a
	for run, want := range map[string]int{"": 0, "a": 2, "b": 1, "c": 0} {
		c, err := cassette.Open(dir, cassette.Record, cassette.Options{})
		if err != nil {
			t.Fatal(err)
		}
		paid, err := c.Paid(request(0, 0).Tag, run)
		if err != nil || len(paid) != want {
			t.Errorf("run %q paid for %d answers, want %d; %v", run, len(paid), want, err)
		}
		for _, p := range paid {
			if p.Role != "agent" || !p.Usage.PromptTokens.Known || p.Usage.PromptTokens.N == 0 {
				t.Errorf("%+v", p)
			}
		}
		if none, err := c.Paid(request(5, 0).Tag, "a"); err != nil || none != nil {
			t.Errorf("of a trial without a tape: %v, %v", none, err)
		}
	}
}
