package telecom

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Values that the customer states in words: numbers of phones, dates, amounts, where they are, what they choose. These
// are heuristics over plain text; guide/checks/README.md says what they recognise.

// Texts keeps what texts say by themselves. Known reads a conversation with it.
type Texts struct {
	*policy.TextCache[*statement]
	reports *policy.TextCache[*report] // of the customer's texts
}

// NewTexts makes an empty cache, to be shared by all conversations.
func NewTexts() *Texts {
	return &Texts{policy.NewTextCache(readStatement), policy.NewTextCache(readReport)}
}

// statement is what a text says by itself, whoever said it and when.
type statement struct {
	phones      []phoneNumber
	tokens      []string
	data, money []float64 // GB; dollars
	place       string    // of the customer: yes (away), no (at home), ""
	asksPlace   bool
	denies      bool
	picks       []pick
}

// phoneNumber is what looks like the number of a phone: its digits without a leading 1, and where it begins in the text.
type phoneNumber struct {
	digits string
	at     int
}

// pick is what a clause says about data, a plan or neither.
type pick struct{ data, plan, neither, no bool }

var (
	phonePattern  = regexp.MustCompile(`\+?\d[\d\s().-]{5,}\d`)
	tokenPattern  = regexp.MustCompile(`[a-z]+|\d+`)
	gbPattern     = regexp.MustCompile(`(?i)\bgb[ _]amount:? (\d+(?:\.\d+)?)|(\d+(?:[.,]\d+)?|\b(?:half an?|one and a half|one|two|three|four|five|ten|an?|another))[ -]?(?:(?:more|extra|additional|whole)\s+)?(?:gb|gigs?|gigabytes?)\b`)
	moneyPattern  = regexp.MustCompile(`(?i)\$\s*(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s*(?:usd|dollars?|bucks)\b|\b(\d[\d,]*\.\d{2})\b`)
	saysPaid      = regexp.MustCompile(`(?i)payment of [\d.]+|\b(i|i've|have|i have|just|already) (just |now |already |successfully )?(paid|made|completed|approved|accepted)\b.{0,40}(payment|bill|request|it\b|\$)|payment (was|is|has been|went|is now) (made|through|complete|completed|successful)|\bi('ve| have)? (just )?paid\b`)
	saysRestarted = regexp.MustCompile(`(?i)restarting network services|\b(restarted|rebooted|rebooting (is )?done|has restarted|has rebooted)\b`)
)

var numberWords = map[string]float64{"half a": .5, "half an": .5, "one and a half": 1.5, "one": 1, "a": 1, "an": 1, "another": 1, "two": 2,
	"three": 3, "four": 4, "five": 5, "ten": 10}

func readStatement(text string) *statement {
	s := &statement{
		tokens: tokenPattern.FindAllString(strings.ToLower(text), -1), place: readPlace(text),
		asksPlace: strings.Contains(text, "?") && askedAway.MatchString(text), denies: saysNo.MatchString(text), picks: readPicks(text),
	}
	for _, m := range phonePattern.FindAllStringIndex(text, -1) {
		s.phones = append(s.phones, phoneNumber{digitsOf(text[m[0]:m[1]]), m[0]})
	}
	for _, m := range gbPattern.FindAllStringSubmatch(text, -1) {
		found := m[1] + m[2]
		if n, ok := numberWords[strings.ToLower(found)]; ok {
			s.data = append(s.data, n)
		} else if f, err := strconv.ParseFloat(strings.ReplaceAll(found, ",", "."), 64); err == nil {
			s.data = append(s.data, f)
		}
	}
	for _, m := range moneyPattern.FindAllStringSubmatch(text, -1) {
		if f, err := strconv.ParseFloat(strings.ReplaceAll(m[1]+m[2]+m[3], ",", ""), 64); err == nil {
			s.money = append(s.money, f)
		}
	}
	return s
}

// digitsOf is the number in a text without a leading 1: all of its digits.
func digitsOf(s string) string {
	return strings.TrimPrefix(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s), "1")
}

// numberAt is where the text names a phone number, -1 if it does not.
func (s *statement) numberAt(phone string) int {
	want := digitsOf(phone)
	for _, n := range s.phones {
		if n.digits == want {
			return n.at
		}
	}
	return -1
}

// userSaid reports whether one of the customer's texts says something.
func (k *Known) userSaid(what func(s guide.Said) bool) bool {
	return slices.ContainsFunc(k.trace.User, what)
}

// saidNumber reports whether the customer gave a phone number, in any notation, or agreed when the agent named it.
func (k *Known) saidNumber(phone string) bool {
	if len(digitsOf(phone)) < 7 {
		return false
	}
	names := func(s guide.Said) bool { return k.texts.Of(s.Text).numberAt(phone) >= 0 }
	return k.userSaid(names) || k.trace.ConsentIndex(func(offer, _ guide.Said) bool { return names(offer) }) >= 0
}

