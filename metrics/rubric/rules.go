package rubric

import (
	"strings"
)

// when says to which conversations a check applies: those that meet every condition given.
type when struct {
	Gold     words `yaml:"gold"`      // one of these tools is in the gold plan
	GoldAll  words `yaml:"gold_all"`  // all of them are
	GoldNone words `yaml:"gold_none"` // none of them is
	Asserts  words `yaml:"asserts"`   // one of these functions asserts the end state of the task
	Done     words `yaml:"done"`      // one of these events happened
}

// rules has the one rule of a check under its name.
type rules struct {
	Before  *before  `yaml:"before"`
	After   *after   `yaml:"after"`
	Between *between `yaml:"between"`
	Never   *never   `yaml:"never"`
	Order   *order   `yaml:"order"`
	Happens *happens `yaml:"happens"`
	Stated  *stated  `yaml:"stated"`
	Agreed  *agreed  `yaml:"agreed"`
}

// pick says which of several events a rule is about.
type pick string

const (
	pickEach  pick = "each"
	pickFirst pick = "first"
	pickLast  pick = "last"
)

// need is what else must have happened, and what it must have to do with the event that the rule is about.
type need struct {
	Need  words          `yaml:"need"`  // one of these events
	About words          `yaml:"about"` // arguments of the event that occur in its arguments or its result
	Shows map[string]any `yaml:"shows"` // fields of one object of its result; $x is the argument x of the event
}

// before: the event has an earlier need.
type before struct {
	Event string `yaml:"event"`
	Pick  pick   `yaml:"pick"`
	Other need   `yaml:",inline"`
}

// after: the event is followed by a need, before the next until if there is one.
type after struct {
	Event string `yaml:"event"`
	Pick  pick   `yaml:"pick"`
	Until string `yaml:"until"`
	Other need   `yaml:",inline"`
}

// between: from the latest since before an event up to that event there is a need. Events without a since are not looked
// at.
type between struct {
	Event string `yaml:"event"`
	Since string `yaml:"since"`
	Other need   `yaml:",inline"`
}

// never: the event does not happen. With after it must not happen between each of these and the next need, or at all
// after it if there is no need.
type never struct {
	Event string `yaml:"event"`
	After string `yaml:"after"`
	Other need   `yaml:",inline"`
}

// order: whichever tools of the two groups are in the gold plan, the first successful call of each tool of the first
// group comes before that of each tool of the second.
type order struct {
	First words `yaml:"first"`
	Then  words `yaml:"then"`
}

// happens: the event happens at least so often.
type happens struct {
	Event string `yaml:"event"`
	Least int    `yaml:"least"`
}

// stated: one of the arguments of the event is what the user has said earlier.
type stated struct {
	Event string `yaml:"event"`
	Pick  pick   `yaml:"pick"`
	Args  words  `yaml:"args"`
	All   bool   `yaml:"all"` // all of them
}

// agreed: the latest offer before the event was answered by a yes, and the event came after the answer.
type agreed struct {
	Event string `yaml:"event"`
	Offer string `yaml:"offer"` // pattern of the agent's text
	Yes   string `yaml:"yes"`   // pattern of the user's answer
	Names words  `yaml:"names"` // arguments of the event that the offer names
	Fresh bool   `yaml:"fresh"` // no other such event came after the answer
}

// rule judges one conversation.
type rule interface {
	judge(j *judgement) (State, int, string)
	check(r *Rubric, at faultFunc)
}

