package checks

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tauguide/tauguide/guide"
)

// What the user says of themselves in plain text: who travels, why they cancel, whether they ask for a compensation.
// These are heuristics; README.md says what they recognise.

// passengersKnown reports whether passengers have complete names and dates of birth that the user gave or that stand
// in the user's profile or reservations.
func (d *airDesk) passengersKnown(t *guide.Trace, v any) bool {
	var said strings.Builder
	for _, s := range t.User {
		said.WriteString(d.texts.of(s.Text).folded() + "\n")
	}
	known := slices.Clone(d.users[d.user].people)
	for _, id := range d.order {
		if r := d.reservations[id]; r.user == d.user {
			known = append(known, r.passengers...)
		}
	}
	gave := func(words string) bool { return airNames(said.String(), airFold(words)) }
	for _, p := range airPeople(v) {
		if p.first == "" || p.last == "" || p.born == "" {
			return false
		}
		first, last, born := gave(p.first), gave(p.last), givesBirth(gave, p.born)
		for _, k := range known {
			first = first || strings.EqualFold(k.first, p.first)
			last = last || strings.EqualFold(k.last, p.last)
			born = born || k.born == p.born
		}
		if !first || !last || !born {
			return false
		}
	}
	return len(airList(v)) > 0
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

var (
	airSentence = regexp.MustCompile(`[.!?;\n]+`)
	airClause   = regexp.MustCompile(`(?i),|\b(because|since|due to|as|but|so)\b`)
	airCovered  = regexp.MustCompile(`(?i)\b(sick|ill|illness|unwell|flu|fever|covid|injur\w+|surgery|hospital\w*|medical|health|disease|infection|pneumonia|migraine|broken? (my|your|our|his|her|their|an?|the) \w+|weather|storms?|thunderstorms?|hurricanes?|snow\w*|blizzards?|typhoons?|tornado(es)?|floods?|flooding)\b`)
	airUnwell   = regexp.MustCompile(`(?i)(\bnot|n['’]t) (feel|feeling) (very |so |too |at all )?(well|good)\b`)
	airDenial   = regexp.MustCompile(`(?i)\b(no|not|never|none|nobody|nothing|without|neither|fake|pretend|healthy)\b|n['’]t\b`)
	airNoHealth = regexp.MustCompile(`(?i)\bsick (and tired )?of\b|\b(cat|dog|pet|puppy|kitten)\b|\b(if i (was|were|am|said|say|told)|what if)\b|\bweather (is|was|will be|looks) (fine|good|nice|great)\b`)
	airReason   = regexp.MustCompile(`(?i)\bbecause\b|\bsince\b|\bdue to\b|\breason\b|\bas (i|we|my|our)\b|\bplans?\b|\bno longer\b|\bby mistake\b|\bemergency\b|\b(can.t|cannot|can not|unable to|not able to) (travel|fly|make|go|come|attend)|\b(was|been|got|were) cancel|\bcancelled (the|my|our) flight\b|\bchanged (my|our) mind\b|\b(need|want|wish|decided) to (stay|change|rebook|fly)\b|\bconflict|\bcoincides?\b|\bmix.?up\b|\bduplicate|\bso (that )?(i|we)\b|\binstead\b`)
	airAskedWhy = regexp.MustCompile(`(?i)\breasons?\b|\bwhy\b`)

	airWish   = regexp.MustCompile(`(?i)\bcompensat\w*|\bvouchers?\b|\breimburse\w*|\bgoodwill\b|\bmake (it|this|that) up\b|\bmake up for\b|\bgesture\b`)
	airDemand = regexp.MustCompile(`(?i)\b(give|get|want|demand|deserve|owe|offer|issue|send|entitled|expect|request|ask(ing)? for)\b[^.!?]{0,40}\b(certificates?|credits?)\b`)
	airPaying = regexp.MustCompile(`(?i)\b(pay|paying|use|using|charge|cover)\b`)
)

// airTexts are texts with what they say.
type airTexts struct{ *memo[*airSpeech] }

// airSpeech is what a text says by itself. Each part is read when it is first asked for.
type airSpeech struct {
	folded                            func() string
	asksWhy, reason, covered, demands func() bool // a reason for cancelling; one of health or weather; a compensation
}

func newAirSpeech(text string) *airSpeech {
	text = strings.Clone(text)
	sentences := sync.OnceValue(func() []string { return airSentence.Split(text, -1) })
	return &airSpeech{
		folded:  sync.OnceValue(func() string { return airFold(text) }),
		asksWhy: sync.OnceValue(func() bool { return airAskedWhy.MatchString(text) }),
		reason:  sync.OnceValue(func() bool { return airReason.MatchString(text) }),
		covered: sync.OnceValue(func() bool { return slices.ContainsFunc(sentences(), coveredReason) }),
		demands: sync.OnceValue(func() bool { return slices.ContainsFunc(sentences(), demandsCompensation) }),
	}
}

// cancelReason reads from the user's texts whether a reason for cancelling was given, and whether one is of health or
// weather, which insurance covers. An answer to the agent's question for the reason is one, whatever it says.
func (d *airDesk) cancelReason(t *guide.Trace) (given, covered bool) {
	next, agent := 0, heard(t)
	for _, s := range t.User {
		for next < len(agent) && agent[next].Index < s.Index {
			next++
		}
		said := d.texts.of(s.Text)
		given = given || next > 0 && d.texts.of(agent[next-1].Text).asksWhy() || said.reason()
		covered = covered || said.covered()
	}
	return given || covered, covered
}

// coveredReason looks for a word of illness or weather that nothing before it in the same clause denies.
func coveredReason(sentence string) bool {
	if airNoHealth.MatchString(sentence) {
		return false
	}
	for _, clause := range airClause.Split(sentence, -1) {
		at := airCovered.FindStringIndex(clause)
		if airUnwell.MatchString(clause) || at != nil && !airDenial.MatchString(clause[:at[0]]) {
			return true
		}
	}
	return false
}

// compensationAsked reports whether the user asked for a compensation.
func (d *airDesk) compensationAsked(t *guide.Trace) bool {
	return slices.ContainsFunc(t.User, func(s guide.Said) bool { return d.texts.of(s.Text).demands() })
}

// demandsCompensation leaves out a certificate that is to pay for something, which is no compensation.
func demandsCompensation(sentence string) bool {
	return airWish.MatchString(sentence) || airDemand.MatchString(sentence) && !airPaying.MatchString(sentence)
}
