package author

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Continue has the reviewing model answer a finding of a person about a published workflow. Every file that it returns is
// checked as in a review, and the workflow as a whole must be without errors; otherwise it is asked once more. The draft
// has no files if nothing is to be changed. An *EditedError names what was edited by hand and would be overwritten.
func Continue(ctx context.Context, j Job, p *Published, finding string) (*Draft, error) {
	if strings.TrimSpace(finding) == "" {
		return nil, fmt.Errorf("the finding is empty")
	}
	if err := p.current(j.Source); err != nil {
		return nil, err
	}
	j.Source = p.asOf(j.Source)
	w, err := p.resume(j, "continued")
	if err != nil {
		return nil, err
	}
	w.connect()
	before, err := clone(w.bundle())
	if err != nil {
		return nil, err
	}
	if err := w.answer(ctx, finding); err != nil {
		return w.draft, err
	}
	w.prune()
	now, err := clone(w.bundle())
	if err != nil || before.Hash() == now.Hash() {
		return w.draft, err
	}
	w.recall()
	if err := w.republish(ctx, before); err != nil {
		return w.draft, err
	}
	w.draft.Files[w.beside("finding.txt")] = finding + "\n"
	return w.draft, nil
}

// current checks that the policy and the tools are still those that a workflow was written for.
func (p *Published) current(src Source) error {
	if maps.Equal(p.Manifest.Policy, policyHashes(src)) && maps.Equal(p.Manifest.EachTool, src.toolHashes()) {
		return nil
	}
	return fmt.Errorf("policy or tools are not those that the workflow was written for\nhint: bring it up to date first, with --update %s", p.Dir)
}

// answer puts a finding to the model until all files of an answer can be used and leave no error.
func (w *writing) answer(ctx context.Context, finding string) error {
	found := w.lint()
	report := w.report(found, "")
	w.reports = append(w.reports, report)
	held := maps.Clone(w.files)
	data := map[string]any{"Finding": strings.TrimSpace(finding), "Report": report, "Files": w.texts()}
	return w.ask(ctx, "continue.tmpl", "finding", data, func(answer string) error {
		w.files, w.draft.Said = maps.Clone(held), strings.TrimSpace(answer)
		if err := w.take(answer); err != nil {
			return short(err)
		}
		if errs := w.lint().Errors(); len(errs) > 0 && !unchanged(answer) {
			return short(fmt.Errorf("with these files the workflow has errors:\n%s", w.report(errs, "")))
		}
		return nil
	})
}

// texts are all files as prompts have them.
func (w *writing) texts() string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		out = append(out, path+"\n```json\n"+w.files[path].text+"\n```\n")
	}
	return strings.Join(out, "\n")
}
