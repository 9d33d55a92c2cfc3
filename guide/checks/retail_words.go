package checks

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// What is read from plain text, and how: these are heuristics, and README.md says what they recognise.

// shopWords is a text made comparable: lower case, one space between words, nothing but letters, digits and what holds
// numbers, mail addresses and hyphenated words together.
type shopWords string

func shopWordsOf(s string) shopWords {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune(shopJoints, r)
	})
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	for _, w := range words {
		if w = strings.Trim(w, shopJoints); w != "" {
			b.WriteString(w)
			b.WriteByte(' ')
		}
	}
	if b.Len() == 1 {
		return "  "
	}
	return shopWords(b.String())
}

// shopJoints hold a word together where they stand inside it.
const shopJoints = ".@+-"

// has reports whether the words of s stand in the text one after the other. An empty s is never there. Hyphens may
// stand for spaces.
func (w shopWords) has(s string) bool {
	want := shopWordsOf(s)
	if strings.TrimSpace(string(want)) == "" {
		return false
	}
	return strings.Contains(string(w), string(want)) ||
		strings.Contains(strings.ReplaceAll(string(w), "-", " "), strings.ReplaceAll(string(want), "-", " "))
}

// hasAll reports whether every word of s stands somewhere in the text, in singular or plural.
func (w shopWords) hasAll(s string) bool {
	own := strings.Fields(strings.ReplaceAll(string(w), "-", " "))
	for i := range own {
		own[i] = shopSingular(own[i])
	}
	want := strings.Fields(strings.ReplaceAll(string(shopWordsOf(s)), "-", " "))
	return len(want) > 0 && !slices.ContainsFunc(want, func(x string) bool { return !slices.Contains(own, shopSingular(x)) })
}

func shopSingular(word string) string { return strings.TrimSuffix(word, "s") }

var (
	noNeedPattern  = regexp.MustCompile(`(?i)no longer (need|want)|\b(not|n['’]t|never)( \w+)? need|\bno need\b|\bn['’]t want (it|them|this|these|that order|the order)\b|changed (my|his|her|our) mind|\bnobody\b.{0,20}\bneeds?\b|no use for`)
	mistakePattern = regexp.MustCompile(`(?i)\bmistake(s|n|nly)?\b|\baccident(al|ally)?\b|\bin error\b|\bunintention|\bn['’]t mean to (order|buy|place)`)
	deniedPattern  = regexp.MustCompile(`(?i)(\b(no|not|never|without)|n['’]t)( \w+){0,3} $`)
	// otherReasonPattern is what people say when they give a reason of another kind.
	otherReasonPattern = regexp.MustCompile(`(?i)\bbecause\b|\bcheaper\b|\b(better|lower) (price|deal)\b|\btoo (long|late|slow|expensive)\b|\bdelay|\breason is\b|\bonly reason\b|\bsince (i|you|it|its|they|we|he|she|the|my|this|that)\b|\bdue to\b|\bon account of\b`)
	// reminder asks whether the list of items is complete, or says that there is no second time.
	shopReminder = regexp.MustCompile(`(?i)\b(only|just) (be )?(\w+ ){0,3}(once|one time)\b|\bonce per order\b|\bone[- ]time\b|\b(any|no|other|additional|more|further) (other |additional |more )?(items?|changes|products?)\b|\ball (of )?(the |your )?(items?|changes)\b|\bmissing\b|\bonly (the|this|these|those)\b|\beverything (that )?you\b|\bthe only (item|change|one)s?\b|\b(is|are) (this|that|these|those) (all|everything|the complete)\b|\b(is|that's|was) (all|everything)\b|\banything else\b.{0,40}\b(order|change|exchange|modify|include|add)\b|\bcan(not|'t| no longer)( \w+){0,4} (again|afterwards?|any ?more|further)\b`)
)

// Parts of all that the patterns of reasons look for: a text that holds none is spared the search.
var (
	noNeedHints      = []string{"need", "want", "mind", "use for"}
	mistakeHints     = []string{"mistake", "accident", "error", "unintention", "mean to"}
	otherReasonHints = []string{"because", "cheaper", "better", "lower", "too", "delay", "reason", "since", "due to", "account"}
)

// givesReason reports whether a text names a reason for cancelling, of the two that count.
func givesReason(text, reason string) bool {
	switch reason {
	case "no longer needed":
		return containsAny(strings.ToLower(text), noNeedHints) && noNeedPattern.MatchString(text)
	case "ordered by mistake":
		if !containsAny(strings.ToLower(text), mistakeHints) {
			return false
		}
		for _, at := range mistakePattern.FindAllStringIndex(text, -1) {
			if !deniedPattern.MatchString(text[:at[0]]) {
				return true
			}
		}
	}
	return false
}

