package trials

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// Index is what the conversations of a run say, kept in memory: texts compressed in blocks, which a search goes through
// one after the other, and the names of tools and places. It is made of records as they are needed and belongs to the
// records' checksums, so that nothing of it can be out of date. Safe for concurrent use. The zero Index is empty.
type Index struct {
	mu     sync.Mutex
	docs   []doc
	at     map[store.Ref]int // places in docs
	blocks [][]byte          // compressed, blockSize each before that and a little more
	open   []byte            // the block that is being filled
	names  map[string]string // one copy of each
	spare  sync.Pool         // of *room
}

// room is what a block is looked at in.
type room struct{ text, folded []byte }

// doc is one conversation.
type doc struct {
	sha256         string
	block          int     // in blocks; len(blocks) for the one that is open
	from, to       int     // its texts in the block
	passages       []int32 // their numbers; of events the complement
	tools, stopped []string
	err            error // why it cannot be read
}

// blockSize is how many bytes are compressed together: more take less memory, and more time for a single excerpt.
const blockSize = 1 << 18

// Separators of what is kept; both are escaped wherever a text has them.
const (
	passageEnd = 0x1e
	textEnd    = 0x1f
)

var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) })
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)) })
)

// Found is what a query finds among the lines of a run.
type Found struct {
	Lines  []Line // all of the run
	Places []int  // of those that are found, in the order asked for
	Counts map[Outcome]int
	// Unread is how many conversations were not looked at yet, of those that the query is about.
	Unread int
	// Broken are those that cannot be read; nothing is found in them.
	Broken []error
}

// Find finds what a query asks for. Where that depends on what was said it reads at most so many records that it has not
// read before; 0 is no bound. Counts are of all outcomes, whichever the query wants.
func (x *Index) Find(ctx context.Context, r *store.Run, lines []Line, q Query, most int) (Found, error) {
	out := Found{Lines: lines, Counts: map[Outcome]int{}}
	wanted := q.Of("outcome")
	checks := q.With("outcome").fits(lines)
	var places []int
	for i := range lines {
		if !slices.ContainsFunc(checks, func(fits func(*Line) bool) bool { return !fits(&lines[i]) }) {
			places = append(places, i)
		}
	}
	if q.heard() {
		x.mu.Lock()
		defer x.mu.Unlock()
		var err error
		if out.Unread, err = x.read(ctx, r, lines, places, most); err != nil {
			return out, err
		}
		if places, err = x.heard(lines, places, q, &out); err != nil {
			return out, err
		}
	}
	for _, i := range places {
		out.Counts[lines[i].Outcome]++
		if len(wanted) == 0 || slices.Contains(wanted, string(lines[i].Outcome)) {
			out.Places = append(out.Places, i)
		}
	}
	sorted(lines, out.Places, q.values.Get(Sort))
	return out, nil
}

// List lists the trials of a run that a query asks for. A value that no trial has is an *UnknownError.
func List(ctx context.Context, r *store.Run, q Query) ([]Line, error) {
	lines, x := All(r), &Index{}
	if err := q.check(lines); err != nil {
		return nil, err
	}
	found, err := x.Find(ctx, r, lines, q, 0)
	if err = errors.Join(append(found.Broken, err)...); err != nil {
		return nil, err
	}
	out := []Line{}
	for _, i := range found.Places {
		out = append(out, lines[i])
	}
	if len(out) == 0 {
		return nil, x.unknown(q)
	}
	return out, nil
}

// unknown refuses names that no conversation has of those that were read.
func (x *Index) unknown(q Query) error {
	tools, stopped := x.Names()
	for name, known := range map[string][]string{"tool": tools, "stopped": stopped} {
		for _, v := range q.Of(name) {
			if at := yamlfile.Nearest(v, known); at != "" && at != v {
				return &UnknownError{name, v, fmt.Sprintf("did you mean %q?", at)}
			}
		}
	}
	return nil
}

// heard reports whether a query depends on what was said.
func (q Query) heard() bool {
	return len(NewWords(strings.Join(q.Of(Text), " "))) > 0 || len(q.Of("tool")) > 0 || len(q.Of("stopped")) > 0
}

// Words are those that the query looks for.
func (q Query) Words() Words { return NewWords(strings.Join(q.Of(Text), " ")) }

// read adds the records of lines that are not there yet, at most so many, and returns how many are left.
func (x *Index) read(ctx context.Context, r *store.Run, lines []Line, places []int, most int) (left int, err error) {
	var missing []int
	for _, i := range places {
		if at, there := x.at[lines[i].ref()]; lines[i].Ran() && (!there || x.docs[at].sha256 != lines[i].sha256) {
			missing = append(missing, i)
		}
	}
	if most > 0 && len(missing) > most {
		left, missing = len(missing)-most, missing[:most]
	}
	const batch = 64 // records in memory
	for part := range slices.Chunk(missing, batch) {
		if err := ctx.Err(); err != nil {
			return left, err
		}
		read := make([]said, len(part))
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for k, i := range part {
			g.Go(func() error {
				read[k] = hear(r, &lines[i])
				return nil
			})
		}
		_ = g.Wait()
		for k, i := range part {
			if err := x.add(lines[i].ref(), read[k]); err != nil {
				return left, err
			}
		}
	}
	return left, nil
}

