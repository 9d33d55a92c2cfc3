// Package cassette records the answers of models and plays them back, so that a
// conversation can run again without asking, or paying, anybody.
//
// An answer is found by what was asked: the body of the request as the endpoint
// would get it, who asked (trial, role and the number of the call), and what the
// caller says of the model. Trials share nothing: four trials with the same
// opening are four recordings. One folder may serve many runs and many
// processes at once.
//
// A trial is one file of lines, which are only ever added, each in one write: a
// process that is killed leaves at most a torn last line, which is passed over.
// The format is described in docs/recordings.md.
package cassette

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/tauguide/tauguide/sim/llm"
)

// Mode says what is done with recordings.
type Mode string

// The modes.
const (
	Off    Mode = "off"    // nothing
	Record Mode = "record" // answer what is recorded, ask for the rest and record it
	Replay Mode = "replay" // answer what is recorded, refuse the rest
	Verify Mode = "verify" // ask, and refuse what is not as recorded
)

// The codes of errors of kind [llm.KindCassette].
const (
	CodeMissing   = "not_recorded"
	CodeDifferent = "differs"
	CodeBroken    = "unreadable"
)

// Options of a cassette.
type Options struct {
	// Hide masks secrets in what is written; nil for none.
	Hide func(text []byte) []byte
	// Failed hears of answers that could not be recorded. They are used all the
	// same, since they are paid for. Nil ignores them.
	Failed func(error)
	// Run names the run that pays for what is recorded; it is kept with each
	// answer and plays no part in finding it. See Paid.
	Run string
}

// Cassette is a folder of recordings. It is safe for concurrent use.
type Cassette struct {
	dir     string
	mode    Mode
	options Options

	mu    sync.Mutex
	tapes map[string]*tape // by file name

	writing sync.Mutex   // within the process
	lock    *flock.Flock // between processes
}

// Open opens the cassette in a folder. To record, the folder is made if need be;
// to replay or verify, it must be there.
func Open(dir string, mode Mode, o Options) (*Cassette, error) {
	c := &Cassette{dir: dir, mode: mode, options: o, tapes: map[string]*tape{}}
	switch mode {
	case Off:
		return c, nil
	case Record:
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("cassette: %w\nhint: name a folder that can be written to", err)
		}
		lock := filepath.Join(dir, ".lock")
		err := checkFile(lock)
		if c.lock = flock.New(lock); err == nil {
			err = errors.Join(c.lock.Lock(), c.lock.Unlock())
		}
		if err != nil {
			return nil, fmt.Errorf("cassette: %w\nhint: name a folder that can be written to", err)
		}
		return c, nil
	case Replay, Verify:
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			err = errors.New(dir + " is not a folder")
		}
		if err != nil {
			return nil, fmt.Errorf("cassette: %w\nhint: record with mode %s first, or correct the path", err, Record)
		}
		return c, nil
	}
	return nil, fmt.Errorf("cassette: no mode %q\nhint: use one of %s, %s, %s, %s", mode, Off, Record, Replay, Verify)
}

// Model is a model whose answers are recorded.
type Model struct {
	// Endpoint and Models give the body of a request. Key and headers play no
	// part.
	Endpoint llm.Endpoint
	Models   llm.Models
	// Identity is what decides the answers beside the body: the address of a
	// real endpoint, the settings of a scripted model. It must hold no secret.
	Identity string
}

// Wrap is the cassette as a [llm.Middleware] for one model. It belongs inside
// the meter and outside of retries and limits: see [llm.Dialer.Dial].
func (c *Cassette) Wrap(m Model) llm.Middleware {
	return func(next llm.Client) llm.Client {
		if c.mode == Off {
			return next
		}
		return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
			return c.complete(ctx, m, req, next)
		})
	}
}

func (c *Cassette) complete(ctx context.Context, m Model, req llm.Request, next llm.Client) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: context.Cause(ctx).Error(), Err: context.Cause(ctx)}
	}
	q, err := ask(m, req)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.KindBadRequest, Endpoint: m.Endpoint.Name, Message: err.Error(), Err: err}
	}
	t := c.tape(req.Tag)
	found, ok, err := t.find(q.key)
	switch {
	case err != nil && c.mode == Record: // the answer is needed all the same
		c.failed(err)
		return next.Complete(ctx, req)
	case err != nil:
		return llm.Response{}, q.refuse(CodeBroken, err.Error())
	case ok && c.mode != Verify:
		return found.give()
	}
	if err := q.split(); err != nil { // the body was just written by the encoder
		return llm.Response{}, q.refuse(CodeBroken, err.Error())
	}
	if !ok && c.mode != Record {
		return llm.Response{}, q.refuse(CodeMissing, c.explain(t, q))
	}
	resp, err := next.Complete(ctx, req)
	if c.mode == Verify {
		return verified(q, found, resp, err)
	}
	a, keep := answerOf(resp, err)
	if !keep {
		return resp, err
	}
	first, failed := c.add(t, q, a)
	switch {
	case failed != nil:
		c.failed(failed)
	case first != nil:
		return first.instead(a)
	}
	return resp, err
}

