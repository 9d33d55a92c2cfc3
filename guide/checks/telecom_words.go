package checks

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Values that the customer states in words: numbers of phones, dates, amounts, where they are, what they choose. These
// are heuristics over plain text; guide/checks/README.md says what they recognise.

var (
	phonePattern  = regexp.MustCompile(`\+?\d[\d\s().-]{5,}\d`)
	notDigit      = regexp.MustCompile(`\D`)
	tokenPattern  = regexp.MustCompile(`[a-z]+|\d+`)
	gbPattern     = regexp.MustCompile(`(?i)\bgb[ _]amount:? (\d+(?:\.\d+)?)|(\d+(?:[.,]\d+)?|\b(?:half an?|one and a half|one|two|three|four|five|ten|an?|another))[ -]?(?:(?:more|extra|additional|whole)\s+)?(?:gb|gigs?|gigabytes?)\b`)
	moneyPattern  = regexp.MustCompile(`(?i)\$\s*(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s*(?:usd|dollars?|bucks)\b|\b(\d[\d,]*\.\d{2})\b`)
	paidPattern   = regexp.MustCompile(`(?i)payment of [\d.]+|\b(i|i've|have|i have|just|already) (just |now |already |successfully )?(paid|made|completed|approved|accepted)\b.{0,40}(payment|bill|request|it\b|\$)|payment (was|is|has been|went|is now) (made|through|complete|completed|successful)|\bi('ve| have)? (just )?paid\b`)
	rebootPattern = regexp.MustCompile(`(?i)restarting network services|\b(restarted|rebooted|rebooting (is )?done|has restarted|has rebooted)\b`)
)

var numberWords = map[string]float64{"half a": .5, "half an": .5, "one and a half": 1.5, "one": 1, "a": 1, "an": 1, "another": 1, "two": 2,
	"three": 3, "four": 4, "five": 5, "ten": 10}

// saidNumber reports whether the customer gave a phone number, in any notation, or agreed when the agent named it.
func saidNumber(t *guide.Trace, phone string) bool {
	want := notDigit.ReplaceAllString(phone, "")
	if len(want) < 7 {
		return false
	}
	names := func(text string) bool { return numberAt(text, want) >= 0 }
	return slices.ContainsFunc(t.User, func(s guide.Said) bool { return names(s.Text) }) || yesTo(t, names) >= 0
}

// numberAt is where a text names a phone number, -1 if it does not.
func numberAt(text, phone string) int {
	want := strings.TrimPrefix(notDigit.ReplaceAllString(phone, ""), "1")
	if !strings.Contains(text, want[max(0, len(want)-2):]) {
		return -1
	}
	for _, m := range phonePattern.FindAllStringIndex(text, -1) {
		if strings.TrimPrefix(notDigit.ReplaceAllString(text[m[0]:m[1]], ""), "1") == want {
			return m[0]
		}
	}
	return -1
}

func saidID(t *guide.Trace, id string) bool {
	return id != "" && slices.ContainsFunc(t.User, func(s guide.Said) bool { return strings.Contains(strings.ToUpper(s.Text), strings.ToUpper(id)) })
}

// saidName reports whether the customer's texts hold every word of a name.
func saidName(t *guide.Trace, name string) bool {
	said := map[string]bool{}
	for _, s := range t.User {
		for _, w := range tokenPattern.FindAllString(strings.ToLower(s.Text), -1) {
			said[w] = true
		}
	}
	words := tokenPattern.FindAllString(strings.ToLower(name), -1)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !said[w] })
}

// saidDate reports whether one of the customer's texts holds year, month and day of a date, whatever their order; the
// month by number, name or its first three letters.
func saidDate(t *guide.Trace, date string) bool {
	d, err := guide.ParseDate(date)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(t.User, func(s guide.Said) bool {
		tokens := tokenPattern.FindAllString(strings.ToLower(s.Text), -1)
		has := func(n int, not int) int {
			return slices.IndexFunc(tokens, func(w string) bool { v, err := strconv.Atoi(w); return err == nil && v == n && n != not })
		}
		if has(d.Year(), 0) < 0 || has(d.Day(), 0) < 0 {
			return false
		}
		month := strings.ToLower(d.Month().String())
		return has(int(d.Month()), 0) >= 0 && (d.Day() != int(d.Month()) || countOf(tokens, int(d.Month())) > 1) ||
			slices.Contains(tokens, month) || slices.Contains(tokens, month[:3])
	})
}

func countOf(tokens []string, n int) (found int) {
	for _, w := range tokens {
		if v, err := strconv.Atoi(w); err == nil && v == n {
			found++
		}
	}
	return found
}

// yesTo finds the latest explicit yes that answers a text of the agent which names what is asked for; -1 if there is
// none, or if a later answer to such a text took it back. It is consent_after_summary with a condition in place of words.
func yesTo(t *guide.Trace, names func(string) bool) int {
	found, j := -1, 0
	for i, u := range t.User {
		for j < len(t.Agent) && t.Agent[j].Index < u.Index {
			j++
		}
		if j == 0 || i > 0 && t.User[i-1].Index > t.Agent[j-1].Index || !names(t.Agent[j-1].Text) {
			continue
		}
		found = -1
		if u.Affirms() {
			found = u.Index
		}
	}
	return found
}

// amounts is what a customer has to agree to; -1 where there is no such part.
type amounts struct{ gb, usd float64 }

// in reports whether a text names every part.
func (a amounts) in(text string) bool {
	if a.gb < 0 && a.usd < 0 {
		return false
	}
	return (a.gb < 0 || containsAmount(dataIn(text), a.gb)) && (a.usd < 0 || containsAmount(moneyIn(text), a.usd))
}