// single returns the one rule that a check has.
func (r *Rubric) single(all rules, at faultFunc) rule {
	var found []rule
	var named []string
	add := func(name string, there bool, x rule) {
		if there {
			found, named = append(found, x), append(named, name)
		}
	}
	add("before", all.Before != nil, all.Before)
	add("after", all.After != nil, all.After)
	add("between", all.Between != nil, all.Between)
	add("never", all.Never != nil, all.Never)
	add("order", all.Order != nil, all.Order)
	add("happens", all.Happens != nil, all.Happens)
	add("stated", all.Stated != nil, all.Stated)
	add("agreed", all.Agreed != nil, all.Agreed)
	switch len(found) {
	case 0:
		at("rule", "is missing\nhint: write one of before, after, between, never, order, happens, stated, agreed")
		return nil
	case 1:
		found[0].check(r, func(field, format string, args ...any) { at("rule."+named[0]+"."+field, format, args...) })
		return found[0]
	}
	at("rule", "there are %s\nhint: keep one, and make further checks of the others", strings.Join(named, " and "))
	return nil
}

// checkWhen looks for events that do not exist.
func (r *Rubric) checkWhen(w when, at faultFunc) {
	for _, name := range w.Done {
		r.event(name, "applies_when.done", at)
	}
}

func (r *Rubric) event(name, field string, at faultFunc) {
	switch _, ok := r.events[name]; {
	case name == "":
		at(field, "is missing\nhint: name an event")
	case !ok:
		at(field, "there is no event %q\nhint: choose one of %s", name, names(r.events))
	}
}

func (r *Rubric) pattern(name, field string, at faultFunc) {
	if r.patterns[name] == nil {
		at(field, "there is no pattern %q\nhint: choose one of %s", name, names(r.patterns))
	}
}

func (p *pick) check(at faultFunc) {
	switch *p {
	case "":
		*p = pickEach
	case pickEach, pickFirst, pickLast:
	default:
		at("pick", "is %q\nhint: choose one of each, first, last", *p)
	}
}

func (n need) check(r *Rubric, at faultFunc) {
	if len(n.Need) == 0 {
		at("need", "is missing\nhint: name an event")
	}
	for _, name := range n.Need {
		r.event(name, "need", at)
	}
	for key, v := range n.Shows {
		if _, ok := scalar(v); !ok {
			at("shows."+key, "is no text, number or truth value\nhint: write one")
		}
	}
}

func (b *before) check(r *Rubric, at faultFunc) {
	r.event(b.Event, "event", at)
	b.Pick.check(at)
	b.Other.check(r, at)
}

func (a *after) check(r *Rubric, at faultFunc) {
	r.event(a.Event, "event", at)
	if a.Until != "" {
		r.event(a.Until, "until", at)
	}
	a.Pick.check(at)
	a.Other.check(r, at)
}

func (b *between) check(r *Rubric, at faultFunc) {
	r.event(b.Event, "event", at)
	r.event(b.Since, "since", at)
	b.Other.check(r, at)
}

func (n *never) check(r *Rubric, at faultFunc) {
	r.event(n.Event, "event", at)
	if n.After != "" {
		r.event(n.After, "after", at)
	}
	if n.After == "" && len(n.Other.Need) > 0 {
		at("after", "is missing: a need ends what begins with after")
	}
	if len(n.Other.Need) > 0 {
		n.Other.check(r, at)
	}
}

func (o *order) check(_ *Rubric, at faultFunc) {
	if len(o.First) == 0 {
		at("first", "is missing\nhint: name tools")
	}
	if len(o.Then) == 0 {
		at("then", "is missing\nhint: name tools")
	}
}

func (h *happens) check(r *Rubric, at faultFunc) {
	r.event(h.Event, "event", at)
	switch {
	case h.Least == 0:
		h.Least = 1
	case h.Least < 0:
		at("least", "is %d\nhint: write 1 or more", h.Least)
	}
}

func (s *stated) check(r *Rubric, at faultFunc) {
	r.event(s.Event, "event", at)
	s.Pick.check(at)
	if len(s.Args) == 0 {
		at("args", "is missing\nhint: name arguments of the event")
	}
}

func (a *agreed) check(r *Rubric, at faultFunc) {
	r.event(a.Event, "event", at)
	r.pattern(a.Offer, "offer", at)
	r.pattern(a.Yes, "yes", at)
}
