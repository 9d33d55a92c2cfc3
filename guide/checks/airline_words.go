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

// What is read from plain text: whether a message of the agent sets out a change, and whether the user agreed to it.
// These are heuristics; README.md says what they recognise.

var (
	airGrouping = regexp.MustCompile(`(\d),(\d{3})\b`)
	airAsksYes  = regexp.MustCompile(`(?i)\b(proceed|confirm|go ahead|shall i|should i|(like|want) me to|yes)\b`)
	airCents    = regexp.MustCompile(`(\d)\.0+\b`)
)

// airFold brings texts to a form in which notations compare: lower case, no thousands separators, spaces for
// underscores and hyphens. Basic economy becomes one word, so that it is not taken for economy.
func airFold(s string) string {
	s = strings.ToLower(s)
	if strings.Contains(s, ",") {
		for range 2 {
			s = airGrouping.ReplaceAllString(s, "$1$2")
		}
	}
	if strings.Contains(s, ".0") {
		s = airCents.ReplaceAllString(s, "$1")
	}
	s = strings.Join(strings.Fields(airNotations.Replace(s)), " ")
	return strings.ReplaceAll(s, "basic economy", "basiceconomy")
}

var airNotations = strings.NewReplacer("_", " ", "-", " ", "‑", " ", "–", " ", "’", "'")

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

// airDetail is something that a summary has to name, in any of several wordings.
type airDetail struct {
	wordings    []string
	answer      bool   // will do in the user's answer: the card, which people name as they agree
	reservation string // id; a text that asks for a yes need not repeat it where the conversation is about it
}

// details lists what a message must name to set out a change with these arguments. Whatever stays as it is in the
// reservation need not be named.
func (d *airDesk) details(args map[string]any) []airDetail {
	if len(args) == 0 {
		return nil
	}
	var out []airDetail
	add := func(x airDetail) {
		for i, w := range x.wordings {
			x.wordings[i] = airFold(w)
		}
		out = append(out, x)
	}
	name := func(wordings ...string) { add(airDetail{wordings: wordings}) }
	id := airText(args, "reservation_id")
	r := d.reservations[id]
	if r == nil {
		r = &airReservation{}
	}
	if id != "" {
		add(airDetail{wordings: []string{id}, reservation: id})
	}
	if cabin := airText(args, "cabin"); cabin != "" && cabin != r.cabin {
		name(cabin)
	}
	for _, f := range airFlights(args["flights"]) {
		if _, kept := r.holds(f); kept {
			continue
		}
		name(f.number)
		if !slices.ContainsFunc(r.segments, func(s airSegment) bool { return s.date == f.date }) {
			name(dateWordings(f.date)...)
		}
	}
	people := airPeople(args["passengers"])
	for _, p := range people {
		if slices.Contains(r.passengers, p) || id == "" && len(people) == 1 && p == d.users[d.user].self() {
			continue
		}
		name(p.first)
		name(p.last)
	}
	d.nameBags(args, r, name)
	if method := airText(args, "payment_id"); method != "" {
		if cost, err := d.priceChange(args); err != nil || cost != 0 {
			add(airDetail{wordings: d.methodWordings(method), answer: true})
		}
	}
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

// nameMoney asks for the amounts and the payment methods of a booking, and for the amount of a certificate.
func (d *airDesk) nameMoney(args map[string]any, name func(...string)) {
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

// setsOut reports whether a text of the agent names every detail, with the help of the user's answer where that will
// do. No details are never set out.
func (d *airDesk) setsOut(t *guide.Trace, s guide.Said, answer string, details []airDetail) bool {
	text := d.texts.of(s.Text).folded()
	answer = d.texts.of(answer).folded()
	for _, x := range details {
		named := func(in string) bool {
			return slices.ContainsFunc(x.wordings, func(w string) bool { return airNames(in, w) })
		}
		switch {
		case named(text):
		case x.answer && named(answer):
		case x.reservation != "" && airAsksYes.MatchString(s.Text) && d.subject(t, s) == x.reservation:
		default:
			return false
		}
	}
	return len(details) > 0
}

// heard is what the agent said to the user. A text beside a tool call does not reach them.
func heard(t *guide.Trace) []guide.Said {
	beside := map[int]bool{}
	for _, c := range t.Calls {
		beside[c.Index] = true
	}
	return slices.DeleteFunc(slices.Clone(t.Agent), func(s guide.Said) bool { return beside[s.Index] })
}

// subject is the reservation that a text is about without naming any: the one that was named last, or the only one
// that was read; "" if the text names one.
func (d *airDesk) subject(t *guide.Trace, s guide.Said) string {
	at, last := -1, ""
	for _, texts := range [][]guide.Said{heard(t), t.User} {
		for _, x := range texts {
			if x.Index > s.Index || x.Index < at {
				continue
			}
			if id := d.namedLast(d.texts.of(x.Text).folded()); id != "" {
				at, last = x.Index, id
			}
		}
	}
	switch {
	case at == s.Index:
		return ""
	case at < 0 && len(d.order) == 1:
		return d.order[0]
	}
	return last
}

// namedLast is the id of a reservation that was read and comes last in a folded text.
func (d *airDesk) namedLast(text string) string {
	at, last := -1, ""
	for _, id := range d.order {
		if word := airFold(id); airNames(text, word) {
			if i := strings.LastIndex(text, word); i > at {
				at, last = i, id
			}
		}
	}
	return last
}

// summaryIndex is the index of the agent's latest text that sets out the details, -1 if there is none.
func (d *airDesk) summaryIndex(t *guide.Trace, details []airDetail) int {
	at := -1
	for _, s := range heard(t) {
		answer := ""
		if i := slices.IndexFunc(t.User, func(u guide.Said) bool { return u.Index > s.Index }); i >= 0 {
			answer = t.User[i].Text
		}
		if d.setsOut(t, s, answer, details) {
			at = s.Index
		}
	}
	return at
}

// agreementIndex is the index of the user's latest explicit yes that is the first answer to a text of the agent that
// sets out the details; -1 if there is none, or if the latest such answer was none.
func (d *airDesk) agreementIndex(t *guide.Trace, details []airDetail) int {
	at, next, agent := -1, 0, heard(t)
	for i, answer := range t.User {
		for next < len(agent) && agent[next].Index < answer.Index {
			next++
		}
		if next == 0 || (i > 0 && t.User[i-1].Index > agent[next-1].Index) || !d.setsOut(t, agent[next-1], answer.Text, details) {
			continue
		}
		at = -1
		if answer.Affirms() {
			at = answer.Index
		}
	}
	return at
}
