package author

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// written is a file of the workflow as the model wrote it, and what it means.
type written struct {
	path  string // in the released layout
	text  string
	file  *guide.File
	notes []string // what was dropped in reading it
}

// read reads a file on its own: its form, the tools and the parts of the policy that its nodes name.
func (w *writing) read(path, text string) (*written, error) {
	raw, err := strict(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, notes, err := export.ReadReleasedFile(w.Source.Name, path, raw)
	if err != nil {
		return nil, err
	}
	w.restore(path, f)
	b := &guide.Bundle{Domain: w.Source.Name}
	if path == export.MainFile {
		b.Main = f
	} else {
		b.Subflows = []*guide.File{f}
	}
	var found guide.Findings
	for _, x := range guide.Validate(b, guide.Context{Inventory: w.Source.Inventory, Catalog: w.Source.Catalog, Documents: w.Source.documents()}).Errors() {
		// Other files are looked at when all are there.
		if x.File == f.Path && x.Code != "unknown-subflow" && x.Code != "intent-target" {
			found = append(found, x)
		}
	}
	var bad []error
	if len(found) > 0 {
		bad = append(bad, found)
	}
	for _, n := range f.Nodes {
		if strange := w.strangers(n); len(strange) > 0 && !w.stays(path, n) {
			bad = append(bad, fmt.Errorf("%s: node %s: neither policy nor tools know the numbers %s: copy numbers as they stand there", path, n.ID, strings.Join(strange, ", ")))
		}
	}
	return &written{path: path, text: strings.TrimSpace(string(raw)), file: f, notes: notes}, errors.Join(bad...)
}

var numberPattern = regexp.MustCompile(`\d+(?:[.,]\d+)*`)

// wording is what people and models read of a node.
func wording(n *guide.Node) string {
	out := []string{n.Action, n.Expect, n.SatisfiedWhen, n.Remediation}
	for _, e := range n.Edges {
		out = append(out, e.Describe)
	}
	return strings.Join(out, "\n")
}

// strangers are the numbers in a node that stand nowhere in what the model was given.
func (w *writing) strangers(n *guide.Node) (out []string) {
	for _, number := range numberPattern.FindAllString(wording(n), -1) {
		if !w.numbers[number] {
			out = append(out, number)
		}
	}
	return out
}

// stays tells whether a node is worded as it was, and need not be otherwise: a person may have reasons for a number.
func (w *writing) stays(path string, n *guide.Node) bool {
	f := w.files[path]
	if f == nil || w.affected[f.file.Name()+"."+n.ID] != nil {
		return false
	}
	m, ok := f.file.Node(n.ID)
	return ok && wording(m) == wording(n)
}

func numbersIn(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for _, number := range numberPattern.FindAllString(text, -1) {
			out[number] = true
		}
	}
	return out
}

// conform checks a file against its skeleton: every step is there and leads where it should, and has the numbers of its
// gist. Nodes that the skeleton does not have may stand between its steps.
func (w *writing) conform(sk *Skeleton, f *guide.File) error {
	var bad []error
	say := func(format string, args ...any) { bad = append(bad, fmt.Errorf(f.Path+": "+format, args...)) }
	if f.Entry != sk.Entry {
		say("its entry is %q, in the plan %q", f.Entry, sk.Entry)
	}
	if a, b := sorted(f.Exits), sorted(sk.Exits); !slices.Equal(a, b) {
		say("its exits are %s, in the plan %s", strings.Join(a, ", "), strings.Join(b, ", "))
	}
	planned := map[string]bool{}
	for _, id := range sk.Exits {
		planned[id] = true
	}
	for _, step := range sk.Steps {
		planned[step.ID] = true
	}
	for _, step := range sk.Steps {
		n, ok := f.Node(step.ID)
		if !ok {
			say("step %s of the plan is missing", step.ID)
			continue
		}
		if n.Type != step.Type || strings.Join(n.Tools, "|") != step.Tool || n.Subflow != step.Subflow {
			say("node %s is %s, in the plan %s", step.ID, kindOf(n.Type, strings.Join(n.Tools, "|"), n.Subflow), kindOf(step.Type, step.Tool, step.Subflow))
		}
		if a, b := nextPlanned(f, n, planned), sorted(step.Next); !slices.Equal(a, b) {
			say("node %s leads to %s, in the plan to %s", step.ID, strings.Join(a, ", "), strings.Join(b, ", "))
		}
		for _, ref := range step.Policy {
			if !slices.Contains(n.Policy, ref) {
				say("node %s does not cite %s as its step in the plan does", step.ID, ref)
			}
		}
		has, planned := numbersIn(wording(n)), numbersIn(step.Gist)
		for _, number := range slices.Sorted(maps.Keys(planned)) {
			if !has[number] {
				say("node %s does not have the number %s of its step in the plan", step.ID, number)
			}
		}
		cited := numbersIn(w.cited(n)...)
		for _, number := range slices.Sorted(maps.Keys(has)) {
			if !planned[number] && !cited[number] && !w.gained[number] {
				say("node %s has the number %s, which neither its step in the plan nor the lines that it cites have", step.ID, number)
			}
		}
	}
	return errors.Join(bad...)
}

// cited are the texts of the lines that a node cites.
func (w *writing) cited(n *guide.Node) (out []string) {
	for _, ref := range n.Policy {
		at, _ := w.Source.resolve(ref) // what is wrong with it was said before
		for _, p := range at {
			for _, d := range w.Source.Documents {
				if d.Name == p.file {
					out = append(out, lines(d)[p.line-1])
				}
			}
		}
	}
	return out
}

func kindOf(t guide.Type, tool, subflow string) string {
	return strings.TrimSpace(strings.Join([]string{string(t), tool, subflow}, " "))
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// nextPlanned are the planned nodes that come next after a node, those between left out.
func nextPlanned(f *guide.File, n *guide.Node, planned map[string]bool) []string {
	var out []string
	seen := map[string]bool{}
	for todo := []*guide.Node{n}; len(todo) > 0; todo = todo[1:] {
		for _, e := range todo[0].Edges {
			if seen[e.To] {
				continue
			}
			seen[e.To] = true
			if planned[e.To] {
				out = append(out, e.To)
			} else if m, ok := f.Node(e.To); ok {
				todo = append(todo, m)
			}
		}
	}
	return sorted(out)
}