// failed reports an answer that could not be recorded.
func (c *Cassette) failed(err error) {
	if c.options.Failed != nil {
		c.options.Failed(err)
	}
}

// tape returns the tape of a trial.
func (c *Cassette) tape(tag llm.Tag) *tape {
	name := fileName(tag)
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tapes[name]
	if t == nil {
		t = &tape{path: filepath.Join(c.dir, name)}
		c.tapes[name] = t
	}
	return t
}

// add records an answer. It returns the one that is recorded already, if there
// is one.
func (c *Cassette) add(t *tape, q question, a answer) (first *answer, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.lock.Lock(); err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	defer func() { err = errors.Join(err, c.lock.Unlock()) }()
	return t.add(q, a, c.options)
}

// Paid is what an answer cost.
type Paid struct {
	Role string
	llm.Spent
}

// Paid returns the answers of a trial, which the tag names, that a run recorded
// under the name of [Options.Run]. Lines without a name are nobody's.
func (c *Cassette) Paid(trial llm.Tag, run string) (out []Paid, err error) {
	t := tape{path: filepath.Join(c.dir, fileName(trial))}
	err = t.each(func(l line) {
		switch {
		case l.Run != run || run == "":
		case l.Error != nil:
			out = append(out, Paid{l.Tag.Role, l.Error.Spent})
		default:
			out = append(out, Paid{l.Tag.Role, llm.Spent{Usage: l.Response.Usage, Cost: l.Response.Cost}})
			if l.Response.Failed != nil {
				out = append(out, Paid{l.Tag.Role, *l.Response.Failed})
			}
		}
	})
	return out, err
}

// answerOf is what there is to record of how a call ended. A failure is recorded
// only where it is the outcome of the conversation: what passes must be tried
// again.
func answerOf(resp llm.Response, err error) (a answer, keep bool) {
	if err == nil {
		resp.Raw = nil
		return answer{Response: &resp}, true
	}
	var e *llm.Error
	if !errors.As(err, &e) || (e.Kind != llm.KindContextWindow && e.Kind != llm.KindContentFilter) {
		return answer{}, false
	}
	return answer{Error: &failure{Kind: e.Kind, Status: e.Status, Code: e.Code, Message: e.Message, Param: e.Param,
		RequestID: e.RequestID, Endpoint: e.Endpoint, Model: e.Model, Attempts: e.Attempts, Quirks: e.Quirks, Spent: e.Spent}}, true
}

// instead is the answer that another process recorded first, for the price of the
// one that was paid for here.
func (a answer) instead(paid answer) (llm.Response, error) {
	here := paid.Response
	if here == nil {
		here = &llm.Response{Usage: paid.Error.Usage, Cost: paid.Error.Cost, Attempts: paid.Error.Attempts}
	}
	r, err := a.give()
	var e *llm.Error
	if errors.As(err, &e) {
		e.Replayed, e.Attempts, e.Spent = false, here.Attempts, llm.Spent{Usage: here.Usage, Cost: here.Cost}
		return r, err
	}
	r.Replayed, r.Usage, r.Cost, r.BilledCost, r.Failed, r.Attempts = false, here.Usage, here.Cost, here.BilledCost, here.Failed, here.Attempts
	return r, nil
}

// give returns the answer as the model would have.
func (a answer) give() (llm.Response, error) {
	if f := a.Error; f != nil {
		return llm.Response{}, &llm.Error{Kind: f.Kind, Status: f.Status, Code: f.Code, Message: f.Message, Param: f.Param,
			RequestID: f.RequestID, Endpoint: f.Endpoint, Model: f.Model, Quirks: f.Quirks, Spent: f.Spent, Replayed: true}
	}
	r := *a.Response
	r.Replayed = true
	return r, nil
}

// refuse is the error for a question that the cassette does not answer.
func (q question) refuse(code, why string) *llm.Error {
	return &llm.Error{Kind: llm.KindCassette, Code: code, Endpoint: q.endpoint, Model: q.model, Message: q.name() + ": " + why}
}

// name says which call it is.
func (q question) name() string {
	return fmt.Sprintf("call %d of the %s in trial %s", q.tag.Ordinal, role(q.tag), trialName(q.tag))
}

func role(t llm.Tag) string {
	if t.Role == "" {
		return llm.NoRole
	}
	return t.Role
}

func trialName(t llm.Tag) string {
	return strings.Join([]string{t.Domain, t.System, t.Task, fmt.Sprint(t.Trial)}, "/")
}
