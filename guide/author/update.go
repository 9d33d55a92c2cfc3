package author

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// Update brings a published workflow up to date with another state of policy or tools. Citations of lines that only moved
// follow them; a model is asked for the files alone that have a node which rests on what changed, and every other node
// stays as it is. Lines that are new are assigned or excluded in a change of the plan. The draft has no files if nothing
// changed. An *EditedError names what was edited by hand and would be overwritten.
func Update(ctx context.Context, j Job, p *Published, c *Changes) (*Draft, error) {
	if c.Same {
		return &Draft{}, nil
	}
	j.Source = c.src
	w, err := p.resume(j, "updated")
	if err != nil {
		return nil, err
	}
	w.connect()
	if err := w.shift(c); err != nil {
		return nil, err
	}
	before, err := clone(w.bundle())
	if err != nil {
		return nil, err
	}
	known := warnings(w.lint())
	if err := w.follow(ctx, c); err != nil {
		return w.draft, err
	}
	if found := w.lint(); warnings(found) > known || len(found.Errors()) > 0 {
		if err := w.review(ctx); err != nil {
			return w.draft, fmt.Errorf("stage review: %w", err)
		}
	}
	w.prune()
	w.plan.Skeletons = w.skeletons()
	w.recall()
	if err := w.republish(ctx, before); err != nil {
		return w.draft, err
	}
	var b strings.Builder
	c.Print(&b)
	w.draft.Files[w.beside("changes.txt")] = b.String()
	return w.draft, nil
}

func warnings(found guide.Findings) int { return len(found) - len(found.Errors()) }

// shift has all citations name the lines of now, and makes the plan that of the files as they are.
func (w *writing) shift(c *Changes) error {
	b, err := clone(w.bundle())
	if err != nil {
		return err
	}
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			n.Policy = c.refs(n.Policy)
		}
	}
	w.moved = c.refs
	w.affected = maps.Clone(c.Affected)
	w.gained = numbersIn(c.gained...)
	w.plan.Excluded = c.excluded(w.plan)
	w.plan.Idle = slices.DeleteFunc(slices.Clone(w.plan.Idle), func(x IdleTool) bool { return !slices.Contains(w.Source.mutating(), x.Tool) })
	for i := range w.plan.Intents {
		in := &w.plan.Intents[i]
		in.Mutating = slices.DeleteFunc(slices.Clone(in.Mutating), func(name string) bool { return !slices.Contains(w.Source.mutating(), name) })
	}
	if err := w.hold(b); err != nil {
		return err
	}
	w.plan.Skeletons = w.skeletons()
	for i := range w.plan.Skeletons {
		sk := &w.plan.Skeletons[i]
		for j := range sk.Steps {
			if step := &sk.Steps[j]; w.affected[sk.Name+"."+step.ID] != nil {
				step.Gist = c.gist(w.base.bundle, sk.Name, step)
			}
		}
	}
	return nil
}

// gist is what a step says without the numbers that lines of the policy no longer have.
func (c *Changes) gist(b *guide.Bundle, file string, step *Step) string {
	lost := maps.Clone(c.lostNumbers)
	for _, f := range b.Files() {
		n, ok := f.Node(step.ID)
		if !ok || f.Name() != file {
			continue
		}
		for _, ref := range n.Policy {
			at, _ := c.was.resolve(ref)
			for _, p := range slices.DeleteFunc(at, func(p place) bool { return !c.differs(p) }) {
				now := numbersIn(c.after[c.lineage.now[p]])
				for number := range numbersIn(c.before[p]) {
					lost[number] = lost[number] || !now[number]
				}
			}
		}
	}
	return numberPattern.ReplaceAllStringFunc(step.Gist, func(number string) string {
		if lost[number] {
			return "…"
		}
		return number
	})
}

// skeletons are those of the files that are there.
func (w *writing) skeletons() (out []Skeleton) {
	for _, f := range w.bundle().Files() {
		sk := Skeleton{Name: f.Name(), Entry: f.Entry, Exits: f.Exits}
		for _, n := range f.Nodes {
			if n.Type == guide.Exit {
				continue
			}
			step := Step{ID: n.ID, Type: n.Type, Tool: strings.Join(n.Tools, "|"), Subflow: n.Subflow, Policy: n.Policy,
				Gist: strings.Join(strings.Fields(wording(n)), " ")}
			for _, e := range n.Edges {
				step.Next = append(step.Next, e.To)
			}
			sk.Steps = append(sk.Steps, step)
		}
		out = append(out, sk)
	}
	return out
}

