package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

const requestSecret = "sk-secret-abcabc"

// writing opens a folder for writing.
func writing(t testing.TB, dir string) *Writer {
	t.Helper()
	w, err := openWriter(dir, llm.NewRedactor(llm.Endpoint{Key: requestSecret}), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

var someTrial = Ref{Key: sim.Key{Domain: "retail", System: "A/B", Task: "0"}}

// TestRequestsComeBackAsTheyWereSent stores requests that share beginnings, ends and long texts, of roles by turns, some
// with secrets at any place, and reads them again.
func TestRequestsComeBackAsTheyWereSent(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "ü", "漢", "\"", "\\", "abc", requestSecret, requestSecret[:8], requestSecret[8:], "\n"})
	long := rapid.SampledFrom([]string{strings.Repeat("policy ", 100), strings.Repeat("tools ", 100), strings.Repeat("x", 600) + requestSecret})
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "requests-*")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		hide := llm.NewRedactor(llm.Endpoint{Key: requestSecret})
		w, err := openWriter(dir, hide, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		l := w.NewLedger()
		var want []llm.Exchange
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			x := llm.Exchange{Tag: llm.Tag{Role: rapid.SampledFrom([]string{"agent", "user"}).Draw(t, "role"), Ordinal: len(want)}, Status: 200}
			var b bytes.Buffer
			for _, s := range rapid.SliceOfN(word, 0, 6).Draw(t, "words") {
				b.WriteString(s)
			}
			from := b.Len()
			b.WriteString(long.Draw(t, "long"))
			x.Common = [][2]int{{from, b.Len()}}
			for _, s := range rapid.SliceOfN(word, 0, 6).Draw(t, "more words") {
				b.WriteString(s)
			}
			x.Request = b.Bytes()
			x.Answer = rapid.SampledFrom([][]byte{[]byte("{}"), []byte("\xff\x00"), []byte(requestSecret)}).Draw(t, "answer")
			l.Add(x)
			want = append(want, x)
		}
		if err := w.addRequests(requestsFile(someTrial), someTrial, l); err != nil {
			t.Fatal(err)
		}
		q, err := (&Run{dir: dir}).Requests(someTrial)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range q.Sent() {
			body, err := q.Request(i)
			if err != nil {
				t.Fatal(err)
			}
			if sent := hide.Redact(want[i].Request); !bytes.Equal(body, sent) {
				t.Fatalf("request %d:\n%q\nwant\n%q", i, body, sent)
			}
			if answer := hide.Redact(want[i].Answer); !bytes.Equal(got.Answer, answer) || got.Ordinal != i {
				t.Fatalf("answer %d: %q of call %d, want %q", i, got.Answer, got.Ordinal, answer)
			}
		}
		if len(q.Sent()) != len(want) {
			t.Fatalf("%d exchanges, want %d", len(q.Sent()), len(want))
		}
	})
}

// TestRequestsAreSmall: a conversation's requests grow with what is new in them, and a text that conversations share is
// stored once.
func TestRequestsAreSmall(t *testing.T) {
	dir := t.TempDir()
	w := writing(t, dir)
	system := strings.Repeat("A parcel may be rerouted once. ", 500)
	for trial := range 3 {
		l := w.NewLedger()
		body := `{"messages":[` + system
		for i := range 50 {
			body += fmt.Sprintf(`,{"content":"message %d of trial %d"}`, i, trial)
			l.Add(llm.Exchange{Tag: llm.Tag{Role: "agent", Ordinal: i}, Request: []byte(body + `],"seed":1}`), Common: [][2]int{{13, 13 + len(system)}}})
		}
		ref := someTrial
		ref.Trial = trial
		if err := w.addRequests(requestsFile(ref), ref, l); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(filepath.Join(dir, requestsFile(ref)))
		if err != nil || st.Size() > 2500 {
			t.Errorf("50 requests with 50 new messages take %d bytes (%v), want at most 2500", st.Size(), err)
		}
	}
	texts, err := os.ReadDir(filepath.Join(dir, requestsDir, "texts"))
	if err != nil || len(texts) != 1 || texts[0].Name() != textName([]byte(system))+".gz" {
		t.Errorf("texts: %v, %v", texts, err)
	}
}

