package airline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// What the user says of themselves in plain text: who travels, why they cancel, whether they ask for a compensation.
// These are heuristics; guide/checks/README.md says what they recognise.

// Texts keeps what texts say by themselves. Known reads a conversation with it.
type Texts struct{ *policy.TextCache[statement] }

// NewTexts makes an empty cache, to be shared by all conversations.
func NewTexts() *Texts { return &Texts{policy.NewTextCache(readStatement)} }

// statement is what a text says by itself.
type statement struct {
	folded                            string
	asksWhy, reason, covered, demands bool // a reason for cancelling; one of health or weather; a compensation
}

func readStatement(text string) statement {
	sentences := sentenceEnd.Split(text, -1)
	return statement{
		folded: fold(text), asksWhy: asksWhy.MatchString(text), reason: anyReason.MatchString(text),
		covered: slices.ContainsFunc(sentences, coveredReason), demands: slices.ContainsFunc(sentences, demandsCompensation),
	}
}

var (
	sentenceEnd   = regexp.MustCompile(`[.!?;\n]+`)
	clauseEnd     = regexp.MustCompile(`(?i),|\b(because|since|due to|as|but|so)\b`)
	coveredWord   = regexp.MustCompile(`(?i)\b(sick|ill|illness|unwell|flu|fever|covid|injur\w+|surgery|hospital\w*|medical|health|disease|infection|pneumonia|migraine|broken? (my|your|our|his|her|their|an?|the) \w+|weather|storms?|thunderstorms?|hurricanes?|snow\w*|blizzards?|typhoons?|tornado(es)?|floods?|flooding)\b`)
	unwell        = regexp.MustCompile(`(?i)(\bnot|n['’]t) (feel|feeling) (very |so |too |at all )?(well|good)\b`)
	denial        = regexp.MustCompile(`(?i)\b(no|not|never|none|nobody|nothing|without|neither|fake|pretend|healthy)\b|n['’]t\b`)
	neverCovered  = regexp.MustCompile(`(?i)\bsick (and tired )?of\b|\b(cat|dog|pet|puppy|kitten)\b|\b(if i (was|were|am|said|say|told)|what if)\b|\bweather (is|was|will be|looks) (fine|good|nice|great)\b`)
	anyReason     = regexp.MustCompile(`(?i)\bbecause\b|\bsince\b|\bdue to\b|\breason\b|\bas (i|we|my|our)\b|\bplans?\b|\bno longer\b|\bby mistake\b|\bemergency\b|\b(can.t|cannot|can not|unable to|not able to) (travel|fly|make|go|come|attend)|\b(was|been|got|were) cancel|\bcancelled (the|my|our) flight\b|\bchanged (my|our) mind\b|\b(need|want|wish|decided) to (stay|change|rebook|fly)\b|\bconflict|\bcoincides?\b|\bmix.?up\b|\bduplicate|\bso (that )?(i|we)\b|\binstead\b`)
	asksWhy       = regexp.MustCompile(`(?i)\breasons?\b|\bwhy\b`)
	wishesRedress = regexp.MustCompile(`(?i)\bcompensat\w*|\bvouchers?\b|\breimburse\w*|\bgoodwill\b|\bmake (it|this|that) up\b|\bmake up for\b|\bgesture\b`)
	demandsPaper  = regexp.MustCompile(`(?i)\b(give|get|want|demand|deserve|owe|offer|issue|send|entitled|expect|request|ask(ing)? for)\b[^.!?]{0,40}\b(certificates?|credits?)\b`)
	paysWith      = regexp.MustCompile(`(?i)\b(pay|paying|use|using|charge|cover)\b`)
)

// coveredReason looks for a word of illness or weather that nothing before it in the same clause denies.
func coveredReason(sentence string) bool {
	if neverCovered.MatchString(sentence) {
		return false
	}
	for _, clause := range clauseEnd.Split(sentence, -1) {
		at := coveredWord.FindStringIndex(clause)
		if unwell.MatchString(clause) || at != nil && !denial.MatchString(clause[:at[0]]) {
			return true
		}
	}
	return false
}

// demandsCompensation leaves out a certificate that is to pay for something, which is not compensation.
func demandsCompensation(sentence string) bool {
	return wishesRedress.MatchString(sentence) || demandsPaper.MatchString(sentence) && !paysWith.MatchString(sentence)
}

// CancelReason reads from the user's texts whether a reason for cancelling was given, and whether one is of health or
// weather, which insurance covers. An answer to the agent's question for the reason is one, whatever it says.
func (k *Known) CancelReason() (given, covered bool) {
	next, agent := 0, k.trace.Agent
	for _, s := range k.trace.User {
		for next < len(agent) && agent[next].Index < s.Index {
			next++
		}
		said := k.texts.Of(s.Text)
		given = given || next > 0 && k.texts.Of(agent[next-1].Text).asksWhy || said.reason
		covered = covered || said.covered
	}
	return given || covered, covered
}

// CompensationAsked reports whether the user asked for a compensation.
func (k *Known) CompensationAsked() bool {
	return slices.ContainsFunc(k.trace.User, func(s guide.Said) bool { return k.texts.Of(s.Text).demands })
}

// PassengersKnown reports whether passengers have complete names and dates of birth that the user gave or that are in
// the user's profile or reservations.
func (k *Known) PassengersKnown(list any) bool {
	var said strings.Builder
	for _, s := range k.trace.User {
		said.WriteString(k.texts.Of(s.Text).folded + "\n")
	}
	p := k.profile()
	known := append(slices.Clone(p.Saved), p.Self)
	for _, b := range k.own() {
		known = append(known, b.Passengers...)
	}
	gave := func(words string) bool { return names(said.String(), fold(words)) }
	people := People(list)
	for _, p := range people {
		if p.First == "" || p.Last == "" || p.Born == "" {
			return false
		}
		first, last, born := gave(p.First), gave(p.Last), givesBirth(gave, p.Born)
		for _, x := range known {
			first = first || strings.EqualFold(x.First, p.First)
			last = last || strings.EqualFold(x.Last, p.Last)
			born = born || x.Born == p.Born
		}
		if !first || !last || !born {
			return false
		}
	}
	return len(people) > 0
}

// givesBirth looks for a date of birth, in any usual notation.
func givesBirth(gave func(string) bool, born string) bool {
	t, err := time.Parse(time.DateOnly, born)
	if err != nil {
		return false
	}
	if gave(born) || gave(t.Format("01/02/2006")) || gave(t.Format("1/2/2006")) || gave(t.Format("02/01/2006")) {
		return true
	}
	return gave(strconv.Itoa(t.Year())) && slices.ContainsFunc(dateWordings(born)[1:], gave)
}
