package synthetic

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// enough is the share of an outcome's telling words that the agent must have used for it to count as met.
const enough = 0.75

// judgeScript grades expected outcomes in the protocol of the model judge (sim/judge.go). In conversations of the
// scripted agent an outcome is met if the agent stated it; in others, if the agent's words cover most of its own.
func judgeScript(_ context.Context, s Input) (llm.Message, error) {
	said, outcomes, err := question(s)
	if err != nil {
		return llm.Message{}, err
	}
	type verdict struct {
		Outcome   string `json:"expectedOutcome"`
		Reasoning string `json:"reasoning"`
		Met       bool   `json:"metExpectation"`
	}
	out := struct {
		Results []verdict `json:"results"`
	}{Results: []verdict{}}
	scripted := strings.Contains(said, identityLead) || strings.Contains(said, closing)
	for _, o := range outcomes {
		v := verdict{Outcome: o, Reasoning: "The agent did not state this."}
		switch {
		case strings.Contains(said, o):
			v.Met, v.Reasoning = true, "The agent stated this."
		case !scripted && coverage(o, said) >= enough:
			v.Met, v.Reasoning = true, "The agent's words cover this."
		}
		out.Results = append(out.Results, v)
	}
	text, err := json.Marshal(out)
	return Say(string(text)), err
}

var speaker = regexp.MustCompile(`(?m)^(assistant|user|tool|system): `)

// question takes the judge's question apart: what the agent said, and the outcomes to grade, which are the task's.
func question(s Input) (said string, outcomes []string, err error) {
	if s.Task.Criteria != nil {
		outcomes = s.Task.Criteria.NLAssertions
	}
	wanted := value.OfStrings(outcomes).Repr()
	for _, m := range s.Request.Messages {
		if talk, asked, ok := judgement(m); ok && asked == wanted {
			return agentWords(talk), outcomes, nil
		}
	}
	return "", nil, errors.New("the question does not end with the expectedOutcomes of the task\nhint: ask as the model judge does")
}

// judgement takes a message apart that has the form of a judge's question, whatever white space is around its parts: the
// reference indents them.
func judgement(m llm.Message) (talk, outcomes string, ok bool) {
	const begin, end = "conversation:\n", "\nexpectedOutcomes:\n"
	if m.Role != llm.User || !strings.Contains(m.Text(), "expectedOutcomes:") {
		return "", "", false
	}
	text := headings.ReplaceAllString(strings.TrimSpace(m.Text()), "$1")
	at := strings.LastIndex(text, end)
	if !strings.HasPrefix(text, begin) || at < 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[len(begin)-1 : at+1]), strings.TrimSpace(text[at+len(end):]), true
}

// headings matches the lines before the parts of a judge's question, with their indentation.
var headings = regexp.MustCompile(`(?m)^[ \t]*(expectedOutcomes:)[ \t]*$`)

// agentWords keeps the assistant's lines of a conversation, with those that continue them.
func agentWords(talk string) string {
	var b strings.Builder
	marks := speaker.FindAllStringSubmatchIndex(talk, -1)
	for i, m := range marks {
		end := len(talk)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if talk[m[2]:m[3]] == string(domains.RoleAssistant) {
			b.WriteString(talk[m[1]:end])
		}
	}
	return b.String()
}

var wordPattern = regexp.MustCompile(`[\pL\pN][\pL\pN.,#-]*`)

// common are words of an outcome that tell nothing about what was said.
var common = map[string]bool{
	"agent": true, "should": true, "user": true, "customer": true, "that": true, "tell": true, "tells": true, "they": true, "their": true,
	"with": true, "from": true, "this": true, "have": true, "does": true, "will": true, "them": true, "both": true, "into": true, "which": true,
}

// coverage is the share of an outcome's telling words that occur in what was said.
func coverage(outcome, said string) float64 {
	said = strings.ToLower(strings.ReplaceAll(said, ",", ""))
	all, found := 0, 0
	for _, w := range wordPattern.FindAllString(strings.ToLower(outcome), -1) {
		w = strings.Trim(strings.ReplaceAll(w, ",", ""), ".-")
		if common[w] || (len(w) < 4 && !strings.ContainsAny(w, "0123456789")) {
			continue
		}
		all++
		if strings.Contains(said, w) {
			found++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(found) / float64(all)
}
