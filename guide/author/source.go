package author

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/guide/verify"
)

// Source is what a workflow is made of: a policy, and the tools of the agent that has to keep to it.
type Source struct {
	Name       string
	World      *domains.World
	Documents  []domains.Document
	Tools      string // the agent's tools and the values that fields take, as models read them
	Inventory  guide.Inventory
	Vocabulary guide.Vocabulary
	// Catalog has requirements that nodes may name in place of lines; nil for none. Lines says to which of its sources
	// the documents belong.
	Catalog *guide.Catalog
	Lines   string
	// Described are the tools that a user brings; nil for a domain of the program. Those of no known kind are asked for
	// when the workflow is written, and only then the fields above that depend on it are there.
	Described *described.Tools
}

// Builtin is the source of a domain of the program. lines says of which data its policy is: embedded or tau2.
func Builtin(w *domains.World, lines string) (Source, error) {
	catalog, err := guide.ShippedCatalog(w.Name)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: w.Name, World: w, Documents: w.Documents, Tools: verify.ToolsDocument(w), Inventory: guide.InventoryOf(w), Vocabulary: checks.For(w), Catalog: catalog, Lines: lines}, nil
}

// Own is the source of a policy and tools that a user brings.
func Own(t described.Tools, documents []domains.Document) (Source, error) {
	s := Source{Name: t.Name, Documents: documents}
	if len(t.Unknown()) == 0 {
		w, err := t.World(documents)
		if err != nil {
			return s, err
		}
		if s, err = Builtin(w, ""); err != nil {
			return s, err
		}
	}
	s.Described = &t
	return s, nil
}

// unknown are the tools whose kind has to be asked for.
func (s Source) unknown() []string {
	if s.Described == nil {
		return nil
	}
	return s.Described.Unknown()
}

// UserTools are what the user can do on a device of their own.
func (s Source) UserTools() []domains.ToolSpec {
	if s.Inventory.User == nil {
		return nil
	}
	return s.Inventory.User.Specs()
}

// mutating are the names of the agent's tools that change data, sorted.
func (s Source) mutating() (out []string) {
	for _, t := range s.Inventory.Agent.Specs() {
		if s.Inventory.Agent.Mutates(t.Name) {
			out = append(out, t.Name)
		}
	}
	slices.Sort(out)
	return out
}

// toolHashes has a hash of what is known of each tool, those on the user's device included.
func (s Source) toolHashes() map[string]string {
	out := map[string]string{}
	for _, kit := range []*domains.Kit{s.Inventory.Agent, s.Inventory.User} {
		if kit == nil {
			continue
		}
		for _, t := range kit.Tools {
			text := fmt.Sprintf("%v %q %v", t.Kind, t.Spec.Description, parsed(t.Spec.Parameters))
			if t.Spec.Returns != nil {
				text += fmt.Sprintf(" %v", parsed(t.Spec.Returns))
			}
			out[t.Spec.Name] = hash(text)
		}
	}
	return out
}

// parsed is a schema without the accidents of its text.
func parsed(schema json.RawMessage) (out any) {
	if json.Unmarshal(schema, &out) != nil {
		return nil
	}
	return out
}

func lines(d domains.Document) []string {
	return strings.Split(strings.TrimSuffix(d.Text, "\n"), "\n")
}

// Numbered is the policy with the number of each line.
func (s Source) Numbered() string {
	var b strings.Builder
	for _, d := range s.Documents {
		fmt.Fprintf(&b, "## %s\n\n", d.Name)
		for i, line := range lines(d) {
			fmt.Fprintf(&b, "%d | %s\n", i+1, line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// documents are the policy's texts for the validator.
func (s Source) documents() guide.Documents {
	files := map[string]string{}
	for _, d := range s.Documents {
		files[d.Name] = d.Text
	}
	return guide.Documents{guide.Beside: files} // not as a source of the catalog, which may know variants of the policy
}

// place is one line of a document.
type place struct {
	file string
	line int // from 1
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// statements are the lines that state something: all but blank ones, headings, rules, and marks of tables and sections.
func (s Source) statements() (out []place) {
	for _, d := range s.Documents {
		for i, line := range lines(d) {
			line = strings.TrimSpace(line)
			mark := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">")
			if !mark && strings.Trim(line, "-|:*=_ ") != "" {
				out = append(out, place{d.Name, i + 1})
			}
		}
	}
	return out
}

// Statements lists the lines that state something, as places and ranges.
func (s Source) Statements() (out []string) { return ranges(s.statements()) }

// ranges joins places that follow each other.
func ranges(list []place) (out []string) {
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == (place{list[i].file, list[j].line + 1}) {
			j++
		}
		out = append(out, guide.Span{File: list[i].file, From: list[i].line, To: list[j].line}.String())
		i = j + 1
	}
	return out
}

// resolve are the lines that a reference stands for: a place in a document, or a row of the catalog.
func (s Source) resolve(ref string) ([]place, error) {
	var spans []guide.Span
	if span, err := guide.ParseSpan(ref); err == nil {
		spans = []guide.Span{span}
	} else if s.Catalog == nil {
		return nil, err
	} else if row, ok := s.Catalog.Row(ref); ok {
		spans = s.spans(row)
	} else {
		return nil, fmt.Errorf("%q is neither a place such as %s:1 nor one of the requirements", ref, s.Documents[0].Name)
	}
	var out []place
	for _, span := range spans {
		at := slices.IndexFunc(s.Documents, func(d domains.Document) bool { return d.Name == span.File })
		if at < 0 {
			return nil, fmt.Errorf("%s: there is no document %s", ref, span.File)
		}
		text := lines(s.Documents[at])
		if span.To > len(text) {
			return nil, fmt.Errorf("%s: %s has %d lines", ref, span.File, len(text))
		}
		if strings.TrimSpace(strings.Join(text[span.From-1:span.To], "")) == "" {
			return nil, fmt.Errorf("%s: nothing stands there", ref)
		}
		for l := span.From; l <= span.To; l++ {
			out = append(out, place{span.File, l})
		}
	}
	return out, nil
}

// spans are where these documents state a requirement; others, of variants of the policy, may state it elsewhere.
func (s Source) spans(r *guide.Row) []guide.Span {
	return slices.DeleteFunc(slices.Clone(r.Lines[s.Lines]), func(span guide.Span) bool { return !s.has(span.File) })
}

func (s Source) has(file string) bool {
	return slices.ContainsFunc(s.Documents, func(d domains.Document) bool { return d.Name == file })
}

// Requirement is a row of the catalog with where this policy states it.
type Requirement struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Lines string `json:"lines"`
}

// Requirements are the rows of the catalog.
func (s Source) Requirements() (out []Requirement) {
	if s.Catalog == nil {
		return nil
	}
	for _, r := range s.Catalog.Rows {
		var at []string
		for _, span := range s.spans(&r) {
			at = append(at, span.String())
		}
		out = append(out, Requirement{r.ID, r.Text, strings.Join(at, ", ")})
	}
	return out
}
