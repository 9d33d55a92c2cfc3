package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tauguide/tauguide/guide"
)

// What is read from plain text: whether a message of the agent sets out a change, whether the user agreed to it, why
// the user cancels, and whose name somebody gave. These are heuristics; README.md says what they recognise.

var (
	airGrouping = regexp.MustCompile(`(\d),(\d{3})\b`)
	airCents    = regexp.MustCompile(`(\d)\.00\b`)
)

// airFold brings texts to a form in which notations compare: lower case, no thousands separators, spaces for
// underscores and hyphens. Basic economy becomes one word, so that it is not taken for economy.
func airFold(s string) string {
	s = strings.ToLower(s)
	for range 2 {
		s = airGrouping.ReplaceAllString(s, "$1$2")
	}
	s = airCents.ReplaceAllString(s, "$1")
	s = strings.NewReplacer("_", " ", "-", " ", "‑", " ", "–", " ", "’", "'").Replace(s)
	s = strings.Join(strings.Fields(s), " ")
	return strings.ReplaceAll(s, "basic economy", "basiceconomy")
}

// airNames reports whether a folded text contains a folded phrase with no letter or digit next to it, and no decimals
// behind it.
func airNames(text, phrase string) bool {
	if phrase == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(phrase)
		decimals := end+1 < len(text) && text[end] == '.' && text[end+1] >= '0' && text[end+1] <= '9'
		if (start == 0 || !airWordByte(text[start-1])) && (end == len(text) || !airWordByte(text[end])) && !decimals {
			return true
		}
		from = start + 1
	}
}

func airWordByte(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 0x80 }

// wordings is one detail that a summary has to name, as alternatives of which any will do.
type wordings []string

// details lists what a message must name to set out a change with these arguments. Whatever stays as it is in the
// reservation need not be named.
func (d *airDesk) details(args map[string]any) []wordings {
	if len(args) == 0 {
		return nil
	}
	var out []wordings
	name := func(alternatives ...string) {
		for i, a := range alternatives {
			alternatives[i] = airFold(a)
		}
		out = append(out, alternatives)
	}
	id := airText(args, "reservation_id")
	r := d.reservations[id]
	if r == nil {
		r = &airReservation{}
	}
	if id != "" {
		name(id)
	}
	if cabin := airText(args, "cabin"); cabin != "" && cabin != r.cabin {
		name(cabin)
	}
	for _, f := range airFlights(args["flights"]) {
		if _, kept := r.holds(f); !kept {
			name(f.number)
			name(dateWordings(f.date)...)
		}
	}
	for _, p := range airPeople(args["passengers"]) {
		if !slices.Contains(r.passengers, p) {
			name(p.first)
			name(p.last)
		}
	}
	d.nameBags(args, r, name)
	d.nameMoney(args, name)
	if id != "" && len(args) == 1 {
		name("cancel", "cancels", "cancelled", "canceled", "cancelling", "canceling", "cancellation")
	}
	return out
}

// nameBags asks for the bags: all of them, or how many are added to any version of the reservation.
func (d *airDesk) nameBags(args map[string]any, r *airReservation, name func(...string)) {
	total, ok := airNumber(args["total_baggages"])
	if !ok || (len(r.versions) == 0 && total == 0) {
		return
	}
	numbers := countWordings(int64(total))
	for _, v := range r.versions {
		if added := int64(total) - v.bags; added > 0 {
			numbers = append(numbers, countWordings(added)...)
		}
	}
	name(numbers...)
	name("bag", "bags", "baggage", "baggages", "luggage", "suitcase", "suitcases")
}

// nameMoney asks for the amounts and the payment methods, unless nothing is to be paid or refunded.
func (d *airDesk) nameMoney(args map[string]any, name func(...string)) {
	if id := airText(args, "payment_id"); id != "" {
		if cost, err := d.priceChange(args); err != nil || cost != 0 {
			name(d.methodWordings(id)...)
		}
	}
	for _, x := range airList(args["payment_methods"]) {
		p := airObject(x)
		name(d.methodWordings(airText(p, "payment_id"))...)
		if amount, ok := airNumber(p["amount"]); ok {
			name(moneyText(amount))
		}
	}
	if airText(args, "insurance") == "yes" {
		name("insurance", "insured")
	}
	if amount, ok := airNumber(args["amount"]); ok {
		name(moneyText(amount))
		name("certificate", "certificates", "voucher", "vouchers")
	}
}

