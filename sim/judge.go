package sim

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// Judge grades expected outcomes that only a reader can decide. One verdict per assertion, in their order.
type Judge interface {
	Grade(ctx context.Context, msgs []Message, assertions []string) ([]Verdict, []ModelCall, error)
}

//go:embed prompts/judge.md
var judgePrompt string

// ErrVerdicts marks an answer of a judge that does not grade exactly the outcomes that it was asked about.
var ErrVerdicts = errors.New("unusable verdicts")

// ModelJudge is a judge that asks a language model. An answer that cannot be used is asked for once more, with what
// was wrong with it.
type ModelJudge struct{ Model *Model }

// Grade sends the conversation and the outcomes, and checks the answer: as many verdicts as outcomes, each naming one.
func (j ModelJudge) Grade(ctx context.Context, msgs []Message, assertions []string) ([]Verdict, []ModelCall, error) {
	ask := judgeQuestion(msgs, assertions)
	wire := []llm.Message{{Role: llm.System, Content: &judgePrompt}, {Role: llm.User, Content: &ask}}
	var calls []ModelCall
	var failure error
	for range 2 {
		m, call, err := j.Model.Ask(ctx, len(msgs), wire, nil, "")
		calls = append(calls, call)
		if err != nil {
			return nil, calls, err
		}
		verdicts, err := readVerdicts(m.TextOf(), assertions)
		if err == nil {
			return verdicts, calls, nil
		}
		failure = err
		again := fmt.Sprintf("That answer could not be used: %v. Answer again, with the JSON object alone.", err)
		if m.HasText() { // some servers refuse a message without text
			wire = append(wire, llm.Message{Role: llm.Assistant, Content: m.Content})
		}
		wire = append(wire, llm.Message{Role: llm.User, Content: &again})
	}
	return nil, calls, fmt.Errorf("%w after two answers: %w", ErrVerdicts, failure)
}

// judgeQuestion lays the conversation out a line a message, and the outcomes as a list literal.
func judgeQuestion(msgs []Message, assertions []string) string {
	var b strings.Builder
	b.WriteString("conversation:\n")
	for _, m := range msgs {
		text := "None"
		if m.Content != nil {
			text = *m.Content
		}
		fmt.Fprintf(&b, "%s: %s\n", m.Role, text)
	}
	b.WriteString("\nexpectedOutcomes:\n")
	b.WriteString(value.OfStrings(assertions).Repr())
	return b.String()
}

// readVerdicts finds the JSON object with the verdicts in a judge's answer, bare, fenced, between words or within
// another object. The first one that grades exactly the assertions is taken.
func readVerdicts(text string, assertions []string) ([]Verdict, error) {
	var failure error
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			return nil, cmp.Or(failure, errors.New("no JSON object in the answer"))
		}
		at += next
		var reply struct {
			Results json.RawMessage `json:"results"`
		}
		err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&reply)
		if err == nil && reply.Results == nil {
			err = errors.New("it has no results")
		}
		switch {
		case err == nil:
			verdicts, err := match(reply.Results, assertions)
			if err == nil {
				return verdicts, nil
			}
			failure = err
		case failure == nil: // otherwise what was found before tells more
			failure = fmt.Errorf("no usable JSON object: %w", err)
		}
	}
}

// match pairs a judge's results with the assertions.
func match(raw json.RawMessage, assertions []string) ([]Verdict, error) {
	var results []struct {
		Outcome   string `json:"expectedOutcome"`
		Reasoning string `json:"reasoning"`
		Met       *bool  `json:"metExpectation"`
	}
	if err := json.Unmarshal(raw, &results); err != nil {
		return nil, fmt.Errorf("no usable JSON object: results: %w", err)
	}
	if len(results) != len(assertions) {
		return nil, fmt.Errorf("%d verdicts for %d expected outcomes", len(results), len(assertions))
	}
	out := make([]Verdict, len(assertions))
	taken := make([]bool, len(assertions))
	for i, a := range assertions {
		at := -1
		for k, r := range results {
			if !taken[k] && folded(r.Outcome) == folded(a) {
				at = k
				break
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("no verdict names the expected outcome %q", a)
		}
		r := results[at]
		if r.Met == nil {
			return nil, fmt.Errorf("metExpectation is missing for %q", a)
		}
		taken[at] = true
		out[i] = Verdict{Assertion: a, Met: *r.Met, Justification: r.Reasoning}
	}
	return out, nil
}

// folded is a text without differences of spacing and quotes that a model may introduce when it repeats it.
func folded(s string) string {
	s = strings.NewReplacer(`\'`, "'", `\"`, `"`, "\u2019", "'", "\u2018", "'", "\u201c", `"`, "\u201d", `"`).Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// Recorded is a judge that repeats verdicts which were recorded earlier.
type Recorded []Verdict

// Grade returns the recorded verdicts if they are on exactly these outcomes.
func (r Recorded) Grade(_ context.Context, _ []Message, assertions []string) ([]Verdict, []ModelCall, error) {
	if len(r) != len(assertions) {
		return nil, nil, fmt.Errorf("%w: %d recorded for %d expected outcomes", ErrVerdicts, len(r), len(assertions))
	}
	for i, v := range r {
		if v.Assertion != assertions[i] {
			return nil, nil, fmt.Errorf("%w: recorded on %q, expected %q", ErrVerdicts, v.Assertion, assertions[i])
		}
	}
	return r, nil, nil
}
