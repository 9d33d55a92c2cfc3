package rubric

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics/trace"
)

// side is who speaks or calls; "" is either.
type side domains.Side

// UnmarshalYAML reads agent or user.
func (s *side) UnmarshalYAML(read func(any) error) error {
	var who string
	if err := read(&who); err != nil {
		return err
	}
	switch who {
	case "agent":
		*s = side(domains.AgentSide)
	case "user":
		*s = side(domains.UserSide)
	default:
		return fmt.Errorf("it is %q\nhint: write agent or user", who)
	}
	return nil
}

// fits reports whether an event is of that side.
func (s side) fits(e *trace.Event) bool { return s == "" || e.Side == domains.Side(s) }

// pattern is what a text says. Texts are compared in lower case. A text tagged by a scripted user is judged by its tag
// alone where the pattern names one.
type pattern struct {
	By     side   `yaml:"by"`
	Act    words  `yaml:"act"`    // tags of scripted users that mean it
	Any    words  `yaml:"any"`    // the text contains one of these
	Match  string `yaml:"match"`  // and fits this regular expression
	None   words  `yaml:"none"`   // and none of these
	Unless string `yaml:"unless"` // and does not fit this one

	match, unless *regexp.Regexp
}

// compile makes what matching needs. A pattern that fits every text or none is a fault.
func (p *pattern) compile(where string, f *faults) {
	if p == nil || len(p.Any) == 0 && p.Match == "" {
		f.add(where, "fits every text\nhint: add any or match")
		return
	}
	for _, part := range slices.Concat(p.Any, p.None) {
		if part == "" || part != strings.ToLower(part) {
			f.add(where, "%q is never found: texts are compared in lower case", part)
		}
	}
	var err error
	if p.match, err = regexp.Compile(p.Match); err != nil {
		f.add(where+": match", "%v", err)
	}
	if p.Unless != "" {
		if p.unless, err = regexp.Compile(p.Unless); err != nil {
			f.add(where+": unless", "%v", err)
		}
	}
}

// says reports whether a text in lower case says it.
func (p *pattern) says(lower string) bool {
	has := func(part string) bool { return strings.Contains(lower, part) }
	return (len(p.Any) == 0 || slices.ContainsFunc(p.Any, has)) && !slices.ContainsFunc(p.None, has) &&
		p.match.MatchString(lower) && (p.unless == nil || !p.unless.MatchString(lower))
}

// saidBy reports whether an event is a text that says it, by whom the pattern names.
func (p *pattern) saidBy(e *trace.Event) bool {
	if e.Kind != trace.Text || !p.By.fits(e) {
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
	By     side           `yaml:"by"`     // who calls
	Args   map[string]any `yaml:"args"`   // arguments that the call has
	Result string         `yaml:"result"` // pattern that its result fits
	Record map[string]any `yaml:"record"` // fields that one object of its result has
	Tried  bool           `yaml:"tried"`  // failed calls count too
	Said   string         `yaml:"said"`   // pattern that a text fits
	Any    words          `yaml:"any"`    // events of other names, instead of all of the above
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

// scalar makes a value out of what YAML read; Null of what is no text, truth value or number.
func scalar(v any) value.Value {
	switch x := v.(type) {
	case string:
		return value.OfString(x)
	case bool:
		return value.OfBool(x)
	case int64:
		return value.OfInt(x)
	case float64:
		return value.OfFloat(x)
	}
	return value.Value{}
}

// fits reports whether an event is one that the selector means.
func (r *Rubric) fits(s *selector, e *trace.Event) bool {
	switch {
	case len(s.Any) > 0:
		return slices.ContainsFunc(s.Any, func(name string) bool { return r.fits(r.events[name], e) })
	case s.Said != "":
		return r.patterns[s.Said].saidBy(e)
	case e.Kind != trace.Call, !slices.Contains(s.Call, e.Tool), !s.By.fits(e), !e.OK && !s.Tried:
		return false
	case s.Result != "" && !r.patterns[s.Result].says(e.LowerResult()):
		return false
	}
	for key, want := range s.Args {
		if !value.Equal(e.Arg(key), scalar(want)) {
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
		want := scalar(raw)
		if s, _ := raw.(string); strings.HasPrefix(s, "$") && subject != nil {
			want = subject.Arg(s[1:])
		}
		if got, ok := m.Get(key); !ok || !trace.Same(got, want) {
			return false
		}
	}
	return true
}
