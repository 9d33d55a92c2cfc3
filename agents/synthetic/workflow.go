package synthetic

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	workflow "github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// writeWorkflow is the script of the model that writes workflows. It takes the built-in workflow of the domain apart and
// answers each stage from it, without what only code reads. In a review it returns its own files in place of those in
// which errors were found.
func (l *library) writeWorkflow(_ context.Context, s synthetic.Input) (llm.Message, error) {
	static, question, err := parts(s)
	if err != nil {
		return llm.Message{}, err
	}
	d, err := agents.Cached(&l.drafts, s.World, func() (d draft, err error) {
		if d.whole, err = l.whole(s.World.Name); err == nil {
			d.bundle, err = l.wordsAlone(s.World.Name)
		}
		if err == nil {
			d.files, err = export.WriteReleased(d.bundle)
		}
		return d, err
	})
	if err != nil {
		return llm.Message{}, err
	}
	b, files := d.bundle, d.files
	switch stage := within(question, "stage"); stage {
	case "tools":
		return l.kinds(s.World, strings.Fields(within(question, "tools")))
	case "plan":
		plan, err := json.MarshalIndent(planOf(b, static, question), "", "  ")
		return synthetic.Say("Every section has its file.\n\n```json\n" + string(plan) + "\n```"), err
	case "plan review", "paths":
		return synthetic.Say("NO_CHANGES"), nil
	case "subflow", "main":
		path := within(question, "file")
		text, ok := files[path]
		if !ok {
			return llm.Message{}, fmt.Errorf("there is no file %q", path)
		}
		return synthetic.Say("It follows the skeleton.\n\n" + fenced(path, text)), nil
	case "update plan":
		return synthetic.Say(replanned(question)), nil
	case "update":
		return synthetic.Say(updated(question)), nil
	case "continue":
		return synthetic.Say(settled(question, files)), nil
	case "checks":
		batch, err := json.MarshalIndent(batchOf(within(question, "file"), d.whole), "", "  ")
		return synthetic.Say("What tools and texts show.\n\n```json\n" + string(batch) + "\n```"), err
	case "examples":
		return l.illustrate(s.World, within(question, "file"), within(question, "tool"))
	case "review":
		return synthetic.Say(mended(within(question, "report"), files)), nil
	default:
		return llm.Message{}, fmt.Errorf("there is no stage %q", stage)
	}
}

// draft is what the scripted author hands out.
type draft struct {
	bundle *guide.Bundle
	whole  *guide.Bundle     // with what only code reads
	files  map[string][]byte // in the released layout
}

func fenced(path string, text []byte) string { return path + "\n```json\n" + string(text) + "```\n" }

// mended are the files that a report finds errors in; all of them, where it names none.
func mended(report string, files map[string][]byte) string {
	var bad strings.Builder
	for line := range strings.Lines(report) {
		if strings.Contains(line, ": error [") {
			bad.WriteString(line)
		}
	}
	if bad.Len() == 0 {
		return "NO_CHANGES"
	}
	var named, all []string
	for path, text := range files {
		if path == "_manifest.json" {
			continue
		}
		all = append(all, fenced(path, text))
		if strings.Contains(bad.String(), path) {
			named = append(named, fenced(path, text))
		}
	}
	if len(named) == 0 {
		named = all
	}
	slices.Sort(named)
	return "These are to be mended.\n\n" + strings.Join(named, "\n")
}

// kinds says of what kind tools are.
func (l *library) kinds(w *domains.World, names []string) (llm.Message, error) {
	kit := w.Agent
	if l.reference != nil {
		kit = l.reference.World.Agent
	}
	var out workflow.Sorted
	for _, name := range names {
		t, ok := kit.Tool(name)
		if !ok {
			return llm.Message{}, fmt.Errorf("the workflow that is repeated is for no tool %q", name)
		}
		word := string(t.Kind)
		if t.Kind != domains.Read && t.Kind != domains.Write {
			word = "other"
		}
		out.Tools = append(out.Tools, workflow.SortedTool{Tool: name, Kind: word, Reason: "The workflow that is repeated takes it for this."})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return synthetic.Say("Sorted.\n\n```json\n" + string(text) + "\n```"), err
}

// whole is the workflow that is repeated.
func (l *library) whole(domain string) (*guide.Bundle, error) {
	if l.reference != nil {
		return l.reference.Load()
	}
	return guide.LoadShipped(domain)
}

// wordsAlone is the workflow as a model writes one: without checks and events.
func (l *library) wordsAlone(domain string) (*guide.Bundle, error) {
	b, err := l.whole(domain)
	if err != nil {
		return nil, err
	}
	b.Domain = domain // whatever the reference is of
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			n.Check, n.Event = "", nil
			for i := range n.Edges {
				n.Edges[i].Check = ""
			}
		}
	}
	return b, nil
}

