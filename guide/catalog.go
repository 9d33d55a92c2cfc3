package guide

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Class is how much of a conversation a requirement's check must read (the paper's Appendix B.1).
type Class string

// The classes: argument-level, process-level, workflow-level.
const (
	ArgumentLevel Class = "A"
	ProcessLevel  Class = "P"
	WorkflowLevel Class = "W"
)

// Row is one atomic requirement of a policy, in our words.
type Row struct {
	ID      string
	Section string
	Class   Class
	Subtype string // D dialogue, T tool results, D+T both; "" for class A
	Text    string
	Lines   map[string][]Span // policy source (tau2, embedded) → where the policy says it
	Line    int
	spans   map[string]int // source → line in the catalog
}

// Span is a range of lines of a policy document, from 1, both ends included.
type Span struct {
	File     string
	From, To int
}

// Catalog is the requirements of a domain's policy.
type Catalog struct {
	Path   string
	Domain string
	Rows   []Row
}

// Row returns the requirement of that id.
func (c *Catalog) Row(id string) (*Row, bool) {
	for i := range c.Rows {
		if c.Rows[i].ID == id {
			return &c.Rows[i], true
		}
	}
	return nil, false
}

var spanPattern = regexp.MustCompile(`^([A-Za-z0-9_./-]+):([0-9]{1,6})(?:-([0-9]{1,6}))?$`)

// ParseSpan reads FILE:LINE or FILE:FROM-TO.
func ParseSpan(s string) (Span, error) {
	m := spanPattern.FindStringSubmatch(s)
	if m == nil {
		return Span{}, fmt.Errorf("%q is no place in a document: write file:line or file:from-to", s)
	}
	from, _ := strconv.Atoi(m[2])
	to := from
	if m[3] != "" {
		to, _ = strconv.Atoi(m[3])
	}
	if from < 1 || to < from {
		return Span{}, fmt.Errorf("%q counts lines from 1 upwards: write file:from-to", s)
	}
	return Span{File: m[1], From: from, To: to}, nil
}

// String is the form that ParseSpan reads.
func (s Span) String() string {
	if s.To == s.From {
		return fmt.Sprintf("%s:%d", s.File, s.From)
	}
	return fmt.Sprintf("%s:%d-%d", s.File, s.From, s.To)
}

// ParseCatalog reads guide/catalog/<domain>.yaml. The error is a Findings.
func ParseCatalog(name string, text []byte) (*Catalog, error) {
	y := &yamlFile{path: name}
	c := &Catalog{Path: name}
	if n := y.root(text); n != nil {
		keys := y.fields(n, "the catalog", []field{
			{"domain", y.into(&c.Domain, "domain")},
			{"rows", func(n *yamlfile.Node) {
				for _, item := range y.items(n, "rows") {
					c.Rows = append(c.Rows, y.row(item))
				}
			}},
		})
		for _, key := range []string{"domain", "rows"} {
			if _, ok := keys[key]; !ok {
				y.add("missing-key", yamlfile.Place{}, "the catalog has no key "+key, "add it")
			}
		}
		y.checkRows(c)
	}
	return c, y.found.err()
}

func (y *yamlFile) row(n *yamlfile.Node) Row {
	r := Row{Lines: map[string][]Span{}, spans: map[string]int{}}
	var class string
	keys := y.fields(n, "a row", []field{
		{"id", y.into(&r.ID, "a row's id")},
		{"section", y.into(&r.Section, "section")},
		{"class", y.into(&class, "class")},
		{"subtype", y.into(&r.Subtype, "subtype")},
		{"text", y.into(&r.Text, "a row's text")},
		{"lines", func(n *yamlfile.Node) { y.lines(n, &r) }},
	})
	r.Class = Class(class)
	r.Line = n.Line
	if l, ok := keys["id"]; ok {
		r.Line = l
	}
	for _, key := range []string{"id", "class", "text", "lines"} {
		if _, ok := keys[key]; !ok {
			y.atLine("missing-key", r.Line, fmt.Sprintf("row %q has no key %s", r.ID, key), "add it")
		}
	}
	return r
}

func (y *yamlFile) lines(n *yamlfile.Node, r *Row) {
	for _, e := range y.entries(n, "lines") {
		source := e.Key
		r.spans[source] = e.At.Line
		items := []*yamlfile.Node{e.Value}
		if e.Value.Kind == yamlfile.List {
			items = e.Value.Items
		}
		for _, item := range items {
			s, ok := y.text(item, "lines of "+source)
			if !ok {
				continue
			}
			span, err := ParseSpan(s)
			if err != nil {
				y.add("bad-lines", item.Place, err.Error(), "correct the reference")
				continue
			}
			r.Lines[source] = append(r.Lines[source], span)
		}
	}
}

func (y *yamlFile) atLine(code string, line int, text, mend string) {
	y.found = append(y.found, Finding{Code: code, Severity: Error, File: y.path, Line: line, Text: text, Mend: mend})
}

// checkRows looks at what can be wrong with a row by itself.
func (y *yamlFile) checkRows(c *Catalog) {
	seen := map[string]int{}
	for _, r := range c.Rows {
		if first, twice := seen[r.ID]; twice && r.ID != "" {
			y.atLine("duplicate-row", r.Line, fmt.Sprintf("row %s is also on line %d", r.ID, first), "give each requirement its own id")
		}
		seen[r.ID] = r.Line
		switch {
		case r.Class != ArgumentLevel && r.Class != ProcessLevel && r.Class != WorkflowLevel:
			y.atLine("bad-class", r.Line, fmt.Sprintf("row %s has class %q", r.ID, r.Class), "use A, P or W")
		case r.Class == ArgumentLevel && r.Subtype != "":
			y.atLine("bad-class", r.Line, fmt.Sprintf("row %s is of class A but has subtype %q", r.ID, r.Subtype), "drop the subtype; only P and W have one")
		case r.Class != ArgumentLevel && !slices.Contains([]string{"D", "T", "D+T"}, r.Subtype):
			y.atLine("bad-class", r.Line, fmt.Sprintf("row %s has subtype %q", r.ID, r.Subtype), "use D, T or D+T")
		}
	}
}

// checkLines reports references to lines that the given documents do not have. Sources without documents are not
// looked at.
func (c *Catalog) checkLines(docs Documents) Findings {
	var out Findings
	for _, r := range c.Rows {
		for source, spans := range r.Lines {
			files, ok := docs[source]
			if !ok {
				continue
			}
			for _, s := range spans {
				if text, mend := s.absent(source, files); text != "" {
					out = append(out, Finding{Code: "policy-lines", Severity: Error, File: c.Path, Line: r.spans[source],
						Text: fmt.Sprintf("row %s: %s %s", r.ID, s, text), Mend: mend})
				}
			}
		}
	}
	return out
}

// absent says why the documents of a source do not have these lines, and what to do; "" if they do.
func (s Span) absent(source string, files map[string]string) (text, mend string) {
	document, ok := files[s.File]
	if !ok {
		return "names a document that " + source + " does not have", "use one of " + strings.Join(sortedKeys(files), ", ")
	}
	lines := strings.Split(strings.TrimSuffix(document, "\n"), "\n")
	switch {
	case s.To > len(lines):
		return fmt.Sprintf("is beyond the document's %d lines", len(lines)), "correct the numbers"
	case strings.TrimSpace(strings.Join(lines[s.From-1:s.To], "")) == "":
		return "is blank there", "point at the line that states the rule"
	}
	return "", ""
}
