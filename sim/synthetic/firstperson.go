package synthetic

import (
	"slices"
	"strings"
	"unicode"
)

// objects are words after which "you" is "me" rather than "I". English needs more than the word before to tell; this
// is right often enough.
var objects = []string{
	"to", "for", "with", "from", "of", "about", "at", "by", "on", "than", "before", "give", "gives", "gave", "tell", "tells", "told",
	"help", "helps", "allow", "allows", "let", "lets", "ask", "asks", "asked", "show", "shows", "send", "sends", "sent", "refund", "refunds",
	"charge", "charges", "charged", "offer", "offers", "offered", "make", "makes",
}

// swapped are the words that change by themselves.
var swapped = map[string]string{
	"your": "my", "Your": "My", "yours": "mine", "Yours": "Mine", "yourself": "myself", "Yourself": "Myself",
	"you're": "I'm", "You're": "I'm", "you've": "I've", "You've": "I've", "you'll": "I'll", "You'll": "I'll", "you'd": "I'd", "You'd": "I'd",
}

// firstPerson turns a brief that addresses the customer into what the customer might say to the agent, on one line.
func firstPerson(brief string) string {
	words := strings.Fields(brief)
	out := make([]string, 0, len(words))
	before := "" // the word before, in lower case
	for i := 0; i < len(words); i++ {
		lead, word, tail := core(words[i])
		next := ""
		if i+1 < len(words) && tail == "" {
			_, next, _ = core(words[i+1])
		}
		switch lower := strings.ToLower(word); {
		case swapped[word] != "":
			word = swapped[word]
		case (lower == "the" || lower == "an") && (next == "agent" || next == "agent's"):
			i++
			_, _, tail = core(words[i])
			word = map[string]string{"agent": "you", "agent's": "your"}[next]
		case lower == "you" && (next == "are" || next == "were"):
			i++
			_, _, tail = core(words[i])
			word = map[string]string{"are": "I am", "were": "I was"}[next]
		case lower == "you" && slices.Contains(objects, before):
			word = "me"
		case lower == "you":
			word = "I"
		}
		before = ""
		if tail == "" {
			before = strings.ToLower(word)
		}
		out = append(out, lead+word+tail)
	}
	return strings.Join(out, " ")
}

// core separates a word from the punctuation around it; apostrophes within are made plain.
func core(s string) (lead, word, tail string) {
	inner := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	from := strings.IndexFunc(s, inner)
	if from < 0 {
		return s, "", ""
	}
	word = strings.TrimRightFunc(s[from:], func(r rune) bool { return !inner(r) })
	return s[:from], strings.ReplaceAll(word, "’", "'"), s[from+len(word):]
}
