package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/tauguide/tauguide/sim/llm"
)

// tape is the file of one trial. What is in memory of it are the places of its
// answers and which texts it holds.
type tape struct {
	path string

	mu   sync.Mutex
	read int64 // bytes of the file that are known
	torn bool  // they do not end in a whole line
	// unread counts the whole lines that cannot be read, or are not as they were written.
	unread int
	known  int // lines
	seals  llm.Seals
	lines  map[string]place
	edited map[string]error // of answers that are recorded, but not as they were written
	order  []string         // keys as recorded
	texts  map[string]bool
}

// maxLine bounds an answer with what identifies it, in bytes.
const maxLine = 256 << 20

type place struct {
	at  int64
	len int
}

// line is one answer on a tape.
type line struct {
	Key      string                     `json:"key"`
	Tag      llm.Tag                    `json:"tag"`
	Identity string                     `json:"identity"`
	Run      string                     `json:"run,omitempty"` // that paid
	Params   map[string]json.RawMessage `json:"params"`
	Messages []string                   `json:"messages"` // digests
	Tools    string                     `json:"tools,omitempty"`
	// Texts holds the messages that no line above has, by digest, long ones cut:
	// they serve to say how another request differs.
	Texts map[string]string `json:"texts,omitempty"`
	answer
}

// answer is how a call ended: one of both.
type answer struct {
	Response *llm.Response `json:"response,omitempty"`
	Error    *failure      `json:"error,omitempty"`
}

// failure is an error that is the outcome of a conversation.
type failure struct {
	Kind      llm.Kind `json:"kind"`
	Status    int      `json:"status,omitempty"`
	Code      string   `json:"code,omitempty"`
	Message   string   `json:"message"`
	Param     string   `json:"param,omitempty"`
	RequestID string   `json:"request_id,omitempty"`
	Endpoint  string   `json:"endpoint,omitempty"`
	Model     string   `json:"model,omitempty"`
	Attempts  int      `json:"attempts,omitempty"`
	Quirks    []string `json:"quirks,omitempty"`
	llm.Spent
}

// find looks an answer up. An error says that it is there and cannot be used.
func (t *tape) find(key string) (answer, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil {
		return answer{}, false, err
	}
	p, ok := t.lines[key]
	if !ok {
		return answer{}, false, t.edited[key]
	}
	l, err := t.at(p)
	return l.answer, err == nil, err
}

// open opens the file for reading.
func (t *tape) open() (*os.File, error) {
	if err := checkFile(t.path); err != nil {
		return nil, err
	}
	return os.Open(t.path)
}

// checkFile refuses what is no file: a pipe would be waited for. Nothing there is no error.
func checkFile(path string) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is no file\nhint: move it away", path)
	}
	return nil
}

// load reads what the file has beyond what is known. Lines that cannot be read
// are passed over: their answers are not recorded.
func (t *tape) load() error {
	if t.lines == nil {
		t.lines, t.texts, t.edited = map[string]place{}, map[string]bool{}, map[string]error{}
	}
	f, err := t.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() == t.read {
		return err
	}
	if st.Size() < t.read {
		return fmt.Errorf("%s got shorter while it was in use\nhint: restore it or remove the file", t.path)
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, t.read, st.Size()-t.read), 1<<16)
	for {
		text, n, err := llm.ReadLine(r, maxLine)
		if t.torn = n > 0 && errors.Is(err, io.EOF); err != nil { // torn: perhaps it is being written
			return ignoreEOF(err)
		}
		t.know(text, t.read)
		t.read += int64(n)
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// each reads the lines of the file once, those that cannot be read left out. A
// key that is there twice counts twice.
func (t *tape) each(use func(line)) error {
	f, err := t.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	var seals llm.Seals
	for {
		text, n, err := llm.ReadLine(r, maxLine)
		if n > 0 && seals.Check(text) == nil {
			if v, ok := readLine(text); ok {
				use(v)
			}
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}

// readLine reads a line; ok is false if it is none.
func readLine(text []byte) (l line, ok bool) {
	err := json.Unmarshal(text, &l)
	return l, err == nil && l.Key != "" && (l.Response == nil) != (l.Error == nil)
}

// know notes a line.
func (t *tape) know(text []byte, at int64) {
	t.known++
	edited := t.seals.Check(text)
	l, ok := readLine(text)
	if !ok || edited != nil {
		if len(bytes.TrimSpace(text)) > 0 || text == nil {
			t.unread++
		}
		if ok {
			t.edited[l.Key] = fmt.Errorf("%s:%d: %w\nhint: restore the line, or remove it to have the answer recorded again", t.path, t.known, edited)
		}
		return
	}
	for d := range l.Texts {
		t.texts[d] = true
	}
	if _, have := t.lines[l.Key]; !have { // the first is what later calls were made after
		t.lines[l.Key] = place{at, len(text)}
		t.order = append(t.order, l.Key)
	}
}

// at reads a line again.
func (t *tape) at(p place) (line, error) {
	var l line
	f, err := t.open()
	if err != nil {
		return l, err
	}
	defer f.Close()
	text := make([]byte, p.len)
	if _, err = f.ReadAt(text, p.at); err == nil {
		var seals llm.Seals
		err = seals.Check(text)
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return l, fmt.Errorf("%s: %w\nhint: restore it or remove the file", t.path, err)
	}
	return l, nil
}

// add writes an answer, unless there is one. With mu and the lock between
// processes held.
func (t *tape) add(q question, a answer, o Options) (first *answer, err error) {
	if err := t.load(); err != nil {
		return nil, err
	}
	if p, have := t.lines[q.key]; have {
		l, err := t.at(p)
		return &l.answer, err
	}
	text, err := t.encode(q, a, o)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if t.torn { // by a process that was killed: nobody else writes now
		text = append([]byte{'\n'}, text...)
	}
	if n, err := f.Write(text); err != nil {
		return nil, fmt.Errorf("cassette: %d of %d bytes written: %w", n, len(text), err)
	}
	return nil, t.load()
}

func (t *tape) encode(q question, a answer, o Options) ([]byte, error) {
	l := line{Key: q.key, Tag: q.tag, Identity: q.identity, Run: o.Run, Params: q.params, Tools: digest(q.tools), answer: a}
	for _, m := range q.messages {
		d := digest(m)
		l.Messages = append(l.Messages, d)
		if !t.texts[d] {
			if l.Texts == nil {
				l.Texts = map[string]string{}
			}
			l.Texts[d] = cut(string(m))
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, fmt.Errorf("cassette: %s: %w", q.name(), err)
	}
	text := b.Bytes()
	if o.Hide != nil {
		text = o.Hide(text)
	}
	return llm.Seal(text), nil
}

// longestText bounds how much of a message is kept.
const longestText = 600

// cut shortens a text, keeping its beginning and its end.
func cut(s string) string {
	if len(s) <= longestText {
		return s
	}
	const half = longestText / 2
	return fmt.Sprintf("%s … (%d bytes) … %s", valid(s[:half]), len(s)-2*half, valid(s[len(s)-half:]))
}
