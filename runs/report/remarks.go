package report

import (
	"fmt"
	"slices"
	"strings"
)

// aboutCommands is said of the commands that fill places of a table of a run without real models.
const aboutCommands = "these commands ask real models; with --synthetic --data embedded they run offline"

// remarks gathers what must be said below a table, each thing once.
type remarks struct {
	in        Input
	selection selection
	said      []string
	gaps      []gap
	reasons   []reason
}

// gap is a place of the table that no run fills.
type gap struct {
	kind    Kind
	family  string
	domains []string
}

// reason is why figures of a run are undefined.
type reason struct {
	source *Source
	mark   string // - or ?
	text   string
	of     []row
}

func (n *remarks) say(text string) {
	if text != "" && !slices.Contains(n.said, text) {
		n.said = append(n.said, text)
	}
}

// variant says in what a row is not the paper's.
func (n *remarks) variant(r row) {
	if n.in.Published {
		_, why := r.paperRow(n.selection.splitOf(r.domain))
		n.say(why)
	}
	if r.source == nil || r.domains != nil {
		return
	}
	if at, ok := n.selection.scope[r.kind]; ok && at != r.domain {
		n.say(fmt.Sprintf("%s on %s is beyond the paper, which has it on %s only", r.system.Name, r.domain, at))
	}
	if r.system.Variant != "" {
		n.say(fmt.Sprintf("%s is a variant of %s that the paper does not have: %s", r.system.Name, r.kind, r.system.Variant))
	}
}

// missing records a place that no run fills, and says what would fill it.
func (n *remarks) missing(r row) string {
	i := slices.IndexFunc(n.gaps, func(g gap) bool { return g.kind == r.kind && g.family == r.family })
	if i < 0 {
		i = len(n.gaps)
		n.gaps = append(n.gaps, gap{kind: r.kind, family: r.family})
	}
	if !slices.Contains(n.gaps[i].domains, r.domain) {
		n.gaps[i].domains = append(n.gaps[i].domains, r.domain)
	}
	return "no run has it: " + runCommand(n.selection.config, r.kind, r.family, r.domain)
}

// undefined records why a figure of a row is undefined.
func (n *remarks) undefined(r row, c Cell) {
	if c.Value != nil && c.Bar != nil && !c.Bar.Defined {
		c = Cell{Text: "[-]", Why: c.Bar.Reason}
	}
	if c.Value != nil || c.Why == "" {
		return
	}
	i := slices.IndexFunc(n.reasons, func(x reason) bool { return x.source == r.source && x.text == c.Why })
	if i < 0 {
		i = len(n.reasons)
		n.reasons = append(n.reasons, reason{source: r.source, mark: c.Text, text: c.Why})
	}
	if !slices.ContainsFunc(n.reasons[i].of, func(of row) bool { return of.place(false) == r.place(false) }) {
		n.reasons[i].of = append(n.reasons[i].of, r)
	}
}

// places names the rows of a run that it is a reason for, systems on the same domains together.
func (x reason) places(several bool) string {
	var systems, means, out []string
	on := map[string]string{} // the domains of a system
	for _, r := range x.of {
		switch name := r.system.Name; {
		case r.domains != nil:
			means = append(means, name)
		case on[name] == "":
			systems, on[name] = append(systems, name), r.domain
		default:
			on[name] += ", " + r.domain
		}
	}
	for len(systems) > 0 {
		where := on[systems[0]]
		var alike []string
		systems = slices.DeleteFunc(systems, func(name string) bool {
			if on[name] == where {
				alike = append(alike, name)
			}
			return on[name] == where
		})
		out = append(out, strings.Join(alike, ", ")+" on "+where)
	}
	if len(means) > 0 {
		out = append(out, "the mean of "+strings.Join(means, ", "))
	}
	if several && x.source != nil {
		return strings.Join(out, "; ") + " of run " + x.source.Name
	}
	return strings.Join(out, "; ")
}

func (n *remarks) lines() []string {
	out := n.said
	for _, g := range n.gaps {
		name := g.kind.String()
		if g.family != "" {
			name += " with " + g.family
		}
		out = append(out, fmt.Sprintf("`-` for %s on %s: no run has it: %s", name, strings.Join(g.domains, ", "), runCommand(n.selection.config, g.kind, g.family, g.domains...)))
	}
	if len(n.gaps) > 0 && slices.ContainsFunc(n.in.Sources, func(s Source) bool { return s.Synthetic }) {
		out = append(out, aboutCommands)
	}
	resumed := map[*Source]bool{}
	for _, x := range n.reasons {
		out = append(out, fmt.Sprintf("`%s` for %s: %s", x.mark, x.places(len(n.in.Sources) > 1), x.text))
		if strings.Contains(x.text, "usable trial") && !resumed[x.source] {
			resumed[x.source] = true
			out = append(out, completion(*x.source))
		}
	}
	return out
}
