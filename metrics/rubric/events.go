package rubric

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics/trace"
)

// pattern is what a text says. Texts are compared in lower case. A text tagged by a scripted user is judged by its tag
// alone where the pattern names one.
type pattern struct {
	By     domains.Side `yaml:"-"`
	Who    string       `yaml:"by"`     // agent, user; "" is either
	Act    words        `yaml:"act"`    // tags of scripted users that mean it
	Any    words        `yaml:"any"`    // the text contains one of these
	Match  string       `yaml:"match"`  // and fits this regular expression
	None   words        `yaml:"none"`   // and none of these
	Unless string       `yaml:"unless"` // and does not fit this one

	match, unless *regexp.Regexp
}

// says reports whether a text in lower case says it.
func (p *pattern) says(lower string) bool {
	holds := func(part string) bool { return strings.Contains(lower, part) }
	switch {
	case len(p.Any) > 0 && !slices.ContainsFunc(p.Any, holds), slices.ContainsFunc(p.None, holds):
		return false
	case p.match != nil && !p.match.MatchString(lower), p.unless != nil && p.unless.MatchString(lower):
		return false
	}
	return true
}

// saidBy reports whether an event is a text that says it, by whom the pattern names.
func (p *pattern) saidBy(e *trace.Event) bool {
	if e.Kind != trace.Text || p.By != "" && e.Side != p.By {
		return false
	}
	if len(p.Act) > 0 && e.Act != "" {
		return slices.Contains(p.Act, e.Act)
	}
	return p.says(e.Lower())
}

// selector says which events of a trace are meant: calls of tools, or texts that say something.
type selector struct {
	Call   words          `yaml:"call"`   // tools
	Who    string         `yaml:"by"`     // agent, user; "" is either
	Args   map[string]any `yaml:"args"`   // arguments that the call has
	Result string         `yaml:"result"` // pattern that its result fits
	Record map[string]any `yaml:"record"` // fields that one object of its result has
	Tried  bool           `yaml:"tried"`  // failed calls count too
	Said   string         `yaml:"said"`   // pattern that a text fits
	Any    words          `yaml:"any"`    // events of other names, instead of all of the above

	side domains.Side
}

// UnmarshalYAML reads a selector; one text or a list of texts are tools.
func (s *selector) UnmarshalYAML(read func(any) error) error {
	var tools words
	if err := read(&tools); err == nil {
		*s = selector{Call: tools}
		return nil
	}
	type plain selector
	return read((*plain)(s))
}

var sides = map[string]domains.Side{"": "", "agent": domains.AgentSide, "user": domains.UserSide}

// faultFunc takes what is wrong at a place.
type faultFunc func(where, format string, args ...any)

// compile checks patterns and events, and makes what matching needs.
func (r *Rubric) compile(fault faultFunc) {
	for _, id := range slices.Sorted(maps.Keys(r.patterns)) {
		p, where := r.patterns[id], "pattern "+id
		if p == nil {
			fault(where, "is empty\nhint: say what a matching text contains")
			r.patterns[id] = &pattern{}
			continue
		}
		side, ok := sides[p.Who]
		if !ok {
			fault(where+": by", "is %q\nhint: write agent or user", p.Who)
		}
		p.By = side
		if len(p.Any) == 0 && p.Match == "" {
			fault(where, "fits every text\nhint: add any or match")
		}
		for _, list := range []words{p.Any, p.None} {
			for _, part := range list {
				if part == "" || part != strings.ToLower(part) {
					fault(where, "%q is never found: texts are compared in lower case", part)
				}
			}
		}
		p.match, p.unless = regular(p.Match, where+": match", fault), regular(p.Unless, where+": unless", fault)
	}
	for _, id := range slices.Sorted(maps.Keys(r.events)) {
		r.compileEvent(id, fault)
	}
}

func (r *Rubric) compileEvent(id string, fault faultFunc) {
	s, where := r.events[id], "event "+id
	side, ok := sides[s.Who]
	if !ok {
		fault(where+": by", "is %q\nhint: write agent or user", s.Who)
	}
	s.side = side
	kinds := 0
	for _, is := range []bool{len(s.Call) > 0, s.Said != "", len(s.Any) > 0} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		fault(where, "names %d of call, said and any\nhint: name one", kinds)
	}
	if len(s.Call) == 0 && (len(s.Args) > 0 || s.Result != "" || len(s.Record) > 0 || s.Tried || s.Who != "") {
		fault(where, "has keys that only calls have\nhint: drop by, args, result, record and tried")
	}
	for field, name := range map[string]string{"said": s.Said, "result": s.Result} {
		if name != "" && r.patterns[name] == nil {
			fault(where+": "+field, "there is no pattern %q\nhint: choose one of %s", name, names(r.patterns))
		}
	}
	for _, name := range s.Any {
		switch other, ok := r.events[name]; {
		case !ok:
			fault(where+": any", "there is no event %q\nhint: choose one of %s", name, names(r.events))
		case len(other.Any) > 0:
			fault(where+": any", "event %q is a list of events itself\nhint: name what is in it", name)
		}
	}
	for field, m := range map[string]map[string]any{"args": s.Args, "record": s.Record} {
		for key, v := range m {
			if _, ok := scalar(v); !ok {
				fault(where+": "+field+"."+key, "is no text, number or truth value\nhint: write one")
			}
		}
	}
}

func regular(s, where string, fault faultFunc) *regexp.Regexp {
	if s == "" {
		return nil
	}
	re, err := regexp.Compile(s)
	if err != nil {
		fault(where, "%v\nhint: correct the expression", err)
	}
	return re
}

func names[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

// scalar makes a value out of what YAML read.
func scalar(v any) (value.Value, bool) {
	switch x := v.(type) {
	case string:
		return value.OfString(x), true
	case bool:
		return value.OfBool(x), true
	case int64:
		return value.OfInt(x), true
	case uint64:
		out, err := value.ParseNumber(fmt.Sprint(x))
		return out, err == nil
	case float64:
		return value.OfFloat(x), true
	}
	return value.Value{}, false
}

// fits reports whether an event is one that the selector means.
func (r *Rubric) fits(s *selector, e *trace.Event) bool {
	switch {
	case len(s.Any) > 0:
		return slices.ContainsFunc(s.Any, func(name string) bool { return r.fits(r.events[name], e) })
	case s.Said != "":
		return r.patterns[s.Said].saidBy(e)
	case e.Kind != trace.Call, !slices.Contains(s.Call, e.Tool), s.side != "" && e.Side != s.side, !e.OK && !s.Tried:
		return false
	case s.Result != "" && !r.patterns[s.Result].says(e.LowerResult()):
		return false
	}
	for key, want := range s.Args {
		if v, _ := scalar(want); !value.Equal(e.Arg(key), v) {
			return false
		}
	}
	return len(s.Record) == 0 || hasRecord(e, s.Record, nil)
}

// hasRecord reports whether an object of the result of e has all the fields; a text that begins with $ is the argument of
// that name of the subject.
func hasRecord(e *trace.Event, fields map[string]any, subject *trace.Event) bool {
	for m := range e.Records {
		if matches(m, fields, subject) {
			return true
		}
	}
	return false
}

func matches(m *value.Map, fields map[string]any, subject *trace.Event) bool {
	for key, raw := range fields {
		got, ok := m.Get(key)
		if !ok {
			return false
		}
		want, _ := scalar(raw)
		if s, _ := raw.(string); strings.HasPrefix(s, "$") && subject != nil {
			want = subject.Arg(s[1:])
		}
		if !trace.Same(got, want) {
			return false
		}
	}
	return true
}
