package author

import (
	"fmt"
	"io"
	"strings"

	"github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/sim/llm"
)

// Estimate is what writing a workflow will probably take. It is a guess: how many files a policy makes is up to the model.
type Estimate struct {
	Calls, Subflows    int
	Prompt, Completion int64 // tokens
	Cost               *float64
	Examples           *Estimate // the part of it that is for examples; nil without
}

// What the estimate takes for granted: measured on the workflows that come with the program.
const (
	charsPerToken   = 4
	otherSubflows   = 5  // beside those for tools that change data: identification, agreement, and others
	toolTokens      = 50 // to say of what kind a tool is
	planTokens      = 10_000
	fileTokens      = 1_500
	checksTokens    = 1_000
	reviewedRounds  = 2
	changedInReview = 4 // files that a review returns
	exampleTokens   = 800
	exampleFirings  = 4 // of a verifier in an example
	verdictTokens   = 800
)

// NewEstimate guesses what a job will take at a price. Prompts are charged in full, although most of each is cached where
// the endpoint does so.
// A tool of no known kind is taken to change data.
func NewEstimate(j Job, price llm.Price) (Estimate, error) {
	unknown := len(j.Source.unknown())
	var err error
	if j.Source, err = j.Source.assumed(); err != nil {
		return Estimate{}, err
	}
	w, err := begin(j)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Subflows: len(j.Source.mutating()) + otherSubflows}
	rounds := min(reviewedRounds, j.Rounds)
	paths := e.Subflows / 2
	system := int64(len(w.system) / charsPerToken)
	if unknown > 0 {
		e.add(1, system, int64(unknown)*toolTokens)
	}
	e.add(1, system, planTokens)
	if !j.NoPlanReview {
		e.add(1, system+planTokens, planTokens/2)
	}
	e.add(e.Subflows+1, system+planTokens, fileTokens)
	e.add(paths, system+fileTokens, fileTokens/2)
	e.add(rounds, system+int64(e.Subflows+1)*fileTokens, changedInReview*fileTokens)
	if j.Checks {
		e.addChecks(j, system)
	}
	if j.Examples {
		e.Examples = e.ofExamples(j, system)
		e.Examples.price(price)
		e.Calls, e.Prompt, e.Completion = e.Calls+e.Examples.Calls, e.Prompt+e.Examples.Prompt, e.Completion+e.Examples.Completion
	}
	e.price(price)
	return e, nil
}

// ofExamples is what examples take: of one authorization for each tool that changes data, and with a judge, if code can
// decide about none.
func (e Estimate) ofExamples(j Job, system int64) *Estimate {
	out := &Estimate{}
	tools, each := len(j.Source.mutating()), compliantExamples+violatingExamples
	out.add(tools, system, int64(each)*exampleTokens)
	if j.JudgeExamples {
		out.add(tools*each*exampleFirings, system+int64(e.Subflows+1)*fileTokens, verdictTokens)
	}
	return out
}

// price puts a price on the calls. It may hold for prompts up to some length: what counts is the length of one.
func (e *Estimate) price(price llm.Price) {
	known := func(n int64) llm.Count { return llm.Count{N: n / int64(e.Calls), Known: true} }
	if one := price.Cost(llm.Usage{PromptTokens: known(e.Prompt), CompletionTokens: known(e.Completion)}); one != nil {
		all := *one * float64(e.Calls)
		e.Cost = &all
	}
}

// EstimateRevision guesses what the answer to a finding will take, or, with changes, bringing the workflow up to date.
func EstimateRevision(j Job, p *Published, c *Changes, price llm.Price) (Estimate, error) {
	w, err := p.resume(j, "")
	if err != nil {
		return Estimate{}, err
	}
	system := int64(len(w.system) / charsPerToken)
	all := int64(len(w.texts()) / charsPerToken)
	var e Estimate
	if c == nil && j.Checks {
		e.Subflows = len(w.files) - 1
		e.addChecks(j, system)
	} else if c == nil {
		e.Subflows = len(w.files) - 1
		e.add(1, system+all, changedInReview*fileTokens)
	} else {
		if c.structural() {
			e.add(1, system+planTokens, fileTokens)
		}
		files := map[string]bool{}
		for name := range c.Affected {
			file, _, _ := strings.Cut(name, ".")
			files[file] = true
		}
		e.Subflows = len(files)
		e.add(len(files), system+2*fileTokens, fileTokens)
	}
	if e.Calls > 0 {
		e.price(price)
	}
	return e, nil
}

// addChecks adds the stage of checks.
func (e *Estimate) addChecks(j Job, system int64) {
	language := int64(len(checks.Language(j.Source.Name)) / charsPerToken)
	e.add(e.Subflows+1, system+language+fileTokens, checksTokens)
}

func (e *Estimate) add(calls int, prompt, completion int64) {
	e.Calls += calls
	e.Prompt += int64(calls) * prompt
	e.Completion += int64(calls) * completion
}

// Print tells what a job will probably take.
func (e Estimate) Print(out io.Writer) {
	fmt.Fprintf(out, "estimate, for %d subflows: about %s\n", e.Subflows, e)
	if e.Examples != nil {
		fmt.Fprintf(out, "of these for examples: about %s\n", e.Examples)
	}
}

func (e Estimate) String() string {
	dollars := "at a price that is not known"
	if e.Cost != nil {
		dollars = fmt.Sprintf("about %.2f dollars", *e.Cost)
	}
	return fmt.Sprintf("%d calls, %d tokens read, %d written, %s", e.Calls, e.Prompt, e.Completion, dollars)
}
