package cassette_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

var checksum = regexp.MustCompile(`,"sum":"[0-9a-f]{8}"`)

// recorded is a tape with three answers.
func recorded(t *testing.T, url string) (dir, file string, text []byte) {
	t.Helper()
	dir = t.TempDir()
	record := connect(t, url, dir, cassette.Record, cassette.Options{})
	for i := range 3 {
		complete(t, record, request(0, i, "p"))
	}
	file = onlyTape(t, dir)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return dir, file, text
}

// TestEditedAnswers: what a model is made to have said afterwards is not played.
func TestEditedAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(text []byte) []byte
		want   string
	}{
		"a word": {func(text []byte) []byte { return bytes.Replace(text, []byte("answer 1"), []byte("answer X"), 1) }, ":2: not as it was written, by its checksum\nhint: restore the line"},
		"a line by hand": {func(text []byte) []byte {
			lines := bytes.SplitAfter(text, []byte("\n"))
			lines[1] = checksum.ReplaceAll(bytes.Replace(lines[1], []byte("answer 1"), []byte("answer X"), 1), nil)
			return bytes.Join(lines, nil)
		}, ":2: not as it was written"},
		"no JSON": {func(text []byte) []byte { return bytes.Replace(text, []byte(`answer 1"`), []byte(`answer 1`), 1) }, "1 other lines of"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := faultserver.NewFunc(t, counting)
			dir, file, text := recorded(t, srv.URL)
			changed := tt.change(text)
			if bytes.Equal(changed, text) {
				t.Fatal("nothing was changed")
			}
			if err := os.WriteFile(file, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, mode := range []cassette.Mode{cassette.Replay, cassette.Verify} {
				c := connect(t, srv.URL, dir, mode, cassette.Options{})
				if e := refused(t, c, request(0, 1, "p")); e.Kind != llm.KindCassette || !strings.Contains(e.Message, tt.want) {
					t.Errorf("%s: %v, want %q", mode, e, tt.want)
				}
				if mode == cassette.Replay {
					complete(t, c, request(0, 2, "p"))
				}
			}
		})
	}
}

// TestEditedAnswersAreToldOf: a run that records needs the answer all the same.
func TestEditedAnswersAreToldOf(t *testing.T) {
	t.Parallel()
	srv := faultserver.NewFunc(t, counting)
	dir, file, text := recorded(t, srv.URL)
	if err := os.WriteFile(file, bytes.Replace(text, []byte("answer 1"), []byte("answer X"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	var told []string
	c := connect(t, srv.URL, dir, cassette.Record, cassette.Options{Failed: func(err error) { told = append(told, err.Error()) }})
	if got := said(complete(t, c, request(0, 1, "p"))); got != "answer 3" {
		t.Errorf("%q, want a fresh answer", got)
	}
	if len(told) != 1 || !strings.Contains(told[0], filepath.Base(file)+":2: not as it was written") {
		t.Errorf("told %q", told)
	}
}

// TestTapesOfOlderPrograms have no checksums, and are added to.
func TestTapesOfOlderPrograms(t *testing.T) {
	t.Parallel()
	srv := faultserver.NewFunc(t, counting)
	dir, file, text := recorded(t, srv.URL)
	if err := os.WriteFile(file, checksum.ReplaceAll(text, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{}), request(0, 3, "p"))
	again := connect(t, "http://127.0.0.1:1/v1", dir, cassette.Replay, cassette.Options{})
	for i := range 4 {
		complete(t, again, request(0, i, "p"))
	}
}

// TestNothingButFiles: a folder in place of a tape, as anything else that is no file, is neither read nor waited for.
func TestNothingButFiles(t *testing.T) {
	t.Parallel()
	srv := faultserver.NewFunc(t, counting)
	dir, file, _ := recorded(t, srv.URL)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	put(t, file)
	replay := connect(t, srv.URL, dir, cassette.Replay, cassette.Options{})
	if e := refused(t, replay, request(0, 0, "p")); e.Kind != llm.KindCassette || !strings.Contains(e.Message, "is no file") {
		t.Errorf("%v", e)
	}
	var told []string
	record := connect(t, srv.URL, dir, cassette.Record, cassette.Options{Failed: func(err error) { told = append(told, err.Error()) }})
	complete(t, record, request(0, 0, "p"))
	if len(told) != 1 || !strings.Contains(told[0], "is no file") {
		t.Errorf("told %q", told)
	}
	dir = t.TempDir()
	put(t, filepath.Join(dir, ".lock"))
	if _, err := cassette.Open(dir, cassette.Record, cassette.Options{}); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("error %v", err)
	}
}
