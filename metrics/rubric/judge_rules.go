package rubric

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/trace"
)

func (x rule) before(j *judgement) (State, int, string) {
	subjects := j.subjects(x)
	if len(subjects) == 0 {
		return absent(x.Event)
	}
	at := 0
	for _, e := range subjects {
		n := j.latest(x.need, e, -1)
		if n == nil {
			return Failed, e.Begin, fmt.Sprintf("%s has no earlier %s%s", called(e), either(x.Need), x.detail())
		}
		at = n.End
	}
	return Satisfied, at, fmt.Sprintf("%s came before %s", either(x.Need), x.Event)
}

func (x rule) after(j *judgement) (State, int, string) {
	subjects := j.subjects(x)
	if len(subjects) == 0 {
		return absent(x.Event)
	}
	at := 0
	for _, e := range subjects {
		until := math.MaxInt
		if x.Until != "" {
			for _, u := range j.all(x.Until) {
				if e.Before(u) {
					until = u.Begin
					break
				}
			}
		}
		n := j.next(x.need, e, until)
		if n == nil {
			return Failed, e.Begin, fmt.Sprintf("%s is not followed by %s%s", called(e), either(x.Need), x.detail())
		}
		at = n.Begin
	}
	return Satisfied, at, fmt.Sprintf("%s came after %s", either(x.Need), x.Event)
}

func (x rule) between(j *judgement) (State, int, string) {
	at, looked := 0, false
	for _, e := range j.all(x.Event) {
		var since *trace.Event
		for _, s := range j.all(x.Since) {
			if s != e && s.Before(e) {
				since = s
			}
		}
		if since == nil {
			continue
		}
		looked = true
		n := j.latest(x.need, e, since.End)
		if n == nil {
			return Failed, e.Begin, fmt.Sprintf("there is no %s%s between %s and %s", either(x.Need), x.detail(), called(since), called(e))
		}
		at = n.End
	}
	if !looked {
		return NotApplicable, -1, fmt.Sprintf("there was no %s after a %s", x.Event, x.Since)
	}
	return Satisfied, at, fmt.Sprintf("%s came between %s and %s", either(x.Need), x.Since, x.Event)
}

func (x rule) never(j *judgement) (State, int, string) {
	events := j.all(x.Event)
	if x.After == "" {
		if len(events) > 0 {
			return Failed, events[0].Begin, "there was " + x.Event
		}
		return Satisfied, -1, "there was no " + x.Event
	}
	starts := j.all(x.After)
	if len(starts) == 0 {
		return absent(x.After)
	}
	for _, s := range starts {
		until := math.MaxInt
		if end := j.next(x.need, s, math.MaxInt); end != nil {
			until = end.End
		}
		for _, e := range events {
			if s.Before(e) && e.Begin < until {
				return Failed, e.Begin, fmt.Sprintf("%s after %s%s", called(e), called(s), x.tooEarly())
			}
		}
	}
	return Satisfied, -1, fmt.Sprintf("there was no %s after %s%s", x.Event, x.After, x.tooEarly())
}

func (x rule) tooEarly() string {
	if len(x.Need) == 0 {
		return ""
	}
	return " and before " + either(x.Need) + x.detail()
}

func (x rule) order(j *judgement) (State, int, string) {
	last, lastTool := -1, ""
	early := j.firsts(x.First)
	late := j.firsts(x.Then)
	if len(early) == 0 || len(late) == 0 {
		return NotApplicable, -1, "the gold plan's calls of one of the two groups did not happen"
	}
	for _, e := range early {
		if e.Begin > last {
			last, lastTool = e.Begin, e.Tool
		}
	}
	for _, e := range late {
		if e.Begin < last {
			return Failed, e.Begin, fmt.Sprintf("%s came before %s (message %d)", called(e), lastTool, last)
		}
	}
	return Satisfied, last, fmt.Sprintf("%s came first", lastTool)
}

// firsts returns the first successful call of each tool of a list that is in the gold plan.
func (j *judgement) firsts(tools words) []*trace.Event {
	var out []*trace.Event
	for _, tool := range tools {
		if !j.gold[tool] {
			continue
		}
		for _, e := range j.events {
			if e.Kind == trace.Call && e.OK && e.Tool == tool {
				out = append(out, e)
				break
			}
		}
	}
	return out
}

func (x rule) happens(j *judgement) (State, int, string) {
	list := j.all(x.Event)
	if len(list) < x.Least {
		return Failed, -1, fmt.Sprintf("there was %s %d times, not %d", x.Event, len(list), x.Least)
	}
	return Satisfied, list[x.Least-1].Begin, fmt.Sprintf("there was %s", x.Event)
}

