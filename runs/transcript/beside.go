package transcript

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/tauguide/tauguide/sim"
)

// Pair is two trials of one task side by side.
type Pair struct {
	Left, Right Conversation
	Rows        []Row
	First       int      // the first message that is not the same, which has one number in both; -1 if there is none
	Summary     []string // what is the same and what is not, in sentences
	Scores      []Contrast
	// Data is where the databases differ at the end; Unknown says why that is not known.
	Data    []Contrast
	Unknown string
	// Writes that changed something and were made on one side alone.
	LeftWrites, RightWrites []*Write
	// Nodes are those that only one side came to, or that ended otherwise on the other; none if either has no walks.
	Nodes []Contrast
}

// Row is a part of two conversations: one message that is the same in both, or all that is not before the next such
// one. Events do not count: each side has its own.
type Row struct {
	Same        bool
	First       bool // of the rows with messages that are not the same
	Left, Right []Step
}

// Contrast is something that is one way on the left and another on the right.
type Contrast struct{ Name, Left, Right string }

// Beside sets two conversations side by side, aligned by what was said, called and returned.
func Beside(left, right Conversation) Pair {
	p := Pair{Left: left, Right: right, Rows: align(left.Steps, right.Steps), First: -1, Scores: scores(left.Score, right.Score), Nodes: nodes(left.Walks, right.Walks)}
	said := func(s Step) bool { return s.Message != nil }
	at := slices.IndexFunc(p.Rows, func(r Row) bool {
		return !r.Same && (slices.ContainsFunc(r.Left, said) || slices.ContainsFunc(r.Right, said))
	})
	if at >= 0 {
		p.First, p.Rows[at].First = at, true // all rows before are of one message each
	}
	p.compareData()
	p.summarize()
	return p
}

// align finds what two conversations have in common. Which side is which makes no difference.
func align(left, right []Step) []Row {
	a, b := keys(left), keys(right)
	swapped := slices.Compare(a, b) > 0
	if swapped {
		a, b, left, right = b, a, right, left
	}
	var out []Row
	add := func(same bool, l, r []Step) {
		if swapped {
			l, r = r, l
		}
		out = append(out, Row{Same: same, Left: l, Right: r})
	}
	i, j := 0, 0
	same := func(until int) {
		for ; i < until; i, j = i+1, j+1 {
			add(true, left[i:i+1], right[j:j+1])
		}
	}
	for i < min(len(a), len(b)) && a[i] == b[i] { // so that the first difference is the first
		same(i + 1)
	}
	begun := i
	for _, d := range lcs.DiffLines(a[begun:], b[begun:]) {
		same(begun + d.Start)
		i, j = begun+d.End, begun+d.ReplEnd
		add(false, left[begun+d.Start:i], right[begun+d.ReplStart:j])
	}
	same(len(a))
	return out
}

// keys are what messages say and do. The names of calls, which models make up, times, and events are left out.
func keys(steps []Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		if m := s.Message; m != nil {
			parts := []string{m.Side, strconv.FormatBool(m.Result), strconv.FormatBool(m.Error), m.Text}
			for _, c := range m.Calls {
				parts = append(parts, c.String())
			}
			out[i] = fmt.Sprintf("%q", parts)
		}
	}
	return out
}

// scores has the outcome of every component that applies to either side.
func scores(left, right *sim.Score) []Contrast {
	var out []Contrast
	add := func(name, l, r string) {
		if i := slices.IndexFunc(out, func(c Contrast) bool { return c.Name == name }); i < 0 {
			out = append(out, Contrast{name, l, r})
		} else {
			out[i].Right = r
		}
	}
	for side, s := range []*sim.Score{left, right} {
		told := func(name, text string) {
			if side == 0 {
				add(name, text, "")
			} else {
				add(name, "", text)
			}
		}
		switch {
		case s == nil:
			told("reward", "not scored yet")
			continue
		case s.Reward == nil:
			told("reward", "pending: "+s.Pending)
		default:
			told("reward", strconv.FormatFloat(*s.Reward, 'g', 6, 64))
		}
		for _, c := range s.Components {
			if c.State == sim.NA {
				continue
			}
			text := string(c.State)
			if !c.Counted {
				text += ", not counted"
			}
			if c.Why != "" {
				text += ": " + c.Why
			}
			told(string(c.Type), text)
		}
	}
	return out
}

