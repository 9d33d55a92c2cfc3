package author

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/sim/llm"
)

// Manifest says where a workflow comes from. It has no time in it, so that equal answers give equal files.
type Manifest struct {
	guide.Origin
	Policy     map[string]string `json:"policy_sha256"` // by document
	Tools      string            `json:"tools_sha256"`
	EachTool   map[string]string `json:"tool_sha256"` // by name
	Subflows   []string          `json:"subflows"`
	Authorized []string          `json:"authorized_tools"`
	// Workflow is the SHA-256 of the composed workflow as prompts show it: what verifiers are given.
	Workflow string `json:"workflow_sha256"`
	Warnings int    `json:"warnings"`
}

// recordedCall is a line of calls.jsonl.
type recordedCall struct {
	For     string    `json:"for"`
	Prompt  string    `json:"prompt"` // file
	Answer  string    `json:"answer"` // file
	Usage   llm.Usage `json:"usage"`
	Cost    *float64  `json:"cost"` // dollars
	Seconds float64   `json:"seconds"`
	Finish  string    `json:"finish_reason,omitempty"`
}

// Where the provenance of a workflow is in its folder.
const (
	provenance       = "authoring"
	policyDir        = provenance + "/policy" // the documents that it was written for
	planFile         = provenance + "/plan.json"
	requirementsFile = provenance + "/requirements.json"
)

// beside is the path of a part of what this job asked and was answered.
func (w *writing) beside(name string) string {
	if w.base != nil {
		return path.Join(provenance, w.base.job, name)
	}
	return path.Join(provenance, name)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// publish makes the files of the draft: the bundle, what became of each line of the policy, and how it was written.
func (w *writing) publish() error {
	b := w.bundle()
	g, err := guide.Compose(b)
	if err != nil {
		return err
	}
	w.draft.Bundle, w.draft.Findings = b, w.lint()
	m := Manifest{Policy: policyHashes(w.Source), Tools: hash(w.Source.Tools), EachTool: w.Source.toolHashes(),
		Origin: w.origin(), Workflow: hash(export.Prompt(g)), Warnings: len(w.draft.Findings)}
	put := func(name, text string) { w.draft.Files[name] = text }
	for _, d := range w.Source.Documents {
		put(path.Join(policyDir, d.Name), d.Text)
	}
	for _, n := range g.Nodes {
		if n.Type == guide.Authorization {
			m.Authorized = append(m.Authorized, n.Tools...)
		}
	}
	m.Authorized = sorted(m.Authorized)
	for _, f := range b.Subflows {
		m.Subflows = append(m.Subflows, f.Name())
	}
	for _, f := range b.Files() {
		m.Files[f.Path] = f.Hash()
		put(f.Path, w.textOf(f))
		put(path.Join(guide.FrozenDir, f.Path), w.draft.Files[f.Path])
	}
	if t := w.Source.Described; t != nil {
		maps.Copy(w.draft.Files, described.Files(*t, w.Source.Documents))
		w.draft.Unconfirmed = t.Unconfirmed()
	}
	put("coverage.md", w.coverage(b))
	put(guide.ManifestFile, indented(m)+"\n")
	put(planFile, indented(w.plan)+"\n")
	if w.Source.Catalog != nil {
		put(requirementsFile, indented(w.Source.Requirements())+"\n")
	}
	if w.beforePlan != nil {
		put(w.beside("plan_before_review.json"), indented(w.beforePlan)+"\n")
	}
	for i, report := range w.reports {
		put(w.beside(fmt.Sprintf("findings-%d.txt", i+1)), report+"\n")
	}
	put("authoring/findings-final.txt", findingsText(w.draft.Findings))
	if w.decided != nil {
		page, err := w.checksPage(b)
		if err != nil {
			return err
		}
		put(ChecksPage, page)
		w.draft.Dropped = len(w.decided.dropped)
	}
	if w.Examples {
		put(ExamplesPage, w.examplesPage())
	}
	for _, e := range w.examples {
		text, err := e.text()
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path(), err)
		}
		put(e.Path(), text)
	}
	return w.record(put)
}

func findingsText(found guide.Findings) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// record writes down the prompts, the answers and the calls.
func (w *writing) record(put func(name, text string)) error {
	put(w.beside("system.prompt.txt"), w.system)
	if w.sorting != "" {
		put(w.beside("tools.system.prompt.txt"), w.sorting)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i, c := range w.calls {
		name := w.beside(fmt.Sprintf("calls/%02d-%s", i+1, strings.NewReplacer("/", "-", " ", "-", ",", "").Replace(c.doing)))
		put(name+".prompt.txt", c.asked)
		put(name+".answer.txt", c.answered)
		r := recordedCall{For: c.doing, Prompt: name + ".prompt.txt", Answer: name + ".answer.txt", Usage: c.usage, Cost: c.cost, Seconds: c.seconds, Finish: c.finish}
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	put(w.beside("calls.jsonl"), b.String())
	return nil
}

// header says where a file comes from.
func (w *writing) header() string {
	out := fmt.Sprintf("# Written by the model %s out of the policy of %s: authoring/ has how, coverage.md what became of each line of it.\n",
		strings.Join(strings.Fields(w.origin().Model), " "), w.Source.Name)
	if w.origin().Synthetic {
		out += "# SYNTHETIC: a scripted model repeated a workflow that was there before; this says nothing of any real model.\n"
	}
	return out
}

// coverage lists the policy line by line, with the nodes that cite each or the reason why none does.
func (w *writing) coverage(b *guide.Bundle) string {
	assigned := w.assigned(b)
	excluded := (&audit{plan: w.plan, src: w.Source}).excluded()
	states := w.Source.statements()
	var out strings.Builder
	count := 0
	for _, p := range states {
		if len(assigned[p]) > 0 {
			count++
		}
	}
	fmt.Fprintf(&out, "# What became of the policy of %s\n\nOf %d lines that state something, %d are cited by nodes and %d excluded.\n", w.Source.Name, len(states), count, len(states)-count)
	lost, all := w.lost(b)
	gone := 0
	for _, list := range lost {
		gone += len(list)
	}
	fmt.Fprintf(&out, "Of %d numbers and values of fields on cited lines, %d are said by a node that cites the line.\n", all, all-gone)
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, d := range w.Source.Documents {
		fmt.Fprintf(&out, "\n## %s\n\n| line | policy | nodes |\n|---:|---|---|\n", d.Name)
		for i, text := range lines(d) {
			p := place{d.Name, i + 1}
			what := strings.Join(assigned[p], ", ")
			if what == "" && slices.Contains(states, p) {
				what = "excluded: " + excluded[p]
			}
			if list := lost[p]; list != nil {
				what += "; not said there: " + strings.Join(list, ", ")
			}
			if strings.TrimSpace(text) != "" {
				fmt.Fprintf(&out, "| %d | %s | %s |\n", p.line, cell.Replace(strings.TrimSpace(text)), cell.Replace(what))
			}
		}
	}
	return out.String()
}
