package author

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/sim"
)

func (w *writing) makePlan(ctx context.Context) error {
	return w.ask(ctx, "plan.tmpl", "plan", map[string]any{"Source": w.Source}, func(answer string) (err error) {
		w.plan, err = readPlan(answer, w.Source)
		return err
	})
}

// reviewPlan has the plan looked through once. An answer that cannot be used leaves it as it is.
func (w *writing) reviewPlan(ctx context.Context) error {
	if w.NoPlanReview {
		return nil
	}
	before := w.plan
	err := w.once(ctx, "planreview.tmpl", "plan review", map[string]any{"Text": indented(before)}, func(answer string) error {
		if unchanged(answer) {
			return nil
		}
		after, err := readPlan(answer, w.Source)
		if err == nil && !reflect.DeepEqual(before, after) {
			w.plan, w.beforePlan = after, before
		}
		return err
	})
	return err
}

// once asks for what the work can do without: an answer that cannot be used is said to be so, and left.
func (w *writing) once(ctx context.Context, template, doing string, data map[string]any, use func(answer string) error) error {
	var bad error
	err := w.ask(ctx, template, doing, data, func(answer string) error {
		bad = use(answer)
		return nil
	})
	if u := (*sim.UnusableError)(nil); errors.As(err, &u) { // cut off, twice
		bad, err = u, nil
	}
	if bad != nil {
		w.Log(fmt.Sprintf("%s: left as it is, because of %s", doing, strings.ReplaceAll(short(bad).Error(), "\n", " | ")))
	}
	return err
}

func indented(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

// made is what a file's prompt says of the subflows that are there.
type made struct{ Name, Description, Entry, Exits string }

func (w *writing) made() (out []made) {
	for _, name := range w.plan.order() {
		if f := w.files[export.SubflowFile(name)]; f != nil {
			out = append(out, made{name, f.file.Title, f.file.Entry, strings.Join(f.file.Exits, ", ")})
		}
	}
	return out
}

// subflows writes one file after the other, those that others use first.
func (w *writing) subflows(ctx context.Context) error {
	for _, name := range w.plan.order() {
		if err := w.write(ctx, "subflow.tmpl", export.SubflowFile(name), w.plan.skeleton(name)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) main(ctx context.Context) error {
	return w.write(ctx, "main.tmpl", export.MainFile, w.plan.skeleton(mainName))
}

// file asks for a file that keeps to its skeleton.
func (w *writing) file(ctx context.Context, template, path string, sk *Skeleton, data map[string]any) error {
	return w.ask(ctx, template, path, data, func(answer string) error {
		texts, err := files(answer, path)
		if err != nil {
			return short(err)
		}
		f, err := w.read(path, texts[path])
		if err == nil {
			err = w.conform(sk, f.file)
		}
		if err == nil && path == export.MainFile {
			err = w.plan.routed(f.file, nil)
		}
		if err != nil {
			return short(err)
		}
		w.files[path] = f
		return nil
	})
}

// write has a file written along its skeleton, and its paths looked through if it has a decision.
func (w *writing) write(ctx context.Context, template, path string, sk *Skeleton) error {
	data := map[string]any{"File": path, "Text": indented(w.plan), "Skeleton": indented(sk), "Made": w.made(), "Source": w.Source}
	if err := w.file(ctx, template, path, sk, data); err != nil {
		return err
	}
	f := w.files[path]
	if path == export.MainFile || !slices.ContainsFunc(f.file.Nodes, func(n *guide.Node) bool { return n.Type == guide.Decision }) {
		return nil
	}
	data = map[string]any{"File": path, "Skeleton": indented(sk), "Text": f.text}
	return w.once(ctx, "paths.tmpl", path+", paths", data, func(answer string) error {
		if unchanged(answer) {
			return nil
		}
		texts, err := files(answer, path)
		if err != nil {
			return err
		}
		after, err := w.read(path, texts[path])
		if err == nil {
			err = sameWords(f.file, after.file)
		}
		if err == nil {
			w.files[path] = after
		}
		return err
	})
}

// sameWords checks that a review of paths left every node's words and tools alone.
func sameWords(before, after *guide.File) error {
	for _, n := range before.Nodes {
		m, ok := after.Node(n.ID)
		switch {
		case !ok:
			return fmt.Errorf("%s: node %s is gone", after.Path, n.ID)
		case n.Type != guide.Decision && (n.Type != m.Type || wording(n) != wording(m) || !slices.Equal(n.Tools, m.Tools) || n.Subflow != m.Subflow):
			return fmt.Errorf("%s: node %s is worded anew", after.Path, n.ID)
		}
	}
	return nil
}

// routed checks that the classifier of the main file sends each intent where the plan wants it. added are names of
// subflows beyond the plan, to which further branches may lead.
func (p *Plan) routed(f *guide.File, added []string) error {
	if f.Classifier() == nil {
		return fmt.Errorf("%s: there is no decision that tells kinds of request apart", f.Path)
	}
	to := map[string]string{}
	for _, in := range f.Intents {
		to[in.Label] = in.Target
	}
	var bad []error
	for _, in := range p.Intents {
		switch target, ok := to[in.Label]; {
		case !ok:
			bad = append(bad, fmt.Errorf("%s: the classifier has no branch for the intent %s", f.Path, in.Label))
		case target != in.Subflow:
			bad = append(bad, fmt.Errorf("%s: the branch of the intent %s leads to %s, in the plan to %s", f.Path, in.Label, target, in.Subflow))
		}
		delete(to, in.Label)
	}
	for _, label := range []string{guide.General, guide.Transfer} {
		if _, ok := to[label]; !ok {
			bad = append(bad, fmt.Errorf("%s: the classifier has no branch %s", f.Path, label))
		}
		delete(to, label)
	}
	for _, label := range slices.Sorted(maps.Keys(to)) {
		if slices.Contains(added, to[label]) {
			continue
		}
		bad = append(bad, fmt.Errorf("%s: the branch %s of the classifier is no intent of the plan", f.Path, label))
	}
	return errors.Join(bad...)
}
