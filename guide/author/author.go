// Package author has a model write the workflow of a policy, in the six stages of the paper (its section 3.3 and
// Appendix E): tools and values are listed, the model plans the files and reviews the plan, writes the subflows and the
// main file, and reviews all of them until the validator and the review have nothing left (docs/authoring.md). What a
// stage answers is checked; an answer that cannot be used is asked for once more, with what is wrong with it.
package author

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Role is the part that the writing model plays in tags, and System what stands there in place of a system: it writes ahead
// of all conversations.
const (
	Role   = "workflow_author"
	System = "author"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// templates parses the prompts at their first use.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("prompts").ParseFS(promptFiles, "prompts/*.tmpl"))
})

// The defaults of a job.
const (
	DefaultRounds  = 4
	DefaultMaxCost = 5.0 // dollars
)

// Job is a workflow to be written.
type Job struct {
	Source Source
	Model  *sim.Model
	// Rounds is how often all files are reviewed at most.
	Rounds int
	// NoPlanReview takes the plan as it is.
	NoPlanReview bool
	// MaxCost bounds the dollars that all answers together may cost, those kept from an earlier attempt included; 0 is no
	// bound. It is looked at before each call, so that one may exceed it.
	MaxCost float64
	// Checks has checks written, too. They are tried on Traces: conversations that keep to the policy.
	Checks bool
	Traces []compare.Trace
	// Examples has conversations made up for each authorization, in keeping with the policy and against it, and puts them
	// to the finished workflow. JudgeExamples has the model judge, as a verifier, what code cannot decide of them.
	Examples, JudgeExamples bool
	// Synthetic marks what a scripted model wrote.
	Synthetic bool
	// OverwriteEdits has answers replace nodes that were edited by hand.
	OverwriteEdits bool
	// Log is told of each step, in a line; nil is silent.
	Log func(line string)
}

// Draft is a finished workflow.
type Draft struct {
	Files    map[string]string // of the folder, by path
	Bundle   *guide.Bundle
	Findings guide.Findings // warnings; a draft has no error
	Dropped  int            // checks that were proposed and are not used
	Calls    []sim.ModelCall
	Examples []Assessment
	// Changed are the nodes of a published workflow that are not as they were, as guide.Differing names them, and Said is
	// the last answer.
	Changed []string
	Said    string
	// Unconfirmed are tools of whose kind a person should make sure; see described.Tool.
	Unconfirmed []described.Tool
}

// RefusedError says what keeps a workflow from being published after all reviews.
type RefusedError struct{ Findings guide.Findings }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the workflow is not published, for the reviews left %d errors:\n%v", len(e.Findings), e.Findings)
}

// budgetError says that MaxCost is reached, or cannot be kept.
type budgetError string

func (e budgetError) Error() string { return string(e) }

// Budget marks the error for the simulation.
func (budgetError) Budget() bool { return true }

// writing is one job under way.
type writing struct {
	Job
	system  string
	sorting string          // the system prompt of the question for the kinds of tools; "" if it was not asked
	numbers map[string]bool // that stand in policy and tools
	draft   *Draft

	doing  string // the file that is being written, or the stage
	calls  []call
	spent  float64
	priced bool // every answer so far had a cost

	plan       *Plan
	beforePlan *Plan // as it was before its review; nil if that changed nothing
	files      map[string]*written
	base       *Published          // what is continued or updated; nil for a new workflow
	affected   map[string][]string // nodes that an update has to look at, with the reasons
	gained     map[string]bool     // numbers of lines that an update is about
	reports    []string            // what each review was told
	decided    *decided            // nil where no checks are wanted

	illustrated []authorization // that examples were asked for
	examples    []*Example
	spoilt      []string                     // what was wrong with examples that were left out
	moved       func(refs []string) []string // what citations have become in an update; nil without
}

// call is one question with its answer, for the record.
type call struct {
	doing, asked, answered, finish string
	usage                          llm.Usage
	cost                           *float64 // dollars, nil if unknown
	seconds                        float64
}