// planOf is the plan of which a workflow could be made.
func planOf(b *guide.Bundle, static, question string) workflow.Plan {
	var p workflow.Plan
	users := map[string][]string{}
	authorized := map[string]bool{}
	for _, f := range b.Files() {
		name := f.ID
		if f == b.Main {
			name = "main"
		}
		sk := workflow.Skeleton{Name: name, Entry: f.Entry, Exits: f.Exits}
		for _, n := range f.Nodes {
			if n.Type == guide.Exit {
				continue
			}
			step := workflow.Step{ID: n.ID, Type: n.Type, Tool: strings.Join(n.Tools, "|"), Subflow: n.Subflow, Policy: n.Policy,
				Gist: strings.TrimSpace(n.SatisfiedWhen + " " + n.Remediation)}
			rest := n.Action + " " + n.Expect
			for _, e := range n.Edges {
				step.Next = append(step.Next, e.To)
				rest += " " + e.Describe
			}
			if wholeNumber.MatchString(rest) {
				step.Gist += " " + rest
			}
			if n.Type == guide.Anchor && f != b.Main {
				users[n.Subflow] = append(users[n.Subflow], name)
			}
			if n.Type == guide.Authorization {
				authorized[n.Tool()] = true
			}
			sk.Steps = append(sk.Steps, step)
		}
		p.Skeletons = append(p.Skeletons, sk)
	}
	for _, in := range b.Main.Intents {
		if in.Label == guide.General || in.Label == guide.Transfer {
			continue
		}
		intent := workflow.Intent{Label: in.Label, Subflow: in.Target, Description: strings.ReplaceAll(in.Label, "_", " "), Mutating: []string{}}
		if f, ok := b.Subflow(in.Target); ok {
			intent.Mutating = append(intent.Mutating, changes(b, f)...)
		}
		p.Intents = append(p.Intents, intent)
	}
	for _, f := range b.Subflows {
		if list := users[f.Name()]; len(list) > 1 {
			p.Shared = append(p.Shared, workflow.Shared{Name: f.Name(), Purpose: f.Title, UsedBy: list})
		}
	}
	for _, m := range mutatingTool.FindAllStringSubmatch(between(static, "## Mutating tools", "## Read-only tools"), -1) {
		if !authorized[m[1]] {
			p.Idle = append(p.Idle, workflow.IdleTool{Tool: m[1], Reason: "the policy has no procedure for it"})
		}
	}
	p.Excluded = excluded(b, static, question)
	return p
}

// changes are the tools that a file authorizes, itself or by way of others.
func changes(b *guide.Bundle, f *guide.File) (out []string) {
	for _, n := range f.Nodes {
		if sub, ok := b.Subflow(n.Subflow); ok && n.Type == guide.Anchor {
			out = append(out, changes(b, sub)...)
		}
		if n.Type == guide.Authorization {
			out = append(out, n.Tool())
		}
	}
	return out
}

var (
	mutatingTool = regexp.MustCompile(`(?m)^### (\S+)$`)
	requirement  = regexp.MustCompile(`(?m)^- (\w+) \(([^)]*)\): `)
)

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	inside, _, _ := strings.Cut(rest, to)
	return inside
}

// excluded are the statements that no node stands on.
func excluded(b *guide.Bundle, static, question string) []workflow.Exclusion {
	cited, done := map[string]bool{}, map[guide.Span]bool{}
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			for _, ref := range n.Policy {
				cited[ref] = true
				for _, line := range linesOf(ref) {
					done[line] = true
				}
			}
		}
	}
	for _, m := range requirement.FindAllStringSubmatch(static, -1) {
		for _, at := range strings.Split(m[2], ", ") {
			for _, line := range linesOf(at) {
				done[line] = done[line] || cited[m[1]]
			}
		}
	}
	var out []workflow.Exclusion
	for _, at := range strings.Fields(within(question, "statements")) {
		for _, line := range linesOf(at) {
			if !done[line] {
				out = append(out, workflow.Exclusion{Lines: []string{line.String()}, Reason: "it explains, and asks for nothing that a node could judge"})
			}
		}
	}
	return out
}

// linesOf are the single lines of a place.
func linesOf(at string) (out []guide.Span) {
	span, err := guide.ParseSpan(at)
	if err != nil {
		return nil
	}
	for l := span.From; l <= span.To; l++ {
		out = append(out, guide.Span{File: span.File, From: l, To: l})
	}
	return out
}
