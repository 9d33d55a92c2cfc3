package author

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

var filePattern = regexp.MustCompile(`^(?:main\.workflow|subflows/[a-z][a-z0-9_]{0,59}\.subflow)\.json$`)

// bundle is the workflow as it stands.
func (w *writing) bundle() *guide.Bundle {
	b := &guide.Bundle{Domain: w.Source.Name}
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		if path == export.MainFile {
			b.Main = w.files[path].file
		} else {
			b.Subflows = append(b.Subflows, w.files[path].file)
		}
	}
	return b
}

// lint is everything that code finds in the workflow: what the validator finds, and lines of the policy that no node
// cites although the plan does not exclude them.
func (w *writing) lint() guide.Findings {
	b := w.bundle()
	found := guide.Validate(b, guide.Context{Inventory: w.Source.Inventory, Vocabulary: w.Source.Vocabulary, Catalog: w.Source.Catalog, Documents: w.Source.documents()})
	assigned := w.assigned(b)
	excluded := (&audit{plan: w.plan, src: w.Source}).excluded()
	for _, p := range w.Source.statements() {
		if len(assigned[p]) == 0 && excluded[p] == "" {
			found = append(found, guide.Finding{Code: "uncovered-line", Severity: guide.Error, File: p.file, Line: p.line,
				Text: "no node enforces what this line of the policy says, and the plan does not exclude it", Mend: "name it in the policy of the node that does, or add one"})
		}
	}
	return append(found, w.missing(b)...)
}

// assigned are the nodes that cite each line of the policy, as file:node.
func (w *writing) assigned(b *guide.Bundle) map[place][]string {
	out := map[place][]string{}
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			for _, ref := range n.Policy {
				at, _ := w.Source.resolve(ref) // what is wrong with it, the validator says
				for _, p := range at {
					if name := f.Name() + "." + n.ID; !slices.Contains(out[p], name) {
						out[p] = append(out[p], name)
					}
				}
			}
		}
	}
	return out
}

// review has all files looked through, round by round, until there is no error and a review of that state has been made,
// of whose answer nothing was left out.
func (w *writing) review(ctx context.Context) error {
	looked, last := false, ""
	for round := 1; ; round++ {
		found := w.lint()
		clean := len(found.Errors()) == 0
		if round > w.Rounds || clean && looked {
			break
		}
		report := w.report(found, last)
		w.reports = append(w.reports, report)
		doing := fmt.Sprintf("review %d", round)
		w.Log(fmt.Sprintf("%s: %d errors, %d warnings", doing, len(found.Errors()), len(found)-len(found.Errors())))
		data := map[string]any{"Round": round, "Report": report, "Files": w.texts()}
		last = ""
		err := w.ask(ctx, "review.tmpl", doing, data, func(answer string) error {
			if _, err := files(answer, ""); err != nil && !unchanged(answer) {
				return short(err) // nothing shows that the files were looked at
			}
			if err := w.take(answer); err != nil {
				last = short(err).Error()
				w.Log(fmt.Sprintf("%s: left out, because of %s", doing, strings.ReplaceAll(last, "\n", " | ")))
			}
			return nil
		})
		if err != nil {
			return err
		}
		looked = clean && last == ""
	}
	w.prune()
	if errs := w.lint().Errors(); len(errs) > 0 {
		return &RefusedError{errs}
	}
	return nil
}

// report is what a review is told: what code found, what was dropped, and what was wrong with the last review's answer.
func (w *writing) report(found guide.Findings, last string) string {
	var out []string
	as := map[string]string{}
	for path, f := range w.files {
		as[f.file.Path] = path
	}
	for _, x := range found {
		if path := as[x.File]; path != "" { // the model never saw the lines of our own format
			x.File, x.Line, x.Column = path, 0, 0
		}
		out = append(out, x.String())
	}
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		for _, note := range w.files[path].notes {
			out = append(out, "note: "+note)
		}
	}
	if last != "" {
		out = append(out, "Of your last answer this could not be used: "+last)
	}
	return strings.Join(out, "\n")
}

// take puts the files of a review's answer in the place of those that are there. Each is read on its own: those that cannot
// be used are left out, and the error says why.
func (w *writing) take(answer string) error {
	if unchanged(answer) {
		return nil
	}
	texts, err := files(answer, "")
	if err != nil {
		return err
	}
	var bad []error
	var added []string
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(texts))) { // main last
		if !filePattern.MatchString(path) {
			bad = append(bad, fmt.Errorf("%s is no file of a workflow", path))
			continue
		}
		f, err := w.read(path, texts[path])
		if err == nil && path == export.MainFile {
			err = w.plan.routed(f.file, added)
		}
		if err != nil {
			bad = append(bad, err)
			continue
		}
		if w.plan.skeleton(f.file.ID) == nil {
			added = append(added, f.file.ID)
		}
		w.files[path] = f
	}
	return errors.Join(bad...)
}

// prune drops subflows that the main file does not use, itself or by way of others.
func (w *writing) prune() {
	used := w.bundle().Used()
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		if f := w.files[path]; path != export.MainFile && !used[f.file.Name()] {
			w.Log(path + ": dropped, for nothing uses it")
			delete(w.files, path)
		}
	}
}