// follow has the plan changed where something is to be assigned or taken out, and the files written that have affected
// nodes or another skeleton.
func (w *writing) follow(ctx context.Context, c *Changes) error {
	before := w.plan
	if c.structural() {
		if err := w.replan(ctx, c); err != nil {
			return fmt.Errorf("stage plan: %w", err)
		}
	}
	for path, f := range w.files {
		if w.plan.skeleton(f.file.Name()) == nil {
			w.Log(path + ": dropped, for the policy has nothing for it any more")
			delete(w.files, path)
		}
	}
	for _, name := range append(w.plan.order(), mainName) {
		old, sk, path := before.skeleton(name), w.plan.skeleton(name), pathOf(name)
		switch {
		case old == nil:
			if err := w.write(ctx, "subflow.tmpl", path, sk); err != nil {
				return fmt.Errorf("stage subflows: %w", err)
			}
		case len(w.affectedIn(name)) > 0 || !reflect.DeepEqual(old, sk):
			if err := w.rewrite(ctx, c, path, sk); err != nil {
				return fmt.Errorf("stage subflows: %w", err)
			}
		}
	}
	b, err := clone(w.bundle())
	if err != nil {
		return err
	}
	return w.hold(b)
}

func pathOf(name string) string {
	if name == mainName {
		return export.MainFile
	}
	return export.SubflowFile(name)
}

// affectedIn are the nodes of a file that may change, with the reasons.
func (w *writing) affectedIn(name string) (out []string) {
	for _, node := range slices.Sorted(maps.Keys(w.affected)) {
		if id, ok := strings.CutPrefix(node, name+"."); ok {
			out = append(out, id+": "+strings.Join(w.affected[node], "; "))
		}
	}
	return out
}

// rewrite has a file brought up to date. Nodes that are not affected stay as they are, whatever the answer has for them.
func (w *writing) rewrite(ctx context.Context, c *Changes, path string, sk *Skeleton) error {
	data := map[string]any{"File": path, "Text": w.files[path].text, "Skeleton": indented(sk), "Changes": c, "Nodes": w.affectedIn(sk.Name), "Made": w.made()}
	return w.file(ctx, "update.tmpl", path, sk, data)
}

// restore puts the nodes that are not affected back into a file that a model brought up to date; where they lead, the plan
// says.
func (w *writing) restore(path string, f *guide.File) {
	old := w.files[path]
	if w.affected == nil || old == nil {
		return
	}
	f.Title = old.file.Title
	for _, n := range f.Nodes {
		was, ok := old.file.Node(n.ID)
		if !ok || w.affected[f.Name()+"."+n.ID] != nil {
			continue
		}
		line, keys := n.Line, n.Keys
		edges := inOrder(was.Edges, n.Edges, func(e guide.Edge) string { return e.When })
		for i := range edges {
			for _, e := range was.Edges {
				if e.When == edges[i].When {
					edges[i].Describe = e.Describe
				}
			}
		}
		*n = *was
		n.Line, n.Keys, n.Edges = line, keys, edges
	}
	f.Intents = inOrder(old.file.Intents, f.Intents, func(in guide.Intent) string { return in.Label })
}

// inOrder has what was there before in its order, and then what is new.
func inOrder[T any](before, now []T, name func(T) string) (out []T) {
	for _, x := range slices.Concat(before, now) {
		i := slices.IndexFunc(now, func(y T) bool { return name(y) == name(x) })
		if i >= 0 && !slices.ContainsFunc(out, func(y T) bool { return name(y) == name(x) }) {
			out = append(out, now[i])
		}
	}
	return out
}

// revision is a change of the plan: what it does not have stays.
type revision struct {
	Plan
	Dropped []string `json:"dropped_subflows"`
}

