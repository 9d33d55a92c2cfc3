package synthetic

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
)

// enough is the share of an outcome's telling words that the agent must have used for it to count as met.
const enough = 0.75

// judgeScript grades expected outcomes in the protocol of the model judge (sim/judge.go). In conversations of the
// scripted agent an outcome is met if the agent stated it; in others, if the agent's words cover most of its own.
func judgeScript(_ context.Context, s Input) (llm.Message, error) {
	said, outcomes, err := question(s.Request.Messages)
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

// question takes the judge's question apart: what the agent said, and the outcomes to grade.
func question(msgs []llm.Message) (said string, outcomes []string, err error) {
	for _, m := range msgs {
		if m.Role != llm.User {
			continue
		}
		talk, list, ok := cutLast(m.Text(), "\nexpectedOutcomes:\n")
		if !ok {
			break
		}
		outcomes, err := readList(list)
		return agentWords(strings.TrimPrefix(talk, "conversation:\n")), outcomes, err
	}
	return "", nil, errors.New("the question has no expectedOutcomes: ask as the model judge does")
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

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

// readList reads a list literal of texts, in single or double quotes, as value.Value.Repr writes it.
func readList(s string) ([]string, error) {
	bad := errors.New("expectedOutcomes is not a list of texts")
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, bad
	}
	s = strings.TrimSpace(s[1 : len(s)-1])
	out := []string{}
	for s != "" {
		text, rest, ok := readText(s)
		if !ok {
			return nil, bad
		}
		out = append(out, text)
		s = strings.TrimSpace(rest)
		if s == "" {
			break
		}
		if s[0] != ',' {
			return nil, bad
		}
		s = strings.TrimSpace(s[1:])
	}
	return out, nil
}

// readText reads the quoted text that s begins with.
func readText(s string) (text, rest string, ok bool) {
	quote := s[0]
	if quote != '\'' && quote != '"' {
		return "", "", false
	}
	var b strings.Builder
	for s = s[1:]; s != "" && s[0] != quote; {
		r, multibyte, tail, err := strconv.UnquoteChar(s, quote)
		if err != nil {
			// An escape that the other quote needs and this one does not.
			if len(s) < 2 || s[0] != '\\' {
				return "", "", false
			}
			r, multibyte, tail = rune(s[1]), false, s[2:]
		}
		if multibyte || r > 0x7f {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		s = tail
	}
	if s == "" {
		return "", "", false
	}
	return b.String(), s[1:], true
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
