package author

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Changes are what another state of policy and tools means for a published workflow.
type Changes struct {
	Lines    []string            // what became of lines that state something, as "- " and "+ " lines under their places
	Tools    []string            // what became of tools
	Affected map[string][]string // nodes that rest on what changed, as file.node, with the reasons
	New      []string            // places of statements that no node cites and nothing excludes
	Shifted  int                 // citations that name other lines now
	Same     bool                // policy and tools are what they were

	src     Source // as it is now, its requirements where the policy states them now
	was     Source // as it was
	lineage *lineage
	before  map[place]string // what lines said
	after   map[place]string // what they say now
	lost    map[string]bool  // affected nodes whose ground or tool is gone
	gone    map[string]bool  // requirements that the policy no longer states
	idle    []string         // new tools that change data

	lostNumbers map[string]bool // that the policy no longer has
	gained      []string        // what lines say now that changed or are new
}

// Compare compares policy and tools with those that the workflow was written for.
func (p *Published) Compare(now Source) (*Changes, error) {
	was := now
	was.Documents = p.policy
	was = p.asOf(was)
	c := &Changes{Affected: map[string][]string{}, was: was, before: textsOf(was.Documents), after: textsOf(now.Documents), lineage: newLineage(p.policy, now.Documents), lost: map[string]bool{}, gone: map[string]bool{},
		Same: maps.Equal(p.Manifest.Policy, policyHashes(now)) && maps.Equal(p.Manifest.EachTool, now.toolHashes())}
	c.src = c.moved(now)
	c.describe()
	c.tools(p, now)
	c.lostNumbers = numbersIn(policyTexts(was)...)
	for n := range numbersIn(append(policyTexts(now), now.Tools, "0")...) {
		delete(c.lostNumbers, n)
	}
	for _, f := range p.bundle.Files() {
		for _, n := range f.Nodes {
			c.node(f.Name()+"."+n.ID, n)
		}
	}
	cited := map[place]bool{}
	for _, f := range p.bundle.Files() {
		for _, n := range f.Nodes {
			for _, ref := range c.refs(n.Policy) {
				at, _ := c.src.resolve(ref)
				for _, x := range at {
					cited[x] = true
				}
			}
		}
	}
	for _, x := range c.excluded(p.plan) {
		for _, ref := range x.Lines {
			at, _ := c.src.resolve(ref)
			for _, x := range at {
				cited[x] = true
			}
		}
	}
	c.New = ranges(slices.DeleteFunc(c.src.statements(), func(x place) bool { return cited[x] }))
	return c, nil
}

func policyTexts(s Source) (out []string) {
	for _, d := range s.Documents {
		out = append(out, d.Text)
	}
	return out
}

// moved is a source whose requirements are where the policy states them now, in its words where those are others.
func (c *Changes) moved(now Source) Source {
	if c.was.Catalog == nil {
		return now
	}
	catalog := *c.was.Catalog
	catalog.Rows = nil
	for _, r := range c.was.Catalog.Rows {
		before, _ := c.was.resolve(r.ID)
		after := c.lineage.places(before)
		if len(before) > 0 && len(after) == 0 {
			c.gone[r.ID] = true
			continue
		}
		row := r
		row.Lines = map[string][]guide.Span{}
		for _, at := range ranges(after) {
			if span, err := guide.ParseSpan(at); err == nil {
				row.Lines[now.Lines] = append(row.Lines[now.Lines], span)
			}
		}
		if slices.ContainsFunc(before, c.differs) {
			var words []string
			for _, p := range after {
				words = append(words, strings.TrimLeft(c.after[p], "-*• "))
			}
			row.Text = strings.Join(words, " ")
		}
		catalog.Rows = append(catalog.Rows, row)
	}
	now.Catalog = &catalog
	return now
}

// differs tells whether a line says something else now, or is gone.
func (c *Changes) differs(p place) bool {
	_, there := c.lineage.now[p]
	return c.lineage.changed[p] || !there && c.before[p] != ""
}

