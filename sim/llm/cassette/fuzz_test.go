package cassette_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// FuzzTape puts any bytes before, between and behind the lines of a tape: what was
// recorded is still played, and more can be recorded.
func FuzzTape(f *testing.F) {
	for _, s := range []string{"", "\n", "{}\n", `{"key":"x","response":{}}` + "\n", "\xff\x00", `{"key":1}`, "[]\n{", `{"key":"x","response":null,"error":null}` + "\n"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	srv := faultserver.NewFunc(f, counting)
	record := connect(f, srv.URL, dir, cassette.Record, cassette.Options{})
	for i := range 2 {
		complete(f, record, request(0, i, "p"))
	}
	name := onlyTape(f, dir)
	whole, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	f.Fuzz(func(t *testing.T, junk []byte) {
		broken := t.TempDir()
		between := append(bytes.Clone(junk), '\n')
		text := bytes.Join([][]byte{between, lines[0], between, lines[1], junk}, nil)
		if err := os.WriteFile(filepath.Join(broken, filepath.Base(name)), text, 0o644); err != nil {
			t.Fatal(err)
		}
		c := connect(t, srv.URL, broken, cassette.Record, cassette.Options{Failed: func(err error) { t.Error(err) }})
		for i := range 2 {
			if !complete(t, c, request(0, i, "p")).Replayed {
				t.Fatalf("answer %d was lost", i)
			}
		}
		fresh := said(complete(t, c, request(0, 2, "p")))
		again := complete(t, connect(t, "http://127.0.0.1:1/v1", broken, cassette.Replay, cassette.Options{}), request(0, 2, "p"))
		if said(again) != fresh {
			t.Errorf("recorded %q, played %q", fresh, said(again))
		}
	})
}
