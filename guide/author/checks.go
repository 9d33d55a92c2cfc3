package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/sim"
)

// Batch is what the seventh stage is answered for one file.
type Batch struct {
	Checks []Proposal `json:"checks"`
	Left   []Left     `json:"left_to_a_model"`
}

// Proposal is how code shall decide a node: by a check, an event, or checks of its branches by label.
type Proposal struct {
	Node     string            `json:"node"`
	Check    string            `json:"check,omitempty"`
	Event    *guide.Event      `json:"event,omitempty"`
	Branches map[string]string `json:"branch_checks,omitempty"`
}

// Left is a node that code cannot decide.
type Left struct {
	Node   string `json:"node"`
	Reason string `json:"reason"`
}

// dropped is a proposal that is not used.
type dropped struct {
	path string // of the file as it will be published
	Proposal
	reason string
}

func (d dropped) Error() string { return fmt.Sprintf("%s: node %s: %s", d.path, d.Node, d.reason) }

// decided is what came of the seventh stage.
type decided struct {
	trials  *trials
	dropped []dropped
	left    map[string][]Left // by file
}

// decide is the seventh stage: it has checks written, file by file. They are an addition, and what is wrong with them does
// not keep the workflow from being published: a check that cannot be used is asked for once more, and then dropped. A model
// of which nothing can be read for the first file is not asked for the others.
func (w *writing) decide(ctx context.Context) error {
	if !w.Checks {
		return nil
	}
	w.decided = &decided{left: map[string][]Left{}}
	if len(w.Traces) == 0 { // nothing else keeps to a policy of one's own
		w.Traces = w.compliant()
	}
	var err error
	if w.decided.trials, err = newTrials(w.Source, w.bundle(), w.Traces); err != nil {
		return err
	}
	for i, path := range slices.Sorted(maps.Keys(w.files)) {
		err := w.decideFile(ctx, w.files[path])
		if u := (*sim.UnusableError)(nil); errors.As(err, &u) && i > 0 {
			w.decided.dropped = append(w.decided.dropped, dropped{path: w.files[path].file.Path, reason: short(u).Error()})
			err = nil
		}
		if err != nil {
			return err
		}
	}
	if w.base != nil {
		w.carry()
	}
	return w.settle()
}

// Decide has checks written for a published workflow. A node for which none is proposed keeps the one that it has, as long
// as that does no harm. An *EditedError names nodes that were edited by hand and would be overwritten.
func Decide(ctx context.Context, j Job, p *Published) (*Draft, error) {
	if err := p.current(j.Source); err != nil {
		return nil, err
	}
	j.Source, j.Checks = p.asOf(j.Source), true
	w, err := p.resume(j, "checks")
	if err != nil {
		return nil, err
	}
	w.connect()
	w.recall()
	if err := w.decide(ctx); err != nil {
		return w.draft, fmt.Errorf("stage checks: %w", err)
	}
	before, err := clone(p.bundle)
	if err != nil {
		return w.draft, err
	}
	return w.draft, w.republish(ctx, before)
}

func (w *writing) decideFile(ctx context.Context, f *written) error {
	var got *weighed
	data := map[string]any{"File": f.path, "Text": f.text, "Language": checks.Language(w.Source.Name)}
	err := w.ask(ctx, "checks.tmpl", f.path+", checks", data, func(answer string) error {
		first := got
		next, err := w.weigh(f.file, answer)
		if err != nil {
			return short(err)
		}
		got = next
		if first != nil {
			got.withdraw(first)
			return nil
		}
		if bad := got.bad(); bad != nil {
			return short(bad)
		}
		return nil
	})
	if u := (*sim.UnusableError)(nil); got != nil && errors.As(err, &u) { // the second answer alone
		w.decided.dropped = append(w.decided.dropped, dropped{path: f.file.Path, reason: short(u).Error()})
		err = nil
	}
	if err != nil {
		return err
	}
	f.file = got.file
	w.decided.left[f.file.Path] = got.left
	for _, d := range got.dropped {
		w.Log("dropped: " + strings.ReplaceAll(short(d).Error(), "\n", " | "))
	}
	w.decided.dropped = append(w.decided.dropped, got.dropped...)
	return nil
}

// weighed is an answer of which only what can be used was taken.
type weighed struct {
	file    *guide.File // with checks
	dropped []dropped
	left    []Left
}

func (g *weighed) bad() error {
	var out []error
	for _, d := range g.dropped {
		out = append(out, d)
	}
	return errors.Join(out...)
}

// withdraw remembers what an earlier answer had proposed in vain, and this one leaves alone.
func (g *weighed) withdraw(before *weighed) {
	for _, d := range before.dropped {
		n, ok := g.file.Node(d.Node)
		again := slices.ContainsFunc(g.dropped, func(x dropped) bool { return x.Node == d.Node })
		if ok && !again && !decidedByCode(n) {
			g.dropped = append(g.dropped, d)
		}
	}
}

// decidedByCode reports whether a node has a check or an event, or branches that have one.
func decidedByCode(n *guide.Node) bool {
	return n.Check != "" || n.Event != nil || slices.ContainsFunc(n.Edges, func(e guide.Edge) bool { return e.Check != "" })
}