// compareData tells the two end states apart, and the writes.
func (p *Pair) compareData() {
	l, r := p.Left.Databases, p.Right.Databases
	switch {
	case l.end == nil:
		p.Unknown = "left: " + l.Unknown
		return
	case r.end == nil:
		p.Unknown = "right: " + r.Unknown
		return
	}
	if a, b := p.Left.World, p.Right.World; a != b && a.Options == b.Options && slices.Equal(a.Sources, b.Sources) {
		again := p.Right.Trial // in the same data: what was opened twice is compared record by record, for most of a second
		again.World = a
		r.end = databases(again, p.Right.Steps).end
	}
	for _, d := range differences(l.end, r.end) {
		p.Data = append(p.Data, Contrast{d.Field.String(), d.Want, d.Got})
	}
	p.RightWrites = r.changing()
	for _, w := range l.changing() {
		same := func(o *Write) bool { return o.Side == w.Side && o.String() == w.String() }
		if i := slices.IndexFunc(p.RightWrites, same); i >= 0 {
			p.RightWrites = slices.Delete(p.RightWrites, i, i+1)
		} else {
			p.LeftWrites = append(p.LeftWrites, w)
		}
	}
}

// nodes tells the walks of two guides apart.
func nodes(left, right Walks) []Contrast {
	if len(left.Requests) == 0 || len(right.Requests) == 0 {
		return nil
	}
	var out []Contrast
	l, r := ends(left), ends(right)
	for _, id := range slices.Sorted(maps.Keys(l)) {
		if l[id] != r[id] {
			out = append(out, Contrast{id, l[id], cmp.Or(r[id], "never reached")})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r)) {
		if l[id] == "" {
			out = append(out, Contrast{id, "never reached", r[id]})
		}
	}
	return out
}

// ends says how nodes ended in the requests that came to them.
func ends(w Walks) map[string]string {
	states := map[string][]string{}
	for _, q := range w.Requests {
		for _, n := range q.Nodes {
			states[n.ID] = append(states[n.ID], cmp.Or(string(n.State), "passed"))
		}
	}
	out := map[string]string{}
	for id, list := range states {
		slices.Sort(list)
		out[id] = strings.Join(slices.Compact(list), ", ")
	}
	return out
}

// changing are the writes that changed something.
func (d Databases) changing() []*Write {
	return slices.DeleteFunc(d.Writes(), func(w *Write) bool { return len(w.Changes) == 0 })
}

func (p *Pair) summarize() {
	said := p.tally(func(m *Message) int {
		if m.Side == "agent" && !m.Result && strings.TrimSpace(m.Text) != "" {
			return 1
		}
		return 0
	})
	called := p.tally(func(m *Message) int { return len(m.Calls) })
	p.Summary = append(p.Summary, said.text("message to the user"), called.text("call"))
	if l, r := kinds(p.Left.Steps), kinds(p.Right.Steps); l == r && l != "" {
		p.Summary = append(p.Summary, l+" on both sides")
	} else if l+r != "" {
		p.Summary = append(p.Summary, strings.Join(slices.DeleteFunc([]string{on(l, "left"), on(r, "right")}, func(s string) bool { return s == "" }), "; "))
	}
	if p.First >= 0 {
		p.Summary = append(p.Summary, fmt.Sprintf("the first difference is at message %d: left %s, right %s", p.First, does(p.Left.Steps, p.First), does(p.Right.Steps, p.First)))
	}
	switch {
	case p.Unknown != "":
		p.Summary = append(p.Summary, "the databases cannot be compared: "+p.Unknown)
	case len(p.Data) == 0:
		p.Summary = append(p.Summary, "the databases end alike")
	default:
		p.Summary = append(p.Summary, fmt.Sprintf("the databases differ at the end in %s", count(len(p.Data), "place")))
	}
	if len(p.Nodes) > 0 {
		p.Summary = append(p.Summary, "the walks differ at "+count(len(p.Nodes), "node"))
	}
}