func otherReasonThan(reason string) string {
	if reason == "no longer needed" {
		return "ordered by mistake"
	}
	return "no longer needed"
}

// reasonGiven reports whether the reason of a cancellation is one that counts and is the customer's own: they said
// it, or they said yes to a summary with it and gave no reason of another kind.
func (m *shopMatter) reasonGiven() bool {
	reason := shopText(m.args["reason"])
	if reason != "no longer needed" && reason != "ordered by mistake" {
		return false
	}
	own, other := false, false
	for _, u := range m.user {
		own = own || givesReason(u.Text, reason)
		other = other || containsAny(strings.ToLower(u.Text), otherReasonHints) && otherReasonPattern.MatchString(u.Text) || givesReason(u.Text, otherReasonThan(reason))
	}
	_, yes := m.agreement()
	return own || !other && yes >= 0
}

// reminded reports whether the agent, once it had seen the order, asked to make sure that the list is complete, and
// the customer has answered since.
func (m *shopMatter) reminded() bool {
	o := m.order()
	if o == nil {
		return false
	}
	answered := -1
	if n := len(m.user); n > 0 {
		answered = m.user[n-1].Index
	}
	return slices.ContainsFunc(m.agent, func(s guide.Said) bool {
		return s.Index > o.seen && s.Index < answered && shopReminder.MatchString(s.Text)
	})
}

// addressGiven reports whether street, second line, city and zip code come from the customer, or from an address of
// theirs that a tool has shown.
func (m *shopMatter) addressGiven() bool {
	var said strings.Builder
	for _, u := range m.user {
		said.WriteString(u.Text + "\n")
	}
	heard := shopWordsOf(said.String())
	known := []map[string]any{}
	if p := m.profile(); p != nil {
		known = append(known, p.address)
	}
	for _, o := range m.orders {
		if m.own(o) {
			known = append(known, o.address)
		}
	}
	return !slices.ContainsFunc(shopAddressParts(), func(part string) bool {
		v := shopText(m.args[part])
		if v == "" {
			return part != "address2"
		}
		return !heard.has(v) && !slices.ContainsFunc(known, func(a map[string]any) bool { return shopText(a[part]) == v })
	})
}

func shopAddressParts() []string { return []string{"address1", "address2", "city", "zip"} }

// shopVerbs is how an agent speaks of the change that an intent makes.
func shopVerbs() map[string]*regexp.Regexp {
	swap := `(?i)\b(chang|modif|replac|swap|switch|updat|exchang)\w*`
	return map[string]*regexp.Regexp{
		"cancel_order":   regexp.MustCompile(`(?i)\bcancel`),
		"change_address": regexp.MustCompile(`(?i)\b(address|deliver|ship|send)`),
		"change_payment": regexp.MustCompile(`(?i)\b(pay|paid|charge)`),
		"change_items":   regexp.MustCompile(swap),
		"exchange_items": regexp.MustCompile(swap),
		"return_items":   regexp.MustCompile(`(?i)\b(return|sen[dt]\w* back|g[ia]v\w* back|refund)`),
		"change_profile": regexp.MustCompile(`(?i)\b(default|profile|account|user|on file)\b`),
	}
}

// agreement finds the latest text of the agent that sets out the change with all its details, and the explicit yes
// that answers it; -1 where there is none, or where a later answer to such a text took it back. What stands beside a
// tool call is not counted: the customer does not see it.
func (m *shopMatter) agreement() (summary, yes int) {
	summary, yes = -1, -1
	for i, a := range m.agent {
		if m.verb == nil || !m.verb.MatchString(a.Text) {
			continue
		}
		answer := m.answerTo(i)
		both := m.setsOut(a.Text, answer.Text)
		if !both && !m.setsOut(a.Text, "") {
			continue
		}
		summary = a.Index
		switch {
		case answer.Text == "": // no answer yet; an earlier yes stands
		case both && answer.Affirms():
			yes = answer.Index
		default:
			yes = -1
		}
	}
	return summary, yes
}

// answerTo is the customer's first text after the agent's i-th and before its next, empty if there is none.
func (m *shopMatter) answerTo(i int) guide.Said {
	for _, u := range m.user {
		if u.Index > m.agent[i].Index {
			if i+1 < len(m.agent) && m.agent[i+1].Index < u.Index {
				return guide.Said{}
			}
			return u
		}
	}
	return guide.Said{}
}