// describe tells what became of lines.
func (c *Changes) describe() {
	from := map[place]bool{}
	for _, q := range c.lineage.now {
		from[q] = true
	}
	for _, d := range c.was.Documents {
		for i := range lines(d) {
			p := place{d.Name, i + 1}
			q, there := c.lineage.now[p]
			switch {
			case c.before[p] == "":
			case !there:
				c.Lines = append(c.Lines, fmt.Sprintf("%v is gone\n- %s", p, c.before[p]))
			case c.lineage.changed[p]:
				c.gained = append(c.gained, c.after[q])
				c.Lines = append(c.Lines, fmt.Sprintf("%s changed\n- %s\n+ %s", moved(p, q), c.before[p], c.after[q]))
			}
		}
	}
	for _, d := range c.src.Documents {
		for i := range lines(d) {
			if p := (place{d.Name, i + 1}); c.after[p] != "" && !from[p] {
				c.gained = append(c.gained, c.after[p])
				c.Lines = append(c.Lines, fmt.Sprintf("%v is new\n+ %s", p, c.after[p]))
			}
		}
	}
}

func moved(p, q place) string {
	if p == q {
		return p.String()
	}
	return fmt.Sprintf("%v, now %v,", p, q)
}

// tools compares the tools, and finds new ones that change data.
func (c *Changes) tools(p *Published, now Source) {
	is := now.toolHashes()
	all := maps.Clone(is)
	maps.Copy(all, p.Manifest.EachTool)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, before := p.Manifest.EachTool[name]
		hash, there := is[name]
		switch {
		case !there:
			c.Tools = append(c.Tools, name+" is gone")
		case !before:
			c.Tools = append(c.Tools, name+" is new")
			if slices.Contains(now.mutating(), name) {
				c.idle = append(c.idle, name)
			}
		case was != hash:
			c.Tools = append(c.Tools, name+" changed")
		}
	}
}

// node finds out what a node rests on that changed.
func (c *Changes) node(name string, n *guide.Node) {
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(c.Affected[name], text) {
			c.Affected[name] = append(c.Affected[name], text)
		}
	}
	for _, ref := range n.Policy {
		cited, _ := c.was.resolve(ref)
		for _, p := range cited {
			switch q, there := c.lineage.now[p]; {
			case c.lineage.changed[p]:
				say("it cites %s, which changed", moved(p, q))
			case !there && c.differs(p):
				say("it cites %v, which is gone", p)
			}
		}
	}
	if now := c.refs(n.Policy); len(n.Policy) > 0 && len(now) == 0 {
		c.lost[name] = true
	} else if !slices.Equal(now, n.Policy) {
		c.Shifted++
	}
	for _, tool := range n.Tools {
		for _, what := range c.Tools {
			if what == tool+" is gone" {
				c.lost[name] = true
			}
			if strings.HasPrefix(what, tool+" ") {
				say("its tool %s", what)
			}
		}
	}
	for _, number := range numberPattern.FindAllString(wording(n), -1) {
		if c.lostNumbers[number] {
			say("it has the number %s, which the policy no longer has", number)
		}
	}
}

// refs are the citations of now in the place of some of then.
func (c *Changes) refs(then []string) (out []string) {
	for _, ref := range then {
		if _, err := guide.ParseSpan(ref); err != nil {
			if !c.gone[ref] {
				out = append(out, ref)
			}
			continue
		}
		at, err := c.was.resolve(ref)
		if err != nil {
			out = append(out, ref) // a person's, wrong before
			continue
		}
		for _, now := range ranges(c.lineage.places(at)) {
			if !slices.Contains(out, now) {
				out = append(out, now)
			}
		}
	}
	return out
}

// excluded are the exclusions of a plan that still hold: of lines that say what they said.
func (c *Changes) excluded(p *Plan) (out []Exclusion) {
	for _, x := range p.Excluded {
		var at []place
		for _, ref := range x.Lines {
			old, _ := c.was.resolve(ref)
			at = append(at, slices.DeleteFunc(old, c.differs)...)
		}
		if now := ranges(c.lineage.places(at)); len(now) > 0 {
			out = append(out, Exclusion{now, x.Reason})
		}
	}
	return out
}

// structural tells whether the plan has to change: something is to be assigned, or a node has nothing left to stand on.
func (c *Changes) structural() bool { return len(c.New) > 0 || len(c.idle) > 0 || len(c.lost) > 0 }

// Print tells what changed, and what rests on it.
func (c *Changes) Print(out io.Writer) {
	for _, list := range [][]string{c.Lines, c.Tools} {
		for _, text := range list {
			fmt.Fprintln(out, text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Affected)) {
		fmt.Fprintf(out, "affected: %s: %s\n", name, strings.Join(c.Affected[name], "; "))
	}
	if len(c.New) > 0 {
		fmt.Fprintf(out, "to be assigned or excluded: %s\n", strings.Join(c.New, ", "))
	}
	fmt.Fprintf(out, "%d nodes are affected; the citations of %d name other lines now\n", len(c.Affected), c.Shifted)
}
