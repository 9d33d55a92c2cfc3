package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
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

// noted is a run in whose index it says where the requests of an attempt are.
func noted(dir string, ref Ref, at Place) *Run {
	return &Run{dir: dir, entries: map[Ref]Entry{ref: {Sent: at}}}
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
		at, err := w.addRequests(someTrial, false, l)
		if err != nil {
			t.Fatal(err)
		}
		q, err := noted(dir, someTrial, at).Requests(someTrial)
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

// TestRequestsAreSmall: a conversation's requests grow with what is new in them, and what was sent in others before is
// hardly stored again, be it alike or nearly.
func TestRequestsAreSmall(t *testing.T) {
	dir := t.TempDir()
	w := writing(t, dir)
	draw := rand.New(rand.NewPCG(1, 2))
	var policy strings.Builder // that no compression makes small by itself
	for range 2000 {
		fmt.Fprintf(&policy, "%08x ", draw.Uint32())
	}
	before := int64(0)
	for trial := range 12 {
		l := w.NewLedger()
		system := fmt.Sprintf("The tool is tool%d. %s You are told of tool%[1]d.", trial%6, policy.String())
		body := `{"messages":[` + system
		for i := range 50 {
			body += fmt.Sprintf(`,{"content":"message %d of trial %d"}`, i, trial)
			l.Add(llm.Exchange{Tag: llm.Tag{Role: "agent", Ordinal: i}, Request: []byte(body + `],"seed":1}`), Common: [][2]int{{13, 13 + len(system)}}})
		}
		ref := someTrial
		ref.Trial = trial
		if _, err := w.addRequests(ref, false, l); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(filepath.Join(dir, segmentFile(1)))
		if err != nil {
			t.Fatal(err)
		}
		if grown := st.Size() - before; trial > 0 && grown > 1000 {
			t.Errorf("50 requests with 50 new messages take %d bytes, want at most 1000", grown)
		}
		before = st.Size()
	}
}

// TestPlaces reads requests of several processes and frames: where their entries say, and where entries say nothing, as
// after a kill. What is not where an entry says is nowhere: another line of the attempt is of a process that was killed
// before its record, or the judge's, and not what that record was made of.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	places, judged := map[Ref]Place{}, map[Ref]Place{}
	add := func(w *Writer, ref Ref, grading bool, body string) Place {
		l := w.NewLedger()
		l.Add(llm.Exchange{Request: []byte(body + strings.Repeat("shared ", 100)), Common: [][2]int{{len(body), len(body) + 700}}})
		at, err := w.addRequests(ref, grading, l)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	trial := func(n int) Ref { r := someTrial; r.Trial = n; return r }
	big := strings.Repeat("a long answer ", frameSize/50)
	for process := range 2 {
		w := writing(t, dir)
		for n := range 6 {
			ref := trial(6*process + n)
			add(w, ref, false, "killed before its record") // and then run again
			places[ref] = add(w, ref, false, fmt.Sprint(ref.Trial, " ", big))
			judged[ref] = add(w, ref, true, "to the judge")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if last := places[trial(11)]; last[0] != 2 || last[1] == 0 {
		t.Fatalf("the last place is %v, want one in a later frame of the second segment", last)
	}
	for _, ref := range []Ref{trial(0), trial(5), trial(11)} {
		at := places[ref]
		for name, r := range map[string]*Run{"noted": noted(dir, ref, at), "not noted": {dir: dir}} {
			q, err := r.Requests(ref)
			if err != nil {
				t.Fatalf("%s, %s: %v", ref, name, err)
			}
			if body, err := q.Request(0); err != nil || string(body) != fmt.Sprint(ref.Trial, " ", big)+strings.Repeat("shared ", 100) {
				t.Errorf("%s, %s: %.40q, %v", ref, name, body, err)
			}
		}
		for name, at := range map[string]Place{"another's": places[trial(1)], "none": {at[0], at[1], 5}, "no segment": {9}, "the judge's": judged[ref]} {
			if q, err := noted(dir, ref, at).Requests(ref); err != ErrNoRequests {
				t.Errorf("%s, %s: got %v, %v", ref, name, q, err)
			}
		}
	}
	if _, err := (&Run{dir: dir}).Requests(trial(12)); err != ErrNoRequests {
		t.Errorf("requests that were not sent: %v", err)
	}
}

// TestSegmentsGoOnBeyondFourDigits: a process begins the segment after the last by number, which is not the last by name.
func TestSegmentsGoOnBeyondFourDigits(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, requestsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{9999, 10000} {
		put(t, filepath.Join(dir, segmentFile(n)), nil)
	}
	w := writing(t, dir)
	l := w.NewLedger()
	l.Add(llm.Exchange{Request: []byte("hello")})
	if at, err := w.addRequests(someTrial, false, l); err != nil || at[0] != 10001 {
		t.Errorf("segment %d, %v; want 10001", at[0], err)
	}
}

// TestRequestsOfOlderPrograms: they wrote a file for each attempt and each text.
func TestRequestsOfOlderPrograms(t *testing.T) {
	dir := t.TempDir()
	policy := strings.Repeat("policy ", 100)
	name := textName([]byte(policy))
	text, err := encodeLine(requestsText{requestsVersion, someTrial, false, []exchange{{Role: "agent", Request: []piece{{New: "{"}, {Text: name}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{requestsFile(someTrial): string(llm.Seal(text)), textFile(name): policy} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, path, b.Bytes())
	}
	l, later := writing(t, dir).NewLedger(), someTrial
	later.Trial = 1
	l.Add(llm.Exchange{Request: []byte("new")})
	if _, err := writing(t, t.TempDir()).addRequests(later, false, l); err != nil {
		t.Fatal(err)
	}
	q, err := (&Run{dir: dir}).Requests(someTrial)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := q.Request(0); err != nil || string(body) != "{"+policy {
		t.Errorf("%q, %v", body, err)
	}
	put(t, filepath.Join(dir, filepath.FromSlash(textFile(name))), []byte("no gzip, but long enough"))
	if q, err = (&Run{dir: dir}).Requests(someTrial); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Request(0); err == nil || !strings.Contains(err.Error(), textFile(name)+": gzip: invalid header") {
		t.Errorf("a damaged text: %v", err)
	}
}

// TestDamagedRequestsAreRefused: what is not as it was written is not shown, and the error names the file.
func TestDamagedRequestsAreRefused(t *testing.T) {
	repacked := func(edit func(text string) string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			z, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			put(t, path, z.EncodeAll([]byte(edit(unpacked(t, path))), nil))
		}
	}
	other := someTrial
	other.Trial = 1
	line := func(x requestsText) func(string) string {
		return func(text string) string {
			first, _, _ := strings.Cut(text, "\n") // the text
			line, _ := encodeLine(x)
			return first + "\n" + string(llm.Seal(line))
		}
	}
	none := ErrNoRequests.Error()
	for _, c := range []struct {
		name   string
		noted  string // of the error, where the entry says where the line is; "" for none
		sought string // where it does not
		damage func(t *testing.T, path string)
	}{
		{"nothing", "", "", func(*testing.T, string) {}},
		{"removed", none, none, func(t *testing.T, path string) { _ = os.Remove(path) }},
		{"no zstd", "magic number mismatch", "magic number mismatch", func(t *testing.T, path string) { put(t, path, []byte("no zstd, but long enough")) }},
		{"torn", none, none, func(t *testing.T, path string) {
			text, _ := os.ReadFile(path)
			put(t, path, text[:len(text)/2])
		}},
		{"edited", llm.ErrEdited.Error(), llm.ErrEdited.Error(), repacked(func(s string) string { return strings.Replace(s, "hello", "howdy", 1) })},
		{"torn line", none, none, repacked(func(s string) string { return s[:len(s)-20] })},
		{"half a line", "unexpected end of JSON", "unexpected end of JSON", repacked(func(s string) string { return s[:len(s)-20] + "\n" })},
		{"newer", "use a newer program", "use a newer program", repacked(line(requestsText{Version: 99, Ref: someTrial}))},
		{"another trial's", none, none, repacked(line(requestsText{Version: 1, Ref: other}))},
		{"pieces beyond the request before", "it refers to bytes 0 to 999999 of", "it refers to bytes 0 to 999999 of", repacked(line(requestsText{Version: 1, Ref: someTrial,
			Exchanges: []exchange{{Role: "agent"}, {Role: "agent", Request: []piece{{To: 999999}}}}}))},
		{"text removed", none, "no such file", repacked(func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest })},
		{"text edited", llm.ErrEdited.Error(), llm.ErrEdited.Error(), repacked(func(s string) string { return strings.Replace(s, "policy", "POLICY", 1) })},
		{"a link", "path escapes", "path escapes", func(t *testing.T, path string) {
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
			at, err := w.addRequests(someTrial, false, l)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(segmentFile(1)))
			c.damage(t, path)
			for r, want := range map[*Run]string{noted(dir, someTrial, at): c.noted, {dir: dir}: c.sought} {
				q, err := r.Requests(someTrial)
				if err == nil {
					_, err = q.Request(1)
				}
				switch {
				case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
					t.Errorf("noted %v: error %v, want %q", len(r.entries) > 0, err, want)
				case err != nil && err != ErrNoRequests && !strings.Contains(err.Error(), path):
					t.Errorf("error %q does not name %s", err, path)
				}
			}
		})
	}
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // it is still being written
		t.Fatal(err)
	}
	return string(text)
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
