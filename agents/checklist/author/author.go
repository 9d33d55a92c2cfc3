// Package author has a model write PolicyGuard's checklists out of a policy, in the four stages of the release: sort
// the tools, one checklist for each that changes data, the general rules, one review of all files
// (docs/reference/baselines.md#checklists). An answer that cannot be used is asked for once more, with what is wrong
// with it.
package author

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Role is the part that the writing model plays in tags.
const Role = "author"

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// templates parses the prompts at their first use.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("prompts").ParseFS(promptFiles, "prompts/*.tmpl"))
})

// Job is a set of checklists to be written.
type Job struct {
	World *domains.World
	Model *sim.Model
	// Synthetic marks what a scripted model wrote in every file.
	Synthetic bool
	// Log is told of each step, in a line; nil is silent.
	Log func(line string)
}

// Draft is a finished set.
type Draft struct {
	Files    map[string]string  // by name, each with a header that says where it comes from
	Findings checklist.Findings // warnings; a draft has no error
	Calls    []sim.ModelCall
}

// writing is one job under way.
type writing struct {
	Job
	inv    checklist.Inventory
	system string
	draft  *Draft
}

// Write writes the checklists. The error names the stage and what is wrong with the model's second answer; the draft then
// holds the calls that were made.
func Write(ctx context.Context, j Job) (*Draft, error) {
	w, err := begin(j)
	if err != nil {
		return nil, err
	}
	if err := w.classify(ctx); err != nil {
		return w.draft, fmt.Errorf("stage classify: %w", err)
	}
	set := &checklist.Set{Domain: j.World.Name}
	for _, tool := range w.inv.Guarded {
		c, err := w.tool(ctx, tool)
		if err != nil {
			return w.draft, fmt.Errorf("stage tool, %s: %w", tool, err)
		}
		set.Tools = append(set.Tools, *c)
	}
	rules, err := w.rules(ctx)
	if err != nil {
		return w.draft, fmt.Errorf("stage rules: %w", err)
	}
	set.Rules = *rules
	if set, err = w.review(ctx, set); err != nil {
		return w.draft, fmt.Errorf("stage review: %w", err)
	}
	w.draft.Findings = checklist.Lint(set, w.inv)
	for name, text := range texts(set) {
		w.draft.Files[name] = w.header(name) + text
	}
	return w.draft, nil
}

func begin(j Job) (*writing, error) {
	inv, err := checklist.InventoryOf(j.World)
	if err != nil {
		return nil, err
	}
	if len(inv.Guarded) == 0 {
		return nil, fmt.Errorf("domain %s has no tool that changes data, so there is nothing to check", j.World.Name)
	}
	j.Model = j.Model.Writer(Role)
	if j.Log == nil {
		j.Log = func(string) {}
	}
	w := &writing{Job: j, inv: inv, draft: &Draft{Files: map[string]string{}}}
	w.system, err = prompt("system.tmpl", map[string]string{"Domain": j.World.Name, "Policy": strings.TrimSpace(j.World.Policy), "Tools": toolDocs(j.World)})
	return w, err
}

func prompt(name string, data any) (string, error) {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return b.String(), nil
}

func toolDocs(w *domains.World) string {
	var b strings.Builder
	for _, s := range w.Agent.Specs() {
		params := "none"
		var compact bytes.Buffer
		if len(s.Parameters) > 0 && json.Compact(&compact, s.Parameters) == nil {
			params = compact.String()
		}
		fmt.Fprintf(&b, "%s: %s\nParameters: %s\n\n", s.Name, strings.TrimSpace(s.Description), params)
	}
	return b.String()
}

// ask puts a stage to the model until use accepts the answer, at most twice.
func (w *writing) ask(ctx context.Context, stage, what string, data any, use func(answer string) error) error {
	question, err := prompt(stage+".tmpl", data)
	if err != nil {
		return err
	}
	msgs := []llm.Message{{Role: llm.System, Content: &w.system}, {Role: llm.User, Content: &question}}
	w.Log(fmt.Sprintf("%s: asking %s", what, w.Model.Name))
	calls, err := w.Model.Put(ctx, sim.Question{Messages: msgs, Use: use, Again: func(why error) (string, error) {
		w.Log(fmt.Sprintf("%s: asking again, because of %s", what, strings.ReplaceAll(why.Error(), "\n", " | ")))
		return prompt("again.tmpl", map[string]string{"Error": why.Error()})
	}})
	w.draft.Calls = append(w.draft.Calls, calls...)
	if errors.As(err, new(*sim.UnusableError)) {
		err = fmt.Errorf("the answer cannot be used, nor could the one before: %w", err)
	}
	return err
}

// classify has the tools sorted. That is a test of the model's understanding: which tools are guarded is known.
func (w *writing) classify(ctx context.Context) error {
	return w.ask(ctx, "classify", "tools", nil, func(answer string) error {
		extra, err := sorted(answer, w.inv)
		if err == nil && len(extra) > 0 {
			w.Log("tools: the model takes these for mutating, but they change no data and stay unguarded: " + strings.Join(extra, ", "))
		}
		return err
	})
}

func (w *writing) tool(ctx context.Context, name string) (*checklist.Checklist, error) {
	var c *checklist.Checklist
	file := checklist.FileOf(name)
	err := w.ask(ctx, "tool", file, map[string]string{"Tool": name}, func(answer string) (err error) {
		c, err = readTool(name, answer, w.inv)
		return err
	})
	return c, err
}

func (w *writing) rules(ctx context.Context) (*checklist.Rules, error) {
	var r *checklist.Rules
	data := map[string]string{"Guarded": strings.Join(w.inv.Guarded, ", ")}
	err := w.ask(ctx, "rules", checklist.RulesFile, data, func(answer string) (err error) {
		r, err = readRules(answer, w.inv)
		return err
	})
	return r, err
}

func (w *writing) review(ctx context.Context, set *checklist.Set) (*checklist.Set, error) {
	type file struct{ Name, Text string }
	var files []file
	for name, text := range texts(set) {
		files = append(files, file{name, text})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.Name, b.Name) })
	var out *checklist.Set
	err := w.ask(ctx, "review", "review", map[string]any{"Files": files}, func(answer string) (err error) {
		out, err = readSet(answer, w.inv)
		return err
	})
	return out, err
}

// texts writes a set as its files.
func texts(s *checklist.Set) map[string]string {
	out := map[string]string{checklist.RulesFile: s.Rules.Text(true)}
	for i := range s.Tools {
		out[checklist.FileOf(s.Tools[i].Tool)] = s.Tools[i].Text(true)
	}
	return out
}

// header says where a file comes from. It has no time in it, so that equal answers give equal files.
func (w *writing) header(name string) string {
	what := "General rules"
	if name != checklist.RulesFile {
		what = "Checklist of " + strings.TrimSuffix(name, ".yaml")
	}
	sum := sha256.Sum256([]byte(w.World.Policy))
	out := fmt.Sprintf("# %s in the domain %s, for PolicyGuard. Written by the model %s after the policy with\n# SHA-256 %s and reviewed once by the same model.\n",
		what, w.World.Name, strings.Join(strings.Fields(w.Model.Name), " "), hex.EncodeToString(sum[:]))
	if w.Synthetic {
		out += "# SYNTHETIC: a scripted model repeated the checklists that come with the program; this says nothing of any real model.\n"
	}
	return out
}
