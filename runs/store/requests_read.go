package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

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
// run's folder is read. The error is ErrNoRequests where there is no such file.
func (r *Run) Requests(ref Ref) (*Requests, error) { return r.requests(requestsFile(ref), ref) }

// GradingRequests is Requests for the judge of the score that counts.
func (r *Run) GradingRequests(ref Ref) (*Requests, error) {
	g, err := readGradings(r.dir, &ref)
	if err != nil {
		return nil, err
	}
	e := r.entries[ref]
	if _, counts := g.of(e); !counts || g.counting[ref].Requests == 0 {
		return nil, ErrNoRequests
	}
	return r.requests(gradingFile(ref, g.counting[ref].Requests), ref)
}

func (r *Run) requests(file string, ref Ref) (*Requests, error) {
	content, err := unpack(r.dir, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoRequests
	}
	q := &Requests{run: r, file: filepath.Join(r.dir, filepath.FromSlash(file)), texts: map[string][]byte{}}
	if err == nil {
		err = q.decode(content, ref)
	}
	if err != nil {
		return nil, fmt.Errorf("requests %s: %w", q.file, err)
	}
	return q, nil
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

// unpack reads a compressed file of a run.
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

// text reads a text that several conversations sent.
func (q *Requests) text(name string) ([]byte, error) {
	if known, ok := q.texts[name]; ok {
		return known, nil
	}
	content, err := unpack(q.run.dir, textFile(name))
	if err == nil && textName(content) != name {
		err = llm.ErrEdited
	}
	if err != nil {
		return nil, fmt.Errorf("text %s: %w", filepath.Join(q.run.dir, filepath.FromSlash(textFile(name))), err)
	}
	q.texts[name] = content
	return content, nil
}