// shares is how many of something are in both conversations, and on one side alone.
type shares struct{ both, left, right int }

func (p *Pair) tally(of func(*Message) int) (n shares) {
	sum := func(steps []Step) (n int) {
		for _, s := range steps {
			if s.Message != nil {
				n += of(s.Message)
			}
		}
		return n
	}
	for _, r := range p.Rows {
		if r.Same {
			n.both += sum(r.Left)
		} else {
			n.left += sum(r.Left)
			n.right += sum(r.Right)
		}
	}
	return n
}

func (n shares) text(what string) string {
	switch {
	case n.both+n.left+n.right == 0:
		return "no " + plural(what)
	case n.left+n.right == 0:
		return fmt.Sprintf("the same %s (%d)", plural(what), n.both)
	}
	out := count(n.both, what) + " in common"
	for side, more := range []int{n.left, n.right} {
		if more > 0 {
			out += fmt.Sprintf(", %d more on the %s", more, []string{"left", "right"}[side])
		}
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %s", n, plural(what))
}

// plural is that of the first word.
func plural(what string) string {
	noun, rest, _ := strings.Cut(what, " ")
	return strings.TrimSpace(noun + "s " + rest)
}

// kinds counts the events by kind, in the order in which they first occur.
func kinds(steps []Step) string {
	var names []string
	n := map[string]int{}
	for _, s := range steps {
		for _, e := range s.Events {
			name := strings.ReplaceAll(string(e.Kind), "_", "-")
			if n[name]++; n[name] == 1 {
				names = append(names, name)
			}
		}
	}
	for i, name := range names {
		names[i] = count(n[name], name)
	}
	return strings.Join(names, ", ")
}

func on(what, side string) string {
	if what == "" {
		return ""
	}
	return what + " on the " + side
}

// does says what happens at a message of a conversation.
func does(steps []Step, at int) string {
	if at >= len(steps) || steps[at].Message == nil {
		return "has ended"
	}
	m := steps[at].Message
	who, text := "", shortened(oneLine(m.Text), briefValue)
	if m.Side != "agent" {
		who = "has the " + m.Side + " "
	}
	verb := func(s, short string) string { // of the agent, or after "has the user"
		if who == "" {
			return s
		}
		return who + short
	}
	switch {
	case m.Result && m.Error:
		return fmt.Sprintf("gets the error %q of %s", text, m.Tool)
	case m.Result:
		return fmt.Sprintf("gets %q of %s", text, m.Tool)
	case len(m.Calls) > 0:
		var calls []string
		for _, c := range m.Calls {
			calls = append(calls, shortened(c.String(), briefValue))
		}
		return verb("calls", "call") + " " + strings.Join(calls, ", ")
	case strings.HasSuffix(strings.TrimSpace(m.Text), "?"):
		return verb("asks", "ask") + fmt.Sprintf(" %q", text)
	case !m.HasText || text == "":
		return verb("says", "say") + " nothing"
	}
	return verb("says", "say") + fmt.Sprintf(" %q", text)
}

// shortened cuts a text to n characters.
func shortened(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Begin is the beginning of the rows with so many messages in all, and whether there are more.
func (p Pair) Begin(most int) ([]Row, bool) {
	for i, r := range p.Rows {
		if most -= len(r.Left) + len(r.Right); most < 0 {
			r.Left, r.Right = r.Left[:max(0, len(r.Left)+most/2)], r.Right[:max(0, len(r.Right)+most/2)]
			return append(slices.Clone(p.Rows[:i]), r), true
		}
	}
	return p.Rows, false
}
