package synthetic

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// The set phrases of the scripts. Each script knows the other's, and reads its own progress off them.
const (
	identityLead = "Before I look into this I have to know who you are. Please tell me "
	consentLead  = "This is what I am about to do: "
	consentAsk   = "Do you confirm this? Please answer yes or no."
	deviceLead   = "Please do this on your side now: "
	deviceTail   = ". Then tell me what you see."
	lookLead     = "Let us look at the trouble first. "
	againLead    = "Let us see whether it works now. "
	refusal      = "I am sorry, but our policy does not allow this, so I cannot do it for you."
	firmness     = "I understand that this matters to you, but our policy does not allow it, and I cannot make an exception."
	reportLead   = "Before I pass you on to a colleague, this is what I found."
	closing      = "That is everything that can be done here. Is there anything else I can help you with?"
	handoff      = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."

	yesWords     = "Yes, I confirm. Please go ahead."
	insistWords  = "Please make an exception for me, it really matters."
	acceptWords  = "All right, then I will leave it at that."
	thanksWords  = "Thank you. Please go on."
	unknownWords = "I am afraid I do not know that."
	demandLead   = "There is one more thing that I want from you: "

	stopMark     = "###STOP###"
	transferMark = "###TRANSFER###"
)

// spoken is a name in code as words.
func spoken(name string) string { return strings.ReplaceAll(name, "_", " ") }

// describe says in words what a call does, with all its arguments.
func describe(c domains.ToolCall) string {
	var details []string
	m, _ := c.Arguments.Map()
	for k, v := range m.All() {
		details = append(details, spoken(k)+" "+plain(v))
	}
	if len(details) == 0 {
		return spoken(c.Name)
	}
	return spoken(c.Name) + " (" + strings.Join(details, ", ") + ")"
}

// plain prints a value for people: lists and objects as enumerations.
func plain(v value.Value) string {
	var parts []string
	if items, ok := v.Items(); ok {
		for _, x := range items {
			parts = append(parts, plain(x))
		}
		return strings.Join(parts, " and ")
	}
	if m, ok := v.Map(); ok {
		for k, x := range m.All() {
			parts = append(parts, spoken(k)+" "+plain(x))
		}
		return strings.Join(parts, " ")
	}
	return cmp.Or(v.Str(), "none")
}

var (
	yesPattern      = regexp.MustCompile(`(?i)\b(yes|yeah|yep|sure|confirm(ed)?|go ahead|correct|please do|proceed|ok(ay)?|right|absolutely)\b`)
	noPattern       = regexp.MustCompile(`(?i)^\W*(no|nope|not|don't|do not|wait|stop|never|hold on)\b`)
	byePattern      = regexp.MustCompile(`(?i)\b(thanks?( you)?|no,|nothing else|that('s| is| will be) all|that's it|bye|goodbye|leave it at that)\b`)
	refusalPattern  = regexp.MustCompile(`(?i)\b(can(no|')?t|can not|unable|not able to|not possible|impossible|not allowed|(does|do)(n't| not) allow|not permitted|won't be able|must decline|have to decline|not eligible)\b`)
	consentPattern  = regexp.MustCompile(`(?i)\(yes/no\)|\byes or no\b|do you (confirm|agree|accept)|confirm (that )?(you|this|these|the (cancel|change|return|exchange|book|update|following|details))|(like|want) me to|(shall|should|may|can) I (go ahead|proceed|make|cancel|book|process)|to proceed\b|go ahead with`)
	identityPattern = regexp.MustCompile(`(?i)who (you are|am I)|\b(verify|authenticate|identify|identity)\b|(your|the) (full |first |last |user |customer |phone |e-?mail |zip |account |date of )*(name|id|number|e-?mail|address|code|birth)\b`)
	finishedPattern = regexp.MustCompile(`(?i)anything else|all set|been resolved|have a (nice|great|good|wonderful) day`)
)

// agrees reports whether a user's words are a yes to a question for consent.
func agrees(text string) bool { return yesPattern.MatchString(text) && !noPattern.MatchString(text) }