// weigh reads an answer for a file and takes what of it can be used: what fits a node, is without error by itself, and
// does no harm in conversations that keep to the policy.
func (w *writing) weigh(f *guide.File, answer string) (*weighed, error) {
	var batch Batch
	if err := lastJSON(answer, &batch); err != nil {
		return nil, err
	}
	got := &weighed{file: copyOf(f), left: batch.Left}
	drop := func(p Proposal, reason string) { got.dropped = append(got.dropped, dropped{f.Path, p, reason}) }
	used := map[string]Proposal{}
	for _, p := range batch.Checks {
		reason := misfit(f, p)
		if _, twice := used[p.Node]; twice && reason == "" {
			reason = "it is there twice: give each node once"
		}
		if reason != "" {
			drop(p, reason)
			continue
		}
		n, _ := got.file.Node(p.Node)
		p.put(n)
		used[p.Node] = p
	}
	take := func(node, reason string) {
		drop(used[node], reason)
		delete(used, node)
		n, _ := got.file.Node(node)
		Proposal{}.put(n)
	}
	for node, reason := range w.mistakes(got.file) {
		take(node, reason)
	}
	for {
		faults, err := w.decided.trials.faults(w.with(got.file))
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(faults, func(at site, _ string) bool { return at.file != f.Path })
		if len(faults) == 0 {
			break
		}
		for at, reason := range faults {
			take(at.node, reason)
		}
	}
	slices.SortStableFunc(got.dropped, func(a, b dropped) int { return cmp.Compare(a.Node, b.Node) })
	return got, nil
}

// misfit says why a proposal is none for this file, "" if it is one.
func misfit(f *guide.File, p Proposal) string {
	n, ok := f.Node(p.Node)
	switch {
	case !ok:
		var ids []string
		for _, n := range f.Nodes {
			ids = append(ids, n.ID)
		}
		return "the file has no such node; " + yamlfile.Suggest(p.Node, ids)
	case strings.TrimSpace(p.Check) == "" && p.Event == nil && len(p.Branches) == 0:
		return "there is neither a check nor an event"
	}
	for _, label := range slices.Sorted(maps.Keys(p.Branches)) {
		if n.Type != guide.Decision || !slices.ContainsFunc(n.Edges, func(e guide.Edge) bool { return e.When == label }) {
			return fmt.Sprintf("it has no branch %q", label)
		}
	}
	return ""
}

// put has a node decided as the proposal says, and not otherwise.
func (p Proposal) put(n *guide.Node) {
	n.Check, n.Event = strings.TrimSpace(p.Check), p.Event
	for key, has := range map[string]bool{"check": n.Check != "", "event": n.Event != nil} {
		delete(n.Keys, key)
		if has {
			n.Keys[key] = n.Line
		}
	}
	for i := range n.Edges {
		n.Edges[i].Check = strings.TrimSpace(p.Branches[n.Edges[i].When])
	}
}

// copyOf copies a file as far as checks go.
func copyOf(f *guide.File) *guide.File {
	out := *f
	out.Nodes = nil
	for _, n := range f.Nodes {
		m := *n
		m.Edges, m.Keys = slices.Clone(n.Edges), maps.Clone(n.Keys)
		out.Nodes = append(out.Nodes, &m)
	}
	return &out
}

// with is the workflow with another state of a file.
func (w *writing) with(f *guide.File) *guide.Bundle {
	b := w.bundle()
	if b.Main.Path == f.Path {
		b.Main = f
	}
	for i := range b.Subflows {
		if b.Subflows[i].Path == f.Path {
			b.Subflows[i] = f
		}
	}
	return b
}

// mistakes are what is wrong with checks by themselves, by node: the workflow without them has no error.
func (w *writing) mistakes(f *guide.File) map[string]string {
	out := map[string]string{}
	for _, x := range guide.Validate(w.with(f), guide.Context{Inventory: w.Source.Inventory, Vocabulary: w.Source.Vocabulary}) {
		if x.File == f.Path && x.Node != "" && (x.Severity == guide.Error || x.Code == "check-constant") {
			out[x.Node] = strings.TrimPrefix(out[x.Node]+"; "+x.Text+"; "+x.Mend, "; ")
		}
	}
	return out
}

// settle drops checks that do harm only beside those of other files.
func (w *writing) settle() error {
	for {
		faults, err := w.decided.trials.faults(w.bundle())
		if err != nil || len(faults) == 0 {
			return err
		}
		for _, f := range w.bundle().Files() {
			for _, n := range f.Nodes {
				if reason, bad := faults[site{f.Path, n.ID}]; bad {
					w.decided.dropped = append(w.decided.dropped, dropped{f.Path, proposalOf(n), reason})
					Proposal{}.put(n)
				}
			}
		}
	}
}

// proposalOf is how code decides a node.
func proposalOf(n *guide.Node) Proposal {
	p := Proposal{Node: n.ID, Check: n.Check, Event: n.Event, Branches: map[string]string{}}
	for _, e := range n.Edges {
		if e.Check != "" {
			p.Branches[e.When] = e.Check
		}
	}
	return p
}