func (x rule) stated(j *judgement) (State, int, string) {
	subjects := j.subjects(x)
	if len(subjects) == 0 {
		return absent(x.Event)
	}
	for _, e := range subjects {
		said := j.userBefore(e)
		found, missing := 0, ""
		for _, name := range x.Args {
			v := e.Arg(name)
			switch {
			case v.IsNull():
			case says(said, v.Str()):
				found++
			default:
				missing = name
			}
		}
		if found == 0 || x.All && missing != "" {
			return Failed, e.Begin, fmt.Sprintf("the user had not said the %s of %s", either(x.Args), called(e))
		}
	}
	return Satisfied, subjects[0].Begin, "the user had said it"
}

// userBefore is all that the user had said before an event, in lower case.
func (j *judgement) userBefore(e *trace.Event) string {
	var b strings.Builder
	for _, u := range j.events {
		if u.Begin >= e.Begin {
			break
		}
		if u.Kind == trace.Text && u.Side == domains.UserSide {
			b.WriteString(u.Lower())
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// says reports whether a text in lower case holds a value: as it is written, as the same digits where it has seven or
// more, or, for dates and names, by all its words, whatever their order.
func says(said, v string) bool {
	v = strings.ToLower(strings.TrimSpace(v))
	if v == "" {
		return false
	}
	if strings.Contains(said, v) {
		return true
	}
	if d := digits(v); len(d) >= 7 && !dateShaped(v) && strings.Contains(digits(said), strings.TrimPrefix(d, "1")) {
		return true
	}
	have := map[string]bool{}
	for _, w := range split(said) {
		have[w] = true
	}
	if dateShaped(v) {
		return have[v[:4]] && (have[strings.TrimPrefix(v[8:10], "0")] || have[v[8:10]])
	}
	for _, w := range split(v) {
		if !have[w] {
			return false
		}
	}
	return true
}

// split cuts a text into runs of letters and runs of digits, so that 12th has the day 12.
func split(s string) []string {
	var out []string
	start, kind := 0, 0
	for i, r := range s + " " {
		k := 0
		switch {
		case unicode.IsLetter(r):
			k = 1
		case unicode.IsDigit(r):
			k = 2
		}
		if k != kind {
			if kind != 0 {
				out = append(out, s[start:i])
			}
			start, kind = i, k
		}
	}
	return out
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// dateShaped reports whether a value is a date, written as 2025-02-25.
func dateShaped(v string) bool {
	return len(v) == 10 && v[4] == '-' && v[7] == '-' && len(digits(v)) == 8
}

func (x rule) agreed(j *judgement) (State, int, string) {
	subjects := j.all(x.Event)
	if len(subjects) == 0 {
		return absent(x.Event)
	}
	at := 0
	for i, e := range subjects {
		yes, why := x.answer(j, e)
		if yes == nil {
			return Failed, e.Begin, fmt.Sprintf("before %s %s", called(e), why)
		}
		if x.Fresh && i > 0 && subjects[i-1].Begin > yes.Begin {
			return Failed, e.Begin, fmt.Sprintf("%s used up the yes before %s", called(subjects[i-1]), called(e))
		}
		at = yes.Begin
	}
	return Satisfied, at, "the user had agreed"
}

// answer finds the yes to the latest answered offer before an event, nil and why not if there is none.
func (x rule) answer(j *judgement, e *trace.Event) (*trace.Event, string) {
	offer, yes := j.patterns[x.Offer], j.patterns[x.Yes]
	var last, reply *trace.Event // latest offer that was answered, and the answer
	var open *trace.Event
	for _, t := range j.events {
		if t.Begin >= e.Begin {
			break
		}
		if t.Kind != trace.Text {
			continue
		}
		if t.Side == domains.AgentSide {
			open = nil
			if offer.saidBy(t) && x.named(t, e) {
				open = t
			}
			continue
		}
		if open != nil {
			last, reply, open = open, t, nil
		}
	}
	switch {
	case last == nil:
		return nil, "no offer was answered"
	case !yes.saidBy(reply):
		return nil, fmt.Sprintf("the answer to the offer (message %d) was no yes", last.Begin)
	}
	return reply, ""
}

// named reports whether an offer names the arguments of the event that the rule asks for.
func (x rule) named(offer, e *trace.Event) bool {
	for _, name := range x.Names {
		if v := e.Arg(name); v.IsNull() || !strings.Contains(offer.Lower(), strings.ToLower(v.Str())) {
			return false
		}
	}
	return true
}
