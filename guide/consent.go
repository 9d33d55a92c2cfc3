package guide

import (
	"regexp"
	"slices"
	"strings"
)

// Consent from real text is a heuristic: an answer counts as a yes if it has a word of agreement and none of refusal
// or condition. Act tags of scripted users, where present, decide instead.
var (
	agreement = regexp.MustCompile(`(?i)\b(yes|yep|yeah|yup|sure|ok|okay|correct|confirm|confirmed|agree|agreed|accept|proceed|go ahead|please do|do it|do so|sounds good|looks good|that works|that.s right|absolutely|definitely)\b`)
	refusal   = regexp.MustCompile(`(?i)(^\W*(no|nope|wait|stop|hold on)\b|\b(do not|don't|dont|not yet|not sure|never mind|nevermind|changed my mind|rather not|not correct|not right|incorrect)\b)`)
)

// Parts of all that agreement and refusal look for: a text that holds none is spared the search.
var (
	refusalHints   = []string{"no", "wait", "stop", "hold on", "don't", "dont", "never", "changed my mind", "incorrect"}
	agreementHints = []string{"ye", "yup", "sure", "ok", "correct", "confirm", "agree", "accept", "proceed", "go ahead", "please do", "do it", "do so",
		"good", "that works", "right", "absolutely", "definitely"}
)

// Affirms reports whether an answer is an explicit yes.
func (s Said) Affirms() bool {
	switch s.Act {
	case "consent":
		return true
	case "":
		lower := strings.ToLower(s.Text)
		in := func(hint string) bool { return strings.Contains(lower, hint) }
		return slices.ContainsFunc(agreementHints, in) && agreement.MatchString(s.Text) &&
			!(slices.ContainsFunc(refusalHints, in) && refusal.MatchString(s.Text))
	}
	return false
}

// ConsentIndex finds the latest text of the user that is an explicit yes to the agent's text right before it, where
// that text, with the answer, sets out what is asked for. It returns the index of the user's message, -1 if there is
// none, or if a later answer to such a text took it back.
func (t *Trace) ConsentIndex(setsOut func(offer, answer Said) bool) int {
	at := -1
	for i, j := 0, 0; i < len(t.User); i++ {
		for j < len(t.Agent) && t.Agent[j].Index < t.User[i].Index {
			j++
		}
		if j == 0 || i > 0 && t.User[i-1].Index > t.Agent[j-1].Index || !setsOut(t.Agent[j-1], t.User[i]) {
			continue // not the first answer to such a text
		}
		at = -1
		if t.User[i].Affirms() {
			at = t.User[i].Index
		}
	}
	return at
}
