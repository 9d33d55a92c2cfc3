package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/sim/llm"
)

// Ledger keeps the requests of one conversation, or of its grading, and their answers while it runs. A request is kept as
// what it does not share with the one before it of the same role, and what many conversations send alike is kept once for
// all: in memory as in the file that Writer makes of it. Safe for concurrent use.
type Ledger struct {
	texts *texts

	mu   sync.Mutex
	last map[string]rope // the latest request, by role
	used []*text

	exchanges []exchange
}

// NewLedger returns an empty ledger for Exchanges of one trial.
func (w *Writer) NewLedger() *Ledger { return w.texts.ledger() }

// Ledgers makes ledgers for scores that AppendScores stores later; hide masks the secrets of those who are asked.
func Ledgers(hide llm.Redactor) func() *Ledger { return (&texts{hide: hide}).ledger }

func (t *texts) ledger() *Ledger {
	return &Ledger{texts: t, last: map[string]rope{}}
}

// Add keeps an exchange, without the run's secrets. The exchange's slices are not referred to afterwards.
func (l *Ledger) Add(x llm.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := exchange{Role: x.Tag.Role, Ordinal: x.Tag.Ordinal, Sample: x.Tag.Sample, Status: x.Status, Cut: x.Cut,
		Error: string(l.texts.hide.Redact([]byte(x.Error)))}
	if answer := l.texts.hide.Redact(x.Answer); utf8.Valid(answer) {
		e.Answer = string(answer)
	} else {
		e.Bytes = bytes.Clone(answer)
	}
	before := l.last[e.Role]
	r, pieces := l.split(x, before)
	if l.leaks(r, pieces) {
		r, pieces = l.split(llm.Exchange{Request: l.texts.hide.Redact(x.Request)}, before)
	}
	for _, p := range pieces {
		if p.common != nil && !slices.Contains(l.used, p.common) {
			l.used = append(l.used, p.common)
		}
	}
	e.Request, l.last[e.Role] = pieces, r
	l.exchanges = append(l.exchanges, e)
}

// any tells whether there is something to store.
func (l *Ledger) any() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.exchanges) > 0
}

// split returns a request as pieces, and as what is kept of it.
func (l *Ledger) split(x llm.Exchange, before rope) (r rope, pieces []piece) {
	body := x.Request
	literal := func(text []byte) {
		if len(text) > 0 {
			pieces = append(pieces, piece{New: string(text)})
			r = append(r, pieces[len(pieces)-1].New)
		}
	}
	if before == nil {
		at := 0
		for _, c := range x.Common {
			if c[1]-c[0] < leastCommon {
				continue
			}
			literal(body[at:c[0]])
			t := l.texts.of(body[c[0]:c[1]])
			pieces = append(pieces, piece{Text: t.name, common: t})
			r, at = append(r, t.content), c[1]
		}
		literal(body[at:])
		return r, pieces
	}
	size := before.size()
	head := before.prefix(body)
	tail := min(before.suffix(body), size-head, len(body)-head)
	for head > 0 && !runeStarts(body, head) {
		head--
	}
	for tail > 0 && !runeStarts(body, len(body)-tail) {
		tail--
	}
	if head > 0 {
		pieces, r = append(pieces, piece{To: head, kept: head}), before.cut(0, head)
	}
	literal(body[head : len(body)-tail])
	if tail > 0 {
		end := piece{From: size - tail, kept: tail}
		if end.From == 0 {
			end.To = size
		}
		pieces, r = append(pieces, end), append(r, before.cut(size-tail, size)...)
	}
	return r, pieces
}

// runeStarts tells whether text may be cut at a place without cutting a character in two.
func runeStarts(text []byte, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

// leaks tells whether what is new of a request holds a secret, wholly or together with what is beside it. What is not new
// was looked at before.
func (l *Ledger) leaks(r rope, pieces []piece) bool {
	room := l.texts.hide.Longest()
	if room == 0 {
		return false
	}
	at := 0
	for _, p := range pieces {
		if p.common != nil && p.common.secret {
			return true
		}
		window := []byte(r.cut(at-room, at+len(p.New)+room).String())
		if !bytes.Equal(window, l.texts.hide.Redact(window)) {
			return true
		}
		at += p.size()
	}
	return false
}

// leastCommon is the length in bytes from which a text is kept once for all conversations.
const leastCommon = 512

// texts are what requests of several conversations have in common, once for all of them.
type texts struct {
	hide llm.Redactor

	mu  sync.Mutex
	all map[string]*text // by content
}

type text struct {
	name, content string
	secret        bool // it holds one, and is not to be kept
}

func (t *texts) of(content []byte) *text {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.all[string(content)]; known != nil {
		return known
	}
	if t.all == nil {
		t.all = map[string]*text{}
	}
	out := &text{name: textName(content), content: string(content), secret: !bytes.Equal(content, t.hide.Redact(content))}
	t.all[out.content] = out
	return out
}

// addRequests stores a ledger for good, that of a grading or of a conversation, and returns where; nowhere if it is nil or
// empty.
func (w *Writer) addRequests(ref Ref, grading bool, l *Ledger) (at Place, err error) {
	if !l.any() {
		return at, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	line, err := strict.Marshal(requestsText{requestsVersion, ref, grading, l.exchanges}, jsontext.AllowInvalidUTF8(true))
	if err == nil {
		err = w.there()
	}
	if err == nil {
		_, err = w.folder(filepath.Join(w.dir, requestsDir))
	}
	if err == nil {
		at, err = w.sent.append(w.dir, llm.Seal(line), l.used)
	}
	if err == nil {
		err = w.sent.sync()
	}
	if err != nil {
		return at, fmt.Errorf("requests of %s: %w", ref, err)
	}
	return at, nil
}
