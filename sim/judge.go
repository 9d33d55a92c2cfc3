package sim

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/llm"
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
		wire = append(wire, llm.Message{Role: llm.Assistant, Content: m.Content}, llm.Message{Role: llm.User, Content: &again})
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

// readVerdicts finds the JSON object in a judge's answer, bare, fenced or between words, and matches its entries with
// the assertions.
func readVerdicts(text string, assertions []string) ([]Verdict, error) {
	var reply struct {
		Results []struct {
			Outcome   string `json:"expectedOutcome"`
			Reasoning string `json:"reasoning"`
			Met       *bool  `json:"metExpectation"`
		} `json:"results"`
	}
	if err := decodeObject(text, &reply); err != nil {
		return nil, err
	}
	if len(reply.Results) != len(assertions) {
		return nil, fmt.Errorf("%d verdicts for %d expected outcomes", len(reply.Results), len(assertions))
	}
	out := make([]Verdict, len(assertions))
	taken := make([]bool, len(assertions))
	for i, a := range assertions {
		at := -1
		for k, r := range reply.Results {
			if !taken[k] && folded(r.Outcome) == folded(a) {
				at = k
				break
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("no verdict names the expected outcome %q", a)
		}
		r := reply.Results[at]
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
	s = strings.NewReplacer("\u2019", "'", "\u2018", "'", "\u201c", `"`, "\u201d", `"`).Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// decodeObject decodes the first JSON object in a text that has the wanted shape.
func decodeObject(text string, into any) error {
	failure := errors.New("no JSON object in the answer")
	for i := strings.IndexByte(text, '{'); i >= 0; {
		err := json.NewDecoder(strings.NewReader(text[i:])).Decode(into)
		if err == nil {
			return nil
		}
		failure = fmt.Errorf("no usable JSON object: %w", err)
		next := strings.IndexByte(text[i+1:], '{')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return failure
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