// setsOut reports whether a text names what is to be changed and to what. The reason and the payment method may also
// stand in the answer, and what the answer says of them goes first.
func (m *shopMatter) setsOut(text, answer string) bool {
	w := shopWordsOf(text)
	if id := shopText(m.args["order_id"]); id != "" && !w.has(strings.TrimPrefix(id, "#")) {
		return false
	}
	if reason, ok := m.args["reason"].(string); ok {
		if givesReason(answer, otherReasonThan(reason)) && !givesReason(answer, reason) || !givesReason(answer, reason) && !givesReason(text, reason) && !w.has(reason) {
			return false
		}
	}
	if _, ok := m.args["address1"]; ok && slices.ContainsFunc(shopAddressParts(), func(part string) bool {
		v := shopText(m.args[part])
		return v != "" && !w.has(v)
	}) {
		return false
	}
	return m.namesItems(w) && m.namesMethod(w, shopWordsOf(answer))
}

// namesItems reports whether a text names every item of the request and every variant that is to replace one.
func (m *shopMatter) namesItems(w shopWords) bool {
	o := m.order()
	olds, news := m.list("item_ids"), m.list("new_item_ids")
	for i, id := range olds {
		if !w.has(id) && (o == nil || !m.describes(w, o, id)) {
			return false
		}
		if i < len(news) && !w.has(news[i]) && (o == nil || !m.describesChange(w, o, id, news[i])) {
			return false
		}
	}
	return true
}

// describes reports whether a text tells an item of the order by its name and by the options that set it apart from
// others of that name.
func (m *shopMatter) describes(w shopWords, o *shopOrder, id string) bool {
	it, ok := o.item(id)
	if !ok || !w.hasAll(it.name) {
		return false
	}
	for key, v := range it.options {
		apart := slices.ContainsFunc(o.items, func(x shopItem) bool {
			return x.product == it.product && x.options[key] != v
		})
		if apart && !namesOption(w, key, shopText(v)) {
			return false
		}
	}
	return true
}

// describesChange reports whether a text names the options in which a variant differs from the item it replaces.
func (m *shopMatter) describesChange(w shopWords, o *shopOrder, old, id string) bool {
	it, ok := o.item(old)
	v, known := m.products[it.product][id]
	if !ok || !known || !w.hasAll(it.name) {
		return false
	}
	for key, value := range v.options {
		if it.options[key] != value && !namesOption(w, key, shopText(value)) {
			return false
		}
	}
	return true
}

// namesOption reports whether a text holds an option's value; a value that says nothing by itself goes by the
// option's name.
func namesOption(w shopWords, key, value string) bool {
	switch strings.ToLower(value) {
	case "yes", "no", "none", "true", "false", "":
		return w.hasAll(key)
	}
	return w.has(value)
}

var (
	originalPattern = regexp.MustCompile(`\b(original|originally|same)\b`)
	originalHints   = []string{"original", "same"}
)

// namesMethod reports whether the answer, or else the text, names the payment method of the request.
func (m *shopMatter) namesMethod(text, answer shopWords) bool {
	id, ok := m.args["payment_method_id"].(string)
	if !ok {
		return true
	}
	if m.namesAny(answer) {
		return m.tells(answer, id)
	}
	return m.tells(text, id)
}

// namesAny reports whether words name some method of the customer.
func (m *shopMatter) namesAny(w shopWords) bool {
	for id := range m.methods() {
		if m.tells(w, id) {
			return true
		}
	}
	return false
}

// tells reports whether words name a method: by its id, by its kind, brand, last digits or balance where these single it
// out, or as the one that the order was paid with.
func (m *shopMatter) tells(w shopWords, id string) bool {
	if w.has(id) || id == m.order().original() && containsAny(string(w), originalHints) && originalPattern.MatchString(string(w)) {
		return true
	}
	method := m.methods()[id]
	alone := func(same func(shopMethod) bool) bool {
		n := 0
		for _, x := range m.methods() {
			if same(x) {
				n++
			}
		}
		return n == 1
	}
	if method.lastFour != "" && w.has(method.lastFour) {
		return true
	}
	if method.brand != "" && w.has(method.brand) && alone(func(x shopMethod) bool { return x.brand == method.brand }) {
		return true
	}
	if !w.hasAll(strings.ReplaceAll(method.source, "_", " ")) {
		return false
	}
	return alone(func(x shopMethod) bool { return x.source == method.source }) ||
		method.source == "gift_card" && w.has(strconv.FormatFloat(method.balance, 'f', 2, 64))
}
