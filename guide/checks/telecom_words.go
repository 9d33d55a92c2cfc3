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
	tokenPattern  = regexp.MustCompile(`[a-z]+|\d+`)
	gbPattern     = regexp.MustCompile(`(?i)\bgb[ _]amount:? (\d+(?:\.\d+)?)|(\d+(?:[.,]\d+)?|\b(?:half an?|one and a half|one|two|three|four|five|ten|an?|another))[ -]?(?:(?:more|extra|additional|whole)\s+)?(?:gb|gigs?|gigabytes?)\b`)
	moneyPattern  = regexp.MustCompile(`(?i)\$\s*(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s*(?:usd|dollars?|bucks)\b|\b(\d[\d,]*\.\d{2})\b`)
	paidPattern   = regexp.MustCompile(`(?i)payment of [\d.]+|\b(i|i've|have|i have|just|already) (just |now |already |successfully )?(paid|made|completed|approved|accepted)\b.{0,40}(payment|bill|request|it\b|\$)|payment (was|is|has been|went|is now) (made|through|complete|completed|successful)|\bi('ve| have)? (just )?paid\b`)
	rebootPattern = regexp.MustCompile(`(?i)restarting network services|\b(restarted|rebooted|rebooting (is )?done|has restarted|has rebooted)\b`)
)

var numberWords = map[string]float64{"half a": .5, "half an": .5, "one and a half": 1.5, "one": 1, "a": 1, "an": 1, "another": 1, "two": 2,
	"three": 3, "four": 4, "five": 5, "ten": 10}

// digitsOf is a text without what is no digit.
func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func numbersIn(text string) (out []spokenNumber) {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	for _, m := range phonePattern.FindAllStringIndex(text, -1) {
		out = append(out, spokenNumber{strings.TrimPrefix(digitsOf(text[m[0]:m[1]]), "1"), m[0]})
	}
	return out
}

// saidNumber reports whether the customer gave a phone number, in any notation, or agreed when the agent named it.
func (c *conversation) saidNumber(phone string) bool {
	if len(digitsOf(phone)) < 7 {
		return false
	}
	names := func(s *speech) bool { return s.numberAt(phone) >= 0 }
	return slices.ContainsFunc(c.user, func(u utterance) bool { return names(u.says) }) || c.yesTo(names) >= 0
}

func (c *conversation) saidID(id string) bool {
	return id != "" && slices.ContainsFunc(c.user, func(u utterance) bool { return strings.Contains(strings.ToUpper(u.Text), strings.ToUpper(id)) })
}

// saidName reports whether the customer's texts hold every word of a name.
func (c *conversation) saidName(name string) bool {
	said := map[string]bool{}
	for _, u := range c.user {
		for _, w := range u.says.tokens() {
			said[w] = true
		}
	}
	words := tokenPattern.FindAllString(strings.ToLower(name), -1)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !said[w] })
}

