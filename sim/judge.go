package sim

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
// was wrong with it. Its calls keep its answers.
type ModelJudge struct {
	Model  *Model
	Prompt string // its system prompt; the program's own if empty
}

// Grade sends the conversation and the outcomes, and checks the answer: as many verdicts as outcomes, each naming one.
func (j ModelJudge) Grade(ctx context.Context, msgs []Message, assertions []string) ([]Verdict, []ModelCall, error) {
	ask, prompt := judgeQuestion(msgs, assertions), cmp.Or(j.Prompt, judgePrompt)
	var verdicts []Verdict
	calls, err := j.Model.Put(ctx, Question{
		Index:    len(msgs),
		Messages: []llm.Message{{Role: llm.System, Content: &prompt}, {Role: llm.User, Content: &ask}},
		Keep:     true,
		Use: func(answer string) (err error) {
			verdicts, err = readVerdicts(answer, assertions)
			return err
		},
		Again: func(why error) (string, error) {
			return fmt.Sprintf("That answer could not be used: %v. Answer again, with the JSON object alone.", why), nil
		},
	})
	if errors.As(err, new(*UnusableError)) {
		err = fmt.Errorf("%w after two answers: %w", ErrVerdicts, err)
	}
	return verdicts, calls, err
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

// result is one entry of a judge's list, as it is on the wire.
type result struct {
	Outcome   string `json:"expectedOutcome"`
	Reasoning string `json:"reasoning"`
	Met       *bool  `json:"metExpectation"`
}

// readVerdicts finds the JSON object with the verdicts in a judge's answer, bare, fenced, between words or within
// another object: the one that grades exactly the assertions. A draft, or a verdict that is quoted, may stand beside it
// as long as it says the same.
func readVerdicts(text string, assertions []string) ([]Verdict, error) {
	var found []Verdict
	var lists [][]result
	var failure, unread error
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		at += next
		var reply struct {
			Results json.RawMessage `json:"results"`
		}
		err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&reply)
		if err == nil && reply.Results == nil {
			err = errors.New("it has no results")
		}
		if err != nil {
			if failure == nil { // otherwise what was found before tells more
				failure = fmt.Errorf("no usable JSON object: %w", err)
			}
			continue
		}
		var list []result
		if err := json.Unmarshal(reply.Results, &list); err != nil {
			unread = fmt.Errorf("no usable JSON object: results: %w", err)
			failure = unread
			continue
		}
		lists = append(lists, list)
		switch verdicts, err := match(list, assertions); {
		case err != nil:
			failure = err
		case found == nil:
			found = verdicts
		}
	}
	if found == nil || unread != nil {
		return nil, cmp.Or(unread, failure, errors.New("no JSON object in the answer"))
	}
	for _, list := range lists {
		if err := contradicts(list, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// contradicts says on which outcome a list holds another verdict than the one that was found.
func contradicts(list []result, found []Verdict) error {
	for _, v := range found {
		same := func(r result) bool { return folded(r.Outcome) == folded(v.Assertion) }
		agrees := func(r result) bool { return same(r) && r.Met != nil && *r.Met == v.Met }
		if slices.ContainsFunc(list, same) && !slices.ContainsFunc(list, agrees) {
			return fmt.Errorf("it holds verdicts that contradict each other on %q", v.Assertion)
		}
	}
	return nil
}

// match pairs a judge's results with the assertions.
func match(results []result, assertions []string) ([]Verdict, error) {
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