func (k *Known) saidID(id string) bool {
	return id != "" && k.userSaid(func(s guide.Said) bool { return strings.Contains(strings.ToUpper(s.Text), strings.ToUpper(id)) })
}

// saidName reports whether the customer's texts hold every word of a name.
func (k *Known) saidName(name string) bool {
	words := tokenPattern.FindAllString(strings.ToLower(name), -1)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return !k.userSaid(func(s guide.Said) bool { return slices.Contains(k.texts.Of(s.Text).tokens, w) })
	})
}

// saidDate reports whether one of the customer's texts holds year, month and day of a date, whatever their order; the
// month by number, name or its first three letters.
func (k *Known) saidDate(date string) bool {
	d, err := guide.ParseDate(date)
	if err != nil {
		return false
	}
	day, month, name := d.Day(), int(d.Month()), strings.ToLower(d.Month().String())
	return k.userSaid(func(s guide.Said) bool {
		words, numbers := map[string]bool{}, map[int]int{}
		for _, w := range k.texts.Of(s.Text).tokens {
			words[w] = true
			if n, err := strconv.Atoi(w); err == nil {
				numbers[n]++
			}
		}
		byNumber := numbers[month] > 0 && (day != month || numbers[month] > 1)
		return numbers[d.Year()] > 0 && numbers[day] > 0 && (byNumber || words[name] || words[name[:3]])
	})
}

// NamedData is the latest amount of data that the customer named, in GB; -1 if there is none.
func (k *Known) NamedData() float64 {
	for _, u := range slices.Backward(k.trace.User) {
		if list := k.texts.Of(u.Text).data; len(list) > 0 {
			return list[len(list)-1]
		}
	}
	return -1
}

// countries are the places outside the home network that are recognised by name.
var countries = strings.Split("france|paris|germany|spain|portugal|lisbon|italy|austria|switzerland|netherlands|belgium|poland|greece|turkey|ireland|england|"+
	"scotland|united kingdom|the uk|london|norway|sweden|denmark|finland|iceland|czechia|hungary|croatia|europe|canada|mexico|brazil|argentina|chile|peru|"+
	"colombia|costa rica|japan|tokyo|china|korea|india|thailand|vietnam|singapore|indonesia|malaysia|philippines|australia|new zealand|egypt|morocco|"+
	"kenya|south africa|israel|dubai|asia|africa", "|")

var (
	away = regexp.MustCompile(`(?i)\b(abroad|travell?ing|overseas|outside (of )?(my|the|our|your) (usual|home|normal|network)|on (a )?(trip|vacation|holiday|hike)|` +
		strings.Join(countries, "|") + `)\b`)
	atHome    = regexp.MustCompile(`(?i)\b(not|n't|n’t) (currently |presently |right now )?(abroad|travell?ing|outside|overseas|on a trip|roaming)|\b(at home|back home|home (area|network)|in the (us|usa|u\.s\.|states|united states)|in my (usual|home|normal))\b`)
	askedAway = regexp.MustCompile(`(?i)\b(abroad|travell?ing|overseas|outside)\b`)
	saysNo    = regexp.MustCompile(`(?i)^\W*(no|nope)\b`)
)

func readPlace(text string) string {
	switch {
	case atHome.MatchString(text):
		return "no"
	case away.MatchString(text):
		return "yes"
	}
	return ""
}

// Abroad is where the customer is, by their latest word on it: yes (outside the home network), no, or "".
func (k *Known) Abroad() string {
	agent := k.trace.Agent
	for _, u := range slices.Backward(k.trace.User) {
		for len(agent) > 0 && agent[len(agent)-1].Index > u.Index {
			agent = agent[:len(agent)-1]
		}
		switch said := k.texts.Of(u.Text); {
		case said.place != "":
			return said.place
		case len(agent) == 0 || !k.texts.Of(agent[len(agent)-1].Text).asksPlace:
			// not an answer to the question
		case said.denies:
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
	declines  = regexp.MustCompile(`(?i)\b(no|not|without|neither|don't|don’t|won't|won’t|decline|rather than|instead of)\b`)
)

func readPicks(text string) (out []pick) {
	for _, c := range split(text) {
		p := pick{data: wantsData.MatchString(c), plan: wantsPlan.MatchString(c), neither: neither.MatchString(c)}
		if p != (pick{}) {
			p.no = declines.MatchString(c)
			out = append(out, p)
		}
	}
	return out
}

// Choice is what the customer wants when the data are used up, by their latest word on it: data, plan, neither or "".
func (k *Known) Choice() string {
	state := ""
	for _, u := range k.trace.User {
		for _, p := range k.texts.Of(u.Text).picks {
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