// TestDamagedTextsAreStoredAgain: requests that are stored after a text was damaged do not refer to what cannot be read.
func TestDamagedTextsAreStoredAgain(t *testing.T) {
	dir := t.TempDir()
	system := strings.Repeat("policy ", 100)
	store := func(ref Ref) {
		w := writing(t, dir)
		l := w.NewLedger()
		l.Add(llm.Exchange{Request: []byte(system), Common: [][2]int{{0, len(system)}}})
		if err := w.addRequests(requestsFile(ref), ref, l); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	later := someTrial
	store(someTrial)
	other, err := pack([]byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{"empty": nil, "torn": other[:3], "another text": other} {
		put(t, filepath.Join(dir, filepath.FromSlash(textFile(textName([]byte(system))))), damaged)
		later.Trial++
		store(later)
		for _, ref := range []Ref{someTrial, later} {
			q, err := (&Run{dir: dir}).Requests(ref)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := q.Request(0); err != nil || string(body) != system {
				t.Errorf("%s, %s: %q, %v", name, ref, body, err)
			}
		}
	}
}

// TestDamagedRequestsAreRefused: what is not as it was written is not shown, and the error names the file.
func TestDamagedRequestsAreRefused(t *testing.T) {
	repacked := func(edit func(text string) string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			packed, err := pack([]byte(edit(string(unpacked(t, path)))))
			if err != nil {
				t.Fatal(err)
			}
			put(t, path, packed)
		}
	}
	file, other := requestsFile(someTrial), someTrial
	other.Trial = 1
	shared := textFile(textName([]byte(strings.Repeat("policy ", 100))))
	for _, c := range []struct {
		name, file, want string
		damage           func(t *testing.T, path string)
	}{
		{"nothing", file, "", func(*testing.T, string) {}},
		{"removed", file, ErrNoRequests.Error(), func(t *testing.T, path string) { put(t, path, nil); _ = os.Remove(path) }},
		{"no gzip", file, "invalid header", func(t *testing.T, path string) { put(t, path, []byte("no gzip, but long enough")) }},
		{"torn", file, "unexpected EOF", func(t *testing.T, path string) {
			text, _ := os.ReadFile(path)
			put(t, path, text[:len(text)/2])
		}},
		{"edited", file, llm.ErrEdited.Error(), repacked(func(s string) string { return strings.Replace(s, "hello", "howdy", 1) })},
		{"torn text", file, "unexpected end of JSON", repacked(func(s string) string { return s[:len(s)-20] })},
		{"newer", file, "use a newer program", repacked(func(string) string { return `{"version":99}` })},
		{"another trial's", file, "they are those of retail/A/B/0/1", repacked(func(string) string {
			text, _ := encodeLine(requestsText{requestsVersion, other, nil})
			return string(llm.Seal(text))
		})},
		{"pieces beyond the request before", file, "it refers to bytes 0 to 999999 of", repacked(func(string) string {
			x := exchange{Role: "agent", Request: []piece{{To: 999999}}}
			text, _ := encodeLine(requestsText{requestsVersion, someTrial, []exchange{x, x}})
			return string(llm.Seal(text))
		})},
		{"text removed", shared, "no such file", func(t *testing.T, path string) { _ = os.Remove(path) }},
		{"text edited", shared, llm.ErrEdited.Error(), repacked(strings.ToUpper)},
		{"a link", file, "path escapes", func(t *testing.T, path string) {
			text, _ := os.ReadFile(path)
			put(t, path+".there", text)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".there", path); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := writing(t, dir)
			l := w.NewLedger()
			for i := range 2 {
				body := []byte(strings.Repeat("policy ", 100) + "hello" + strings.Repeat("!", i))
				l.Add(llm.Exchange{Tag: llm.Tag{Role: "agent", Ordinal: i}, Request: body, Common: [][2]int{{0, 700}}})
			}
			if err := w.addRequests(file, someTrial, l); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			c.damage(t, path)
			q, err := (&Run{dir: dir}).Requests(someTrial)
			if err == nil {
				_, err = q.Request(1)
			}
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			case err != nil && err != ErrNoRequests && !strings.Contains(err.Error(), path):
				t.Errorf("error %q does not name %s", err, path)
			}
		})
	}
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTornRequestsAreReplaced: a process that is killed while it stores requests leaves a part of the file, and no record;
// when the trial is run again, those of the new conversation take its place.
func TestTornRequestsAreReplaced(t *testing.T) {
	dir := t.TempDir()
	w := writing(t, dir)
	path := filepath.Join(dir, filepath.FromSlash(requestsFile(someTrial)))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, path, []byte{0x1f, 0x8b})
	for _, body := range []string{"first", "again"} {
		l := w.NewLedger()
		l.Add(llm.Exchange{Request: []byte(body)})
		if err := w.addRequests(requestsFile(someTrial), someTrial, l); err != nil {
			t.Fatal(err)
		}
		q, err := (&Run{dir: dir}).Requests(someTrial)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := q.Request(0); err != nil || string(got) != body {
			t.Errorf("%q, %v; want %q", got, err, body)
		}
	}
}
