package rubric

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics/trace"
)

// when says to which conversations a check applies: those that meet every condition given.
type when struct {
	Gold     words `yaml:"gold"`      // one of these tools is in the gold plan
	GoldAll  words `yaml:"gold_all"`  // all of them are
	GoldNone words `yaml:"gold_none"` // none of them is
	Asserts  words `yaml:"asserts"`   // one of these functions asserts the end state of the task
	Done     words `yaml:"done"`      // one of these events happened
}

// rule is what a check asks for. Which keys count depends on its kind (docs/rubrics.md#rules).
type rule struct {
	Event string `yaml:"event"` // that the rule is about
	Pick  string `yaml:"pick"`  // each, first or last of the events; each if empty
	need  `yaml:",inline"`

	Until string `yaml:"until"` // after: the need comes before the next of these
	Since string `yaml:"since"` // between: the need comes after the latest of these
	After string `yaml:"after"` // never: not between each of these and the next need
	First words  `yaml:"first"` // order: tools whose first calls come
	Then  words  `yaml:"then"`  // before those of these
	Least int    `yaml:"least"` // happens: how often; 1 if absent
	Args  words  `yaml:"args"`  // stated: one of these arguments is what the user has said
	All   bool   `yaml:"all"`   // stated: all of them
	Offer string `yaml:"offer"` // agreed: pattern of the agent's text
	Yes   string `yaml:"yes"`   // agreed: pattern of the user's answer
	Names words  `yaml:"names"` // agreed: arguments that the offer names
	Fresh bool   `yaml:"fresh"` // agreed: no other such event came after the answer
}

// need is what else must have happened, and what it must have to do with the event that a rule is about.
type need struct {
	Need  words          `yaml:"need"`  // one of these events
	About words          `yaml:"about"` // arguments of the event that occur in its arguments or its result
	Shows map[string]any `yaml:"shows"` // fields of one object of its result; $x is the argument x of the event
}

// judges are the kinds of rules. Each gives the state, the index of the message that decided it, and why.
func judges() map[string]func(rule, *judgement) (State, int, string) {
	return map[string]func(rule, *judgement) (State, int, string){"before": rule.before, "after": rule.after, "between": rule.between,
		"never": rule.never, "order": rule.order, "happens": rule.happens, "stated": rule.stated, "agreed": rule.agreed}
}

// namedRule is the one rule of a check with its kind.
type namedRule struct {
	kind string
	rule
	judge func(rule, *judgement) (State, int, string)
}

// UnmarshalYAML reads a mapping of the kind to the rule.
func (n *namedRule) UnmarshalYAML(read func(any) error) error {
	var all map[string]rule
	if err := read(&all); err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("there are %d rules\nhint: write one, and make further checks of others", len(all))
	}
	for n.kind, n.rule = range all {
		n.Least = max(n.Least, 1)
		if n.judge = judges()[n.kind]; n.judge == nil {
			return fmt.Errorf("there is no rule %q\nhint: write one of %s", n.kind, names(judges()))
		}
		if !slices.Contains([]string{"", "each", "first", "last"}, n.Pick) {
			return fmt.Errorf("pick: %q is no choice among events\nhint: write each, first or last", n.Pick)
		}
	}
	return nil
}

// meets reports whether an event is the need of a subject.
func (n need) meets(e, subject *trace.Event) bool {
	for _, name := range n.About {
		if !about(e, subject, name) {
			return false
		}
	}
	return len(n.Shows) == 0 || hasRecord(e, n.Shows, subject)
}

// about reports whether an event contains the argument of a subject, among its own arguments or in its result or text.
func about(e, subject *trace.Event, name string) bool {
	want := subject.Arg(name)
	if want.IsNull() {
		return false
	}
	if e.Kind == trace.Text {
		return strings.Contains(e.Lower(), strings.ToLower(want.Str()))
	}
	if e.Args != nil {
		for _, v := range e.Args.All() {
			if trace.Same(v, want) {
				return true
			}
		}
	}
	s, ok := want.Text()
	return ok && (e.Result == s || strings.Contains(e.Result, `"`+s+`"`))
}

// detail says what a need must have to do with its subject.
func (n need) detail() string {
	parts := slices.Clone(n.About)
	for _, key := range slices.Sorted(maps.Keys(n.Shows)) {
		parts = append(parts, fmt.Sprintf("%s %v", key, n.Shows[key]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}