// said is what one record says.
type said struct {
	doc
	text []byte
}

func hear(r *store.Run, l *Line) said {
	s := said{doc: doc{sha256: l.sha256}}
	rec, _, err := r.RecordInside(l.ref())
	if err != nil {
		s.err = err
		return s
	}
	s.tools, s.stopped = transcript.Called(rec), transcript.StoppedAt(rec)
	s.passages, s.text = sayings(rec)
	return s
}

// sayings are the passages of a record: their numbers, and their texts between separators.
func sayings(rec sim.Record) (numbers []int32, all []byte) {
	for _, p := range transcript.Passages(rec) {
		if len(p.Texts) == 0 {
			continue
		}
		number := int32(p.Number)
		if p.Event {
			number = ^number
		}
		numbers = append(numbers, number)
		for _, text := range p.Texts {
			for i, word := range strings.Fields(text) {
				if i > 0 {
					all = append(all, ' ')
				}
				all = append(all, word...)
			}
			all = append(all, textEnd)
		}
		all = append(all, passageEnd)
	}
	return numbers, all
}

// add takes in what a record says.
func (x *Index) add(ref store.Ref, s said) error {
	if x.at == nil {
		x.at, x.names = map[store.Ref]int{}, map[string]string{}
	}
	for _, list := range [][]string{s.tools, s.stopped} {
		for i, name := range list {
			if _, known := x.names[name]; !known {
				x.names[name] = name
			}
			list[i] = x.names[name]
		}
	}
	s.block, s.from = len(x.blocks), len(x.open)
	x.open = append(x.open, s.text...)
	s.to = len(x.open)
	x.at[ref] = len(x.docs)
	x.docs = append(x.docs, s.doc)
	if len(x.open) < blockSize {
		return nil
	}
	e, err := encoder()
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	x.blocks = append(x.blocks, bytes.Clone(e.EncodeAll(x.open, make([]byte, 0, blockSize))))
	x.open = x.open[:0]
	return nil
}

// heard keeps the places of lines in which the query finds what it looks for.
func (x *Index) heard(lines []Line, places []int, q Query, out *Found) ([]int, error) {
	byBlock := map[int][]int{} // docs of which the texts have to be looked at
	place := map[int]int{}
	for _, i := range places {
		at, there := x.at[lines[i].ref()]
		if !there || x.docs[at].sha256 != lines[i].sha256 {
			continue
		}
		d := &x.docs[at]
		if d.err != nil {
			out.Broken = append(out.Broken, d.err)
			continue
		}
		if q.names(d) {
			byBlock[d.block] = append(byBlock[d.block], at)
			place[at] = i
		}
	}
	words := q.Words().folded()
	hit := make([]bool, len(x.docs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for block, docs := range byBlock {
		g.Go(func() error { return x.look(block, docs, words, hit) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var kept []int
	for at, i := range place {
		if hit[at] {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	return kept, nil
}

// names reports whether a conversation has the tools and places that a query names.
func (q Query) names(d *doc) bool {
	for _, f := range Fields() {
		wanted := q.Of(f.Name)
		if f.said == nil || len(wanted) == 0 {
			continue
		}
		has := f.said(d)
		if !slices.ContainsFunc(wanted, func(v string) bool { return v == Any && len(has) > 0 || slices.Contains(has, v) }) {
			return false
		}
	}
	return true
}

// look marks the docs of a block that have all words.
func (x *Index) look(block int, docs []int, words [][]byte, hit []bool) error {
	if len(words) == 0 {
		for _, at := range docs {
			hit[at] = true
		}
		return nil
	}
	return x.inside(block, func(in *room, text []byte) {
		for _, at := range docs {
			in.folded = foldBytes(in.folded[:0], text[x.docs[at].from:x.docs[at].to])
			hit[at] = holds(in.folded, words)
		}
	})
}

// inside has the text of a block looked at, which is there only as long.
func (x *Index) inside(block int, look func(in *room, text []byte)) error {
	in, ok := x.spare.Get().(*room)
	if !ok {
		in = &room{}
	}
	defer x.spare.Put(in)
	if block == len(x.blocks) {
		look(in, x.open)
		return nil
	}
	d, err := decoder()
	if err == nil {
		in.text, err = d.DecodeAll(x.blocks[block], in.text[:0])
	}
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	look(in, in.text)
	return nil
}

// Names are the tools that conversations call, and the places at which one was stopped, of those that were read; sorted.
func (x *Index) Names() (tools, stopped []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.docs {
		tools = append(tools, x.docs[i].tools...)
		stopped = append(stopped, x.docs[i].stopped...)
	}
	slices.Sort(tools)
	slices.Sort(stopped)
	return slices.Compact(tools), slices.Compact(stopped)
}