func (w *writing) replan(ctx context.Context, c *Changes) error {
	var steps []string
	for _, name := range slices.Sorted(maps.Keys(w.affected)) {
		what := strings.Join(w.affected[name], "; ")
		if c.lost[name] {
			what += "; nothing is left for it to stand on"
		}
		steps = append(steps, name+": "+what)
	}
	before, affected := w.plan, w.affected
	data := map[string]any{"Text": indented(before), "Changes": c, "Steps": steps, "Tools": c.idle}
	return w.ask(ctx, "replan.tmpl", "plan", data, func(answer string) error {
		w.affected = maps.Clone(affected)
		var r revision
		if err := lastJSON(answer, &r); err != nil {
			return short(err)
		}
		p, err := w.merge(before, r)
		if err == nil {
			err = auditPlan(p, w.Source)
		}
		if err != nil {
			return short(err)
		}
		w.plan = p
		return nil
	})
}

// merge applies a change to a plan. Steps that rest on nothing that changed stay, unless they take on a new citation.
func (w *writing) merge(before *Plan, r revision) (*Plan, error) {
	p := *before
	var bad []error
	p.Skeletons = nil
	for _, old := range before.Skeletons {
		if slices.Contains(r.Dropped, old.Name) {
			if len(w.affectedIn(old.Name)) == 0 {
				bad = append(bad, fmt.Errorf("%s: nothing in it rests on what changed: keep it", old.Name))
			}
			continue
		}
		sk := r.skeleton(old.Name)
		if sk == nil {
			p.Skeletons = append(p.Skeletons, old)
			continue
		}
		merged, err := w.mergeFile(old, *sk, r.Dropped)
		bad = append(bad, err)
		p.Skeletons = append(p.Skeletons, merged)
	}
	for _, sk := range r.Skeletons {
		if before.skeleton(sk.Name) == nil {
			p.Skeletons = append(p.Skeletons, sk)
		}
	}
	if len(r.Intents) > 0 {
		p.Intents = r.Intents
	}
	for _, in := range before.Intents {
		has := slices.ContainsFunc(p.Intents, func(x Intent) bool { return x.Label == in.Label })
		if !has && !slices.Contains(r.Dropped, in.Subflow) {
			bad = append(bad, fmt.Errorf("intent %s: its subflow is still there: keep it", in.Label))
		}
	}
	p.Shared = slices.DeleteFunc(slices.Concat(before.Shared, r.Shared), func(s Shared) bool { return slices.Contains(r.Dropped, s.Name) })
	p.Idle = slices.Concat(before.Idle, r.Idle)
	p.Excluded = slices.Concat(before.Excluded, r.Excluded)
	return &p, errors.Join(bad...)
}

// mergeFile applies a change to a skeleton.
func (w *writing) mergeFile(old, now Skeleton, dropped []string) (Skeleton, error) {
	var bad []error
	say := func(format string, args ...any) { bad = append(bad, fmt.Errorf(old.Name+"."+format, args...)) }
	find := func(sk Skeleton, id string) *Step {
		for i := range sk.Steps {
			if sk.Steps[i].ID == id {
				return &sk.Steps[i]
			}
		}
		return nil
	}
	free := func(id string) bool { // to be led to, or no longer
		was, is := find(old, id), find(now, id)
		return was == nil != (is == nil) || w.affected[old.Name+"."+id] != nil
	}
	now.Steps = slices.Clone(now.Steps)
	for _, was := range old.Steps {
		name := old.Name + "." + was.ID
		is := find(now, was.ID)
		switch {
		case w.affected[name] != nil:
			continue
		case is == nil && !slices.Contains(dropped, was.Subflow):
			say("%s rests on nothing that changed: keep it", was.ID)
			continue
		case is == nil:
			continue
		}
		other := append(difference(was.Next, is.Next), difference(is.Next, was.Next)...)
		if len(other) > 0 && !slices.ContainsFunc(other, free) {
			say("%s leads to %s, and before to %s: nothing there changed", was.ID, strings.Join(is.Next, ", "), strings.Join(was.Next, ", "))
		}
		if more := difference(is.Policy, was.Policy); len(more) > 0 && len(difference(was.Policy, is.Policy)) == 0 {
			w.affected[name] = []string{"it takes on " + strings.Join(more, ", ")}
			continue
		}
		next := is.Next
		*is = was
		is.Next = next
	}
	return now, errors.Join(bad...)
}

// difference is what a has and b has not.
func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}