// methodWordings is how people call a payment method.
func (d *airDesk) methodWordings(id string) []string {
	m := d.method(id)
	out := []string{id, "original payment", "original payment method", "original form of payment"}
	switch m.source {
	case "credit_card":
		out = append(out, "credit card", m.lastFour, m.brand)
	case "gift_card":
		out = append(out, "gift card", "giftcard")
	case "certificate":
		out = append(out, "certificate", "travel certificate")
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

func countWordings(n int64) []string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	out := []string{strconv.FormatInt(n, 10)}
	if n >= 0 && n < int64(len(words)) {
		out = append(out, words[n])
	}
	return out
}

// dateWordings is how people write a date.
func dateWordings(date string) []string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return []string{date}
	}
	day, month := t.Day(), t.Month().String()
	nth := strconv.Itoa(day) + ordinal(day)
	return []string{date, fmt.Sprintf("%s %d", month, day), fmt.Sprintf("%d %s", day, month), month + " " + nth, nth + " " + month, nth + " of " + month,
		fmt.Sprintf("%s %d", month[:3], day), fmt.Sprintf("%d %s", day, month[:3]), fmt.Sprintf("%d/%d", int(t.Month()), day), t.Format("01/02")}
}

func ordinal(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

// setsOut reports whether a text names every detail. No details are never set out.
func setsOut(text string, details []wordings) bool {
	text = airFold(text)
	for _, alternatives := range details {
		if !slices.ContainsFunc(alternatives, func(a string) bool { return airNames(text, a) }) {
			return false
		}
	}
	return len(details) > 0
}

// summaryIndex is the index of the agent's latest text that sets out the details, -1 if there is none.
func summaryIndex(t *guide.Trace, details []wordings) int {
	at := -1
	for _, s := range t.Agent {
		if setsOut(s.Text, details) {
			at = s.Index
		}
	}
	return at
}

// agreementIndex is the index of the user's latest explicit yes that is the first answer to a text of the agent that
// sets out the details; -1 if there is none, or if the latest such answer was none.
func agreementIndex(t *guide.Trace, details []wordings) int {
	at, next := -1, 0
	for i, answer := range t.User {
		for next < len(t.Agent) && t.Agent[next].Index < answer.Index {
			next++
		}
		if next == 0 || (i > 0 && t.User[i-1].Index > t.Agent[next-1].Index) || !setsOut(t.Agent[next-1].Text, details) {
			continue
		}
		at = -1
		if answer.Affirms() {
			at = answer.Index
		}
	}
	return at
}

// passengersKnown reports whether passengers have complete names and dates of birth that the user gave or that stand
// in the user's profile or reservations.
func (d *airDesk) passengersKnown(t *guide.Trace, v any) bool {
	var said strings.Builder
	for _, s := range t.User {
		said.WriteString(airFold(s.Text) + "\n")
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

// cancelReason reads from the user's texts whether a reason for cancelling was given, and whether one is of health or
// weather, which insurance covers. An answer to the agent's question for the reason is one, whatever it says.
func cancelReason(t *guide.Trace) (given, covered bool) {
	next := 0
	for _, s := range t.User {
		for next < len(t.Agent) && t.Agent[next].Index < s.Index {
			next++
		}
		if next > 0 && airAskedWhy.MatchString(t.Agent[next-1].Text) || airReason.MatchString(s.Text) {
			given = true
		}
		for _, sentence := range airSentence.Split(s.Text, -1) {
			if coveredReason(sentence) {
				given, covered = true, true
			}
		}
	}
	return given, covered
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

// compensationAsked reports whether the user asked for a compensation. A certificate that is to pay for something is
// no compensation.
func compensationAsked(t *guide.Trace) bool {
	for _, s := range t.User {
		for _, sentence := range airSentence.Split(s.Text, -1) {
			if airWish.MatchString(sentence) || airDemand.MatchString(sentence) && !airPaying.MatchString(sentence) {
				return true
			}
		}
	}
	return false
}