func containsAmount(list []float64, want float64) bool {
	return slices.ContainsFunc(list, func(f float64) bool { return math.Abs(f-want) < 0.005 })
}

// dataIn lists the amounts of data that a text names, in GB.
func dataIn(text string) (out []float64) {
	for _, m := range gbPattern.FindAllStringSubmatch(text, -1) {
		found := m[1] + m[2]
		if n, ok := numberWords[strings.ToLower(found)]; ok {
			out = append(out, n)
		} else if f, err := strconv.ParseFloat(strings.ReplaceAll(found, ",", "."), 64); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// moneyIn lists the amounts of money that a text names.
func moneyIn(text string) (out []float64) {
	for _, m := range moneyPattern.FindAllStringSubmatch(text, -1) {
		if f, err := strconv.ParseFloat(strings.ReplaceAll(m[1]+m[2]+m[3], ",", ""), 64); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// namedData is the latest amount of data that the customer named, -1 if there is none.
func namedData(t *guide.Trace) float64 {
	for _, s := range slices.Backward(t.User) {
		if list := dataIn(s.Text); len(list) > 0 {
			return list[len(list)-1]
		}
	}
	return -1
}

// reportedAt is the index of the latest report that matches, -1 if there is none.
func reportedAt(said []reports, p *regexp.Regexp) int {
	at := -1
	for _, r := range said {
		if slices.ContainsFunc(r.clauses, p.MatchString) {
			at = r.index
		}
	}
	return at
}

// countries are the places outside the home network that are recognised by name.
var countries = strings.Split("france|paris|germany|spain|portugal|lisbon|italy|austria|switzerland|netherlands|belgium|poland|greece|turkey|ireland|england|"+
	"scotland|united kingdom|the uk|london|norway|sweden|denmark|finland|iceland|czechia|hungary|croatia|europe|canada|mexico|brazil|argentina|chile|peru|"+
	"colombia|costa rica|japan|tokyo|china|korea|india|thailand|vietnam|singapore|indonesia|malaysia|philippines|australia|new zealand|egypt|morocco|"+
	"kenya|south africa|israel|dubai|asia|africa", "|")

// placeHints are parts of every word that away and atHome look for: a text without any is spared both.
var placeHints = append([]string{"abroad", "travel", "overseas", "outside", "trip", "vacation", "holiday", "hike", "roaming", "home", "in the", "in my"}, countries...)

var (
	away = regexp.MustCompile(`(?i)\b(abroad|travell?ing|overseas|outside (of )?(my|the|our|your) (usual|home|normal|network)|on (a )?(trip|vacation|holiday|hike)|` +
		strings.Join(countries, "|") + `)\b`)
	atHome    = regexp.MustCompile(`(?i)\b(not|n't|n’t) (currently |presently |right now )?(abroad|travell?ing|outside|overseas|on a trip|roaming)|\b(at home|back home|home (area|network)|in the (us|usa|u\.s\.|states|united states)|in my (usual|home|normal))\b`)
	askedAway = regexp.MustCompile(`(?i)\b(abroad|travell?ing|overseas|outside)\b`)
	saysNo    = regexp.MustCompile(`(?i)^\W*(no|nope)\b`)
)

// abroad is where the customer is, by their latest word on it: yes (outside the home network), no, or "".
func abroad(t *guide.Trace) string {
	j := len(t.Agent)
	for _, u := range slices.Backward(t.User) {
		for j > 0 && t.Agent[j-1].Index > u.Index {
			j--
		}
		lower := strings.ToLower(u.Text)
		place := slices.ContainsFunc(placeHints, func(hint string) bool { return strings.Contains(lower, hint) })
		switch {
		case place && atHome.MatchString(u.Text):
			return "no"
		case place && away.MatchString(u.Text):
			return "yes"
		case j == 0 || !strings.Contains(t.Agent[j-1].Text, "?") || !askedAway.MatchString(t.Agent[j-1].Text):
			// not an answer to the question
		case saysNo.MatchString(u.Text):
			return "no"
		case u.Affirms():
			return "yes"
		}
	}
	return ""
}

var (
	wantsData = regexp.MustCompile(`(?i)refuel|top.?up|\b(extra|more|additional) data\b|\badd(ing)?\b.{0,25}\b(data|gb|gigs?|gigabytes?)\b|\d\s*(gb|gigs?|gigabytes?)\b`)
	wantsPlan = regexp.MustCompile(`(?i)\b(chang|switch|mov|upgrad)\w*\b.{0,30}\bplan\b|\b(another|different|bigger|new|larger) plan\b`)
	neither   = regexp.MustCompile(`(?i)\b(neither|none of (those|them|these)|nothing that costs)\b`)
	choosing  = regexp.MustCompile(`(?i)plan\b|refuel|top.?up|(extra|more|additional) data|add|gb|gig|neither|none|nothing`) // a text without is no choice
	declines  = regexp.MustCompile(`(?i)\b(no|not|without|neither|don't|don’t|won't|won’t|decline|rather than|instead of)\b`)
)

// choice is what the customer wants when the data are used up, by their latest word on it: data, plan, neither or "".
func choice(t *guide.Trace) string {
	state := ""
	for _, s := range t.User {
		if !choosing.MatchString(s.Text) {
			continue
		}
		for _, c := range split(s.Text) {
			data, plan, no := wantsData.MatchString(c), wantsPlan.MatchString(c), declines.MatchString(c)
			switch {
			case neither.MatchString(c), no && data, no && plan && state != "data":
				state = "neither"
			case no:
			case data:
				state = "data"
			case plan:
				state = "plan"
			}
		}
	}
	return state
}
