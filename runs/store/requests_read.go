package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/tidwall/gjson"

	"github.com/tauguide/tauguide/sim/llm"
)

// Requests are the requests of one attempt at a trial, or of its grading, in the order in which they were sent.
type Requests struct {
	run   *Run
	file  string // for errors
	texts map[string][]byte

	exchanges []exchange
}

// ErrNoRequests says that requests were not recorded.
var ErrNoRequests = errors.New("the requests were not recorded")

// Requests reads what models were sent during an attempt at a trial, and what they answered. Nothing outside of the
// run's folder is read. The error is ErrNoRequests where there is nothing.
func (r *Run) Requests(ref Ref) (*Requests, error) {
	q, err := r.sent(ref, false, r.entries[ref].Sent)
	if errors.Is(err, ErrNoRequests) {
		return r.requests(requestsFile(ref), ref)
	}
	return q, err
}

// GradingRequests is Requests for the judge of the score that counts.
func (r *Run) GradingRequests(ref Ref) (*Requests, error) {
	g, err := r.grading(ref, decodeResult)
	if err != nil {
		return nil, err
	}
	e, s := r.entries[ref], g.counting[ref]
	switch _, counts := g.of(e); {
	case counts && s.Sent != Place{}:
		return r.sent(ref, true, s.Sent)
	case counts && s.Requests > 0:
		return r.requests(gradingFile(ref, s.Requests), ref)
	}
	return nil, ErrNoRequests
}

// requests reads a file of an older program.
func (r *Run) requests(file string, ref Ref) (*Requests, error) {
	content, err := unpack(r.dir, file)
	return r.newRequests(file, map[string][]byte{}, content, ref, err)
}

func (r *Run) newRequests(file string, texts map[string][]byte, content []byte, ref Ref, err error) (*Requests, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoRequests
	}
	q := &Requests{run: r, file: filepath.Join(r.dir, filepath.FromSlash(file)), texts: texts}
	if err == nil {
		err = q.decode(content, ref)
	}
	if err != nil {
		return nil, fmt.Errorf("requests %s: %w", q.file, err)
	}
	return q, nil
}

// sent reads what was sent during an attempt, or for its grading, from the place that is noted. Of an attempt without one,
// as after a kill before it was noted, it is the last that the segments have.
func (r *Run) sent(ref Ref, grading bool, noted Place) (*Requests, error) {
	is := func(line []byte) bool { return isOf(line, ref) && gjson.GetBytes(line, "grading").Bool() == grading }
	if noted != (Place{}) {
		return r.sentIn(ref, noted, func(at int64, line []byte) (it, last bool) { return at == noted[2] && is(line), at >= noted[2] })
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	known, err := segments(root.FS())
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(known) {
		q, err := r.sentIn(ref, Place{n}, func(_ int64, line []byte) (it, last bool) { return is(line), false })
		if !errors.Is(err, ErrNoRequests) {
			return q, err
		}
	}
	return nil, ErrNoRequests
}

// sentIn reads what was sent from the last of a segment's lines of which is says that it is it.
func (r *Run) sentIn(ref Ref, from Place, is func(at int64, line []byte) (it, last bool)) (*Requests, error) {
	texts := map[string][]byte{}
	var content []byte
	err := readFrames(r.dir, from, func(at int64, line []byte) (more bool) {
		if bytes.HasPrefix(line, []byte(`{"text":`)) {
			text := gjson.GetManyBytes(line, "text", "content")
			texts[text[0].Str] = []byte(text[1].Str)
			return true
		}
		it, last := is(at, line)
		if it {
			content = bytes.Clone(line)
		}
		return !last
	})
	if err == nil && content == nil {
		return nil, ErrNoRequests
	}
	return r.newRequests(segmentFile(from[0]), texts, content, ref, err)
}

// decode reads a file of requests, which must be as it was written.
func (q *Requests) decode(content []byte, ref Ref) error {
	var text requestsText
	var seals llm.Seals
	if err := json.Unmarshal(content, &text); err != nil {
		return err
	}
	switch {
	case text.Version > requestsVersion:
		return fmt.Errorf("version %d is newer than this program's %d\nhint: %w", text.Version, requestsVersion, errNewer)
	case text.Ref != ref:
		return fmt.Errorf("they are those of %s", text.Ref)
	}
	q.exchanges = text.Exchanges
	return seals.Check(content)
}

// unpack reads a compressed file of an older program.
func unpack(dir, file string) ([]byte, error) {
	packed, err := readInside(dir, file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(z, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = errTooLarge
	}
	return content, err
}

var errTooLarge = fmt.Errorf("it unpacks to more than the %d bytes that are read", maxFile)

// Sent is an exchange as it was recorded, but for the request, which Request puts together.
type Sent struct {
	Role            string
	Ordinal, Sample int    // of the call, see llm.Tag
	Status          int    // of HTTP; 0 where no answer came
	Answer          []byte // as it came; of one that does not count at most the beginning
	Cut             bool   // it went on
	Error           string // why it does not count
}

// Sent lists the exchanges.
func (q *Requests) Sent() []Sent {
	out := make([]Sent, len(q.exchanges))
	for i, x := range q.exchanges {
		out[i] = Sent{x.Role, x.Ordinal, x.Sample, x.Status, x.Bytes, x.Cut, x.Error}
		if x.Bytes == nil {
			out[i].Answer = []byte(x.Answer)
		}
	}
	return out
}

// Request returns the body of the request at a place of Sent, as it was sent.
func (q *Requests) Request(at int) ([]byte, error) {
	var body []byte
	var err error
	for i, x := range q.exchanges[:at+1] {
		if x.Role != q.exchanges[at].Role {
			continue
		}
		if body, err = q.next(body, x.Request); err != nil {
			return nil, fmt.Errorf("requests %s: request %d: %w", q.file, i, err)
		}
	}
	return body, nil
}

// next makes the next request of the one before it, in its place as far as they begin alike: those of long conversations
// are many and long.
func (q *Requests) next(before []byte, pieces []piece) ([]byte, error) {
	kept := 0
	if len(pieces) > 0 && pieces[0].From == 0 && pieces[0].To > 0 && pieces[0].To <= len(before) {
		kept, pieces = pieces[0].To, pieces[1:]
	}
	var rest []byte
	for _, p := range pieces {
		switch {
		case p.Text != "":
			content, err := q.text(p.Text)
			if err != nil {
				return nil, err
			}
			rest = append(rest, content...)
		case p.From != 0 || p.To != 0:
			to := cmp.Or(p.To, len(before))
			if p.From < 0 || p.From > to || to > len(before) {
				return nil, fmt.Errorf("it refers to bytes %d to %d of %d", p.From, to, len(before))
			}
			rest = append(rest, before[p.From:to]...)
		default:
			rest = append(rest, p.New...)
		}
		if kept+len(rest) > maxFile {
			return nil, errTooLarge
		}
	}
	return append(before[:kept], rest...), nil
}

// text returns a text that several conversations sent.
func (q *Requests) text(name string) ([]byte, error) {
	content, ok := q.texts[name]
	var err error
	if !ok {
		if content, err = unpack(q.run.dir, textFile(name)); err != nil {
			err = fmt.Errorf("%s: %w", filepath.Join(q.run.dir, filepath.FromSlash(textFile(name))), err)
		}
	}
	if err == nil && textName(content) != name {
		err = llm.ErrEdited
	}
	if err != nil {
		return nil, fmt.Errorf("text %s: %w", name, err)
	}
	q.texts[name] = content
	return content, nil
}