// saidDate reports whether one of the customer's texts holds year, month and day of a date, whatever their order; the
// month by number, name or its first three letters.
func (c *conversation) saidDate(date string) bool {
	d, err := guide.ParseDate(date)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.user, func(u utterance) bool {
		tokens := u.says.tokens()
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
func (c *conversation) yesTo(names func(*speech) bool) int {
	found, j := -1, 0
	for i, u := range c.user {
		for j < len(c.agent) && c.agent[j].Index < u.Index {
			j++
		}
		if j == 0 || i > 0 && c.user[i-1].Index > c.agent[j-1].Index || !names(c.agent[j-1].says) {
			continue
		}
		found = -1
		if u.affirms() {
			found = u.Index
		}
	}
	return found
}

// amounts is what a customer has to agree to; -1 where there is no such part.
type amounts struct{ gb, usd float64 }

// in reports whether a text names every part.
func (a amounts) in(s *speech) bool {
	if a.gb < 0 && a.usd < 0 {
		return false
	}
	return (a.gb < 0 || containsAmount(s.data(), a.gb)) && (a.usd < 0 || containsAmount(s.money(), a.usd))
}

func containsAmount(list []float64, want float64) bool {
	return slices.ContainsFunc(list, func(f float64) bool { return math.Abs(f-want) < 0.005 })
}

// readData lists the amounts of data that the text names, in GB.
func (s *speech) readData() (out []float64) {
	if !strings.Contains(s.lower, "gb") && !strings.Contains(s.lower, "gig") {
		return nil
	}
	for _, m := range gbPattern.FindAllStringSubmatch(s.text, -1) {
		found := m[1] + m[2]
		if n, ok := numberWords[strings.ToLower(found)]; ok {
			out = append(out, n)
		} else if f, err := strconv.ParseFloat(strings.ReplaceAll(found, ",", "."), 64); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// readMoney lists the amounts of money that the text names.
func (s *speech) readMoney() (out []float64) {
	if !strings.ContainsAny(s.text, "0123456789") {
		return nil
	}
	for _, m := range moneyPattern.FindAllStringSubmatch(s.text, -1) {
		if f, err := strconv.ParseFloat(strings.ReplaceAll(m[1]+m[2]+m[3], ",", ""), 64); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// namedData is the latest amount of data that the customer named, -1 if there is none.
func (c *conversation) namedData() float64 {
	for _, u := range slices.Backward(c.user) {
		if list := u.says.data(); len(list) > 0 {
			return list[len(list)-1]
		}
	}
	return -1
}

// reportedAt is the index of the latest text of the customer that reports something, -1 if there is none.
func (c *conversation) reportedAt(what func(*report) bool) int {
	for _, u := range slices.Backward(c.user) {
		if what(u.says.report()) {
			return u.Index
		}
	}
	return -1
}

// countries are the places outside the home network that are recognised by name.
var countries = strings.Split("france|paris|germany|spain|portugal|lisbon|italy|austria|switzerland|netherlands|belgium|poland|greece|turkey|ireland|england|"+
	"scotland|united kingdom|the uk|london|norway|sweden|denmark|finland|iceland|czechia|hungary|croatia|europe|canada|mexico|brazil|argentina|chile|peru|"+
	"colombia|costa rica|japan|tokyo|china|korea|india|thailand|vietnam|singapore|indonesia|malaysia|philippines|australia|new zealand|egypt|morocco|"+
	"kenya|south africa|israel|dubai|asia|africa", "|")

// Parts of all that askedAway, atHome and away look for.
var (
	askedHints = []string{"abroad", "travel", "overseas", "outside"}
	homeHints  = append([]string{"trip", "roaming", "home", "in the", "in my"}, askedHints...)
	awayHints  = slices.Concat(askedHints, []string{"trip", "vacation", "holiday", "hike"}, countries)
)

var (
	away = regexp.MustCompile(`(?i)\b(abroad|travell?ing|overseas|outside (of )?(my|the|our|your) (usual|home|normal|network)|on (a )?(trip|vacation|holiday|hike)|` +
		strings.Join(countries, "|") + `)\b`)
	atHome    = regexp.MustCompile(`(?i)\b(not|n't|n’t) (currently |presently |right now )?(abroad|travell?ing|outside|overseas|on a trip|roaming)|\b(at home|back home|home (area|network)|in the (us|usa|u\.s\.|states|united states)|in my (usual|home|normal))\b`)
	askedAway = regexp.MustCompile(`(?i)\b(abroad|travell?ing|overseas|outside)\b`)
	saysNo    = regexp.MustCompile(`(?i)^\W*(no|nope)\b`)
)

func (s *speech) readPlace() string {
	switch {
	case containsAny(s.lower, homeHints) && atHome.MatchString(s.text):
		return "no"
	case containsAny(s.lower, awayHints) && away.MatchString(s.text):
		return "yes"
	}
	return ""
}

// abroad is where the customer is, by their latest word on it: yes (outside the home network), no, or "".
func (c *conversation) abroad() string {
	j := len(c.agent)
	for _, u := range slices.Backward(c.user) {
		for j > 0 && c.agent[j-1].Index > u.Index {
			j--
		}
		switch place := u.says.place(); {
		case place != "":
			return place
		case j == 0 || !c.agent[j-1].says.asksPlace():
			// not an answer to the question
		case u.says.denies():
			return "no"
		case u.affirms():
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

// What a clause must hold to be about data, or about neither; about a plan it says plan.
var (
	dataHints    = []string{"refuel", "top", "data", "gb", "gig"}
	neitherHints = []string{"neither", "none", "nothing"}
	choiceHints  = slices.Concat(dataHints, neitherHints, []string{"plan", "add"})
)

// pick is what a clause says about data, a plan or neither.
type pick struct{ data, plan, neither, no bool }

func (s *speech) readPicks() (out []pick) {
	if !containsAny(s.lower, choiceHints) || !choosing.MatchString(s.text) {
		return nil
	}
	for _, c := range s.split() {
		lower := strings.ToLower(c)
		p := pick{
			data:    containsAny(lower, dataHints) && wantsData.MatchString(c),
			plan:    strings.Contains(lower, "plan") && wantsPlan.MatchString(c),
			neither: containsAny(lower, neitherHints) && neither.MatchString(c),
		}
		if p == (pick{}) {
			continue
		}
		p.no = declines.MatchString(c)
		out = append(out, p)
	}
	return out
}

// choice is what the customer wants when the data are used up, by their latest word on it: data, plan, neither or "".
func (c *conversation) choice() string {
	state := ""
	for _, u := range c.user {
		for _, p := range u.says.picks() {
			switch {
			case p.neither, p.no && p.data, p.no && p.plan && state != "data":
				state = "neither"
			case p.no:
			case p.data:
				state = "data"
			case p.plan:
				state = "plan"
			}
		}
	}
	return state
}