// Write writes the workflow. The error names the stage and what is wrong with the model's second answer, or is a
// *RefusedError; the draft then holds the calls that were made.
func Write(ctx context.Context, j Job) (*Draft, error) {
	w, err := begin(j)
	if err != nil {
		return nil, err
	}
	w.connect()
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{{"tools", w.sortTools}, {"plan", w.makePlan}, {"plan review", w.reviewPlan}, {"subflows", w.subflows}, {"main", w.main}, {"review", w.review}, {"examples", w.illustrate}, {"checks", w.decide}, {"trying examples", w.assess}} {
		if err := s.do(ctx); err != nil {
			return w.draft, fmt.Errorf("stage %s: %w", s.name, err)
		}
	}
	if err := w.publish(); err != nil {
		return w.draft, fmt.Errorf("stage publish: %w", err)
	}
	return w.draft, nil
}

// connect gives the job its own client of the model.
func (w *writing) connect() {
	w.Model = w.Model.Writer(Role)
	w.Model.Client = w.watch(w.Model.Client)
}

func begin(j Job) (*writing, error) {
	if j.Log == nil {
		j.Log = func(string) {}
	}
	w := &writing{Job: j, draft: &Draft{Files: map[string]string{}}, files: map[string]*written{}, priced: true}
	if len(j.Source.unknown()) > 0 {
		return w, nil
	}
	return w, w.prepare()
}

// prepare makes what all stages are told, once every tool has a kind.
func (w *writing) prepare() (err error) {
	if len(w.Source.mutating()) == 0 {
		return fmt.Errorf("%s has no tool that changes data, so there is nothing to guard", w.Source.Name)
	}
	numbered := w.Source.Numbered()
	w.numbers = numbersIn(numbered, w.Source.Tools, "0") // "more than 0" is a way to say something
	data := map[string]any{"Source": w.Source, "Policy": numbered, "NoChanges": noChanges}
	if _, ok := w.Source.Inventory.Agent.Tool(verify.TransferTool); ok {
		data["Transfer"] = verify.TransferTool
	}
	w.system, err = prompt("system.tmpl", data)
	return err
}

func prompt(name string, data any) (string, error) {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return b.String(), nil
}

// watch keeps the bound on dollars, and records what was asked and answered.
func (w *writing) watch(next llm.Client) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if w.MaxCost > 0 && !w.priced {
			return llm.Response{}, budgetError("the answers' cost is not known, so that the bound on dollars cannot be kept: name a model with a price, or give the bound 0")
		}
		if w.MaxCost > 0 && w.spent >= w.MaxCost {
			return llm.Response{}, budgetError(fmt.Sprintf("the bound of %g dollars is reached: raise it to go on", w.MaxCost))
		}
		resp, err := next.Complete(ctx, req)
		if err != nil {
			return resp, err
		}
		w.calls = append(w.calls, call{w.doing, req.Messages[len(req.Messages)-1].Text(), resp.Message.Text(), resp.FinishReason,
			resp.Usage, resp.Cost, resp.Latency.Seconds()})
		cost := llm.Spent{Usage: resp.Usage, Cost: resp.Cost}
		if resp.Failed != nil {
			cost = cost.Plus(*resp.Failed)
		}
		if cost.Cost != nil {
			w.spent += *cost.Cost
		}
		w.priced = w.priced && (cost.Cost != nil || w.Synthetic)
		return resp, nil
	})
}

// ask puts a question to the model until use accepts the answer, at most twice.
func (w *writing) ask(ctx context.Context, template, doing string, data map[string]any, use func(answer string) error) error {
	w.doing = doing
	data["Plan"], data["NoChanges"] = w.plan, noChanges
	question, err := prompt(template, data)
	if err != nil {
		return err
	}
	w.Log(fmt.Sprintf("%s: asking %s", doing, w.Model.Name))
	msgs := []llm.Message{{Role: llm.System, Content: &w.system}, {Role: llm.User, Content: &question}}
	calls, err := w.Model.Put(ctx, sim.Question{Messages: msgs, Use: use, Again: func(why error) (string, error) {
		w.Log(fmt.Sprintf("%s: asking again, because of %s", doing, strings.ReplaceAll(why.Error(), "\n", " | ")))
		return prompt("again.tmpl", map[string]any{"Error": why.Error(), "NoChanges": noChanges})
	}})
	w.draft.Calls = append(w.draft.Calls, calls...)
	w.Log(fmt.Sprintf("%s: %s", doing, sim.Bill(calls)))
	if errors.As(err, new(*sim.UnusableError)) {
		return fmt.Errorf("%s: the answer cannot be used, nor could the one before: %w", doing, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
