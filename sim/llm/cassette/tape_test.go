package cassette_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestTornTape cuts a tape at every byte, as a process that is killed may: what
// was whole is played, the rest is asked and recorded again.
func TestTornTape(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.NewFunc(t, counting)
	record := connect(t, srv.URL, dir, cassette.Record, cassette.Options{})
	for i := range 3 {
		complete(t, record, request(0, i, "p"))
	}
	file := onlyTape(t, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for size := 0; size <= len(whole); size += 37 {
		cut := t.TempDir()
		name := filepath.Join(cut, filepath.Base(file))
		if err := os.WriteFile(name, whole[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		left := bytes.Count(whole[:size], []byte("\n"))
		before := len(srv.Requests())
		c := connect(t, srv.URL, cut, cassette.Record, cassette.Options{})
		for i := range 3 {
			complete(t, c, request(0, i, "p"))
		}
		if asked := len(srv.Requests()) - before; asked != 3-left {
			t.Fatalf("cut at %d: %d answers left whole, %d asked", size, left, asked)
		}
		again := connect(t, "http://127.0.0.1:1/v1", cut, cassette.Replay, cassette.Options{})
		for i := range 3 {
			complete(t, again, request(0, i, "p"))
		}
	}
}

func onlyTape(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("tapes %q, error %v", files, err)
	}
	return files[0]
}

// TestManyWritersOneFolder: four cassettes on one folder, as four processes have
// them, asked the same by many at once. Each question gets one answer, whoever
// was first.
func TestManyWritersOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var asked atomic.Int64
	srv := faultserver.NewFunc(t, func(n int, _ faultserver.Request) faultserver.Reply {
		asked.Add(1)
		return counting(n, faultserver.Request{})
	})
	const trials, calls = 5, 8
	answers := make([]map[string]string, 4)
	var wg sync.WaitGroup
	for i := range answers {
		answers[i] = map[string]string{}
		c := connect(t, srv.URL, dir, cassette.Record, cassette.Options{Failed: func(err error) { t.Error(err) }})
		var mu sync.Mutex
		for trial := range trials {
			wg.Go(func() {
				for n := range calls {
					resp, err := c.Complete(context.Background(), request(trial, n, "p"))
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					answers[i][fmt.Sprint(trial, n)] = said(resp)
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	for _, other := range answers[1:] {
		if diff := cmp.Diff(answers[0], other); diff != "" {
			t.Fatalf("two processes heard different answers:\n%s", diff)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != trials {
		t.Fatalf("tapes %q, error %v", files, err)
	}
	keys := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for l := range bytes.Lines(text) {
			var v struct{ Key string }
			if err := json.Unmarshal(l, &v); err != nil || keys[v.Key] {
				t.Errorf("%s: key %s repeated or line broken: %v", f, v.Key, err)
			}
			keys[v.Key] = true
		}
	}
	if len(keys) != trials*calls {
		t.Errorf("%d answers recorded, want %d", len(keys), trials*calls)
	}
}

// TestTapesHoldNoSecrets: neither the key of the endpoint, which the answer
// repeats, nor what only Hide knows of.
func TestTapesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.New(t, faultserver.Text("your key is sk-planted-1234, and hush-hush"))
	hide := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hush-hush"), []byte("[redacted]")) }
	complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{Hide: hide}), request(0, 0, "p", "hush-hush"))
	tape, err := os.ReadFile(onlyTape(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sk-planted", "hush-hush", "Authorization", "Bearer"} {
		if bytes.Contains(tape, []byte(secret)) {
			t.Errorf("the tape holds %q: %s", secret, tape)
		}
	}
	if bytes.Count(tape, []byte("[redacted]")) != 3 {
		t.Errorf("want three masks: %s", tape)
	}
}

// TestTextsAreKeptOnce bounds the size of a tape by what is new in each request.
func TestTextsAreKeptOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.NewFunc(t, counting)
	c := connect(t, srv.URL, dir, cassette.Record, cassette.Options{})
	texts := []string{strings.Repeat("policy ", 3000)}
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("unique text %02d", i))
		complete(t, c, request(0, i, texts...))
	}
	tape, err := os.ReadFile(onlyTape(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(tape, []byte("unique text 00")); n != 1 || len(tape) > 60_000 {
		t.Errorf("a text is there %d times, the tape is %d bytes long", n, len(tape))
	}
}

// TestUnwritableFolder loses no answer that was paid for, and says what is wrong.
func TestUnwritableFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	srv := faultserver.NewFunc(t, counting)
	var failed []error
	c := connect(t, srv.URL, dir, cassette.Record, cassette.Options{Failed: func(err error) { failed = append(failed, err) }})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := said(complete(t, c, request(0, 0, "p"))); got != "answer 0" || len(failed) != 1 {
		t.Errorf("answer %q, failures %v", got, failed)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		mode cassette.Mode
		want string
	}{
		{filepath.Join(dir, "none"), cassette.Replay, "record with mode record first"},
		{file, cassette.Verify, "is not a folder"},
		{file, cassette.Record, "name a folder that can be written to"},
		{dir, "rewind", "use one of off, record, replay, verify"},
	} {
		if _, err := cassette.Open(c.dir, c.mode, cassette.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want %q", c.mode, c.dir, err, c.want)
		}
	}
	if _, err := cassette.Open("", cassette.Off, cassette.Options{}); err != nil {
		t.Error(err)
	}
}

// TestDoneContext: who gave up gets no answer, recorded or not.
func TestDoneContext(t *testing.T) {
	t.Parallel()
	srv := faultserver.NewFunc(t, counting)
	c := connect(t, srv.URL, t.TempDir(), cassette.Record, cassette.Options{})
	complete(t, c, request(0, 0, "p"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := c.Complete(ctx, request(0, 0, "p"))
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindCancelled {
		t.Errorf("error %v", err)
	}
}
