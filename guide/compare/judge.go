package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Role is the part that the reading model plays in tags.
const Role = "reader"

// Grade is how much of a requirement a node enforces.
type Grade string

// The grades.
const (
	Full     Grade = "full"     // whoever keeps to the node keeps the requirement
	Weaker   Grade = "weaker"   // some breach of the requirement gets past the node
	Stronger Grade = "stronger" // the node also rules out what the requirement allows
	None     Grade = "none"     // no node has to do with it
)

func grades() []Grade { return []Grade{Full, Weaker, Stronger, None} }

// Judged is what a model read in the two workflows.
type Judged struct {
	Model     string `json:"model"`
	Synthetic bool   `json:"synthetic"` // a scripted model, which says nothing of any real one
	Pair[*Reading]
}

// Reading is what a model reads in one workflow, without knowing which of the two it is: the node that enforces each
// requirement. It reads twice, the second time with nodes and requirements in the opposite order.
type Reading struct {
	Rows []ReadRow `json:"rows"` // in the order of the catalog
	Full int       `json:"full"` // rows that are enforced fully by both readings
	Same int       `json:"same"` // rows with the same grade in both
	// Kappa is Cohen's, of the grades of the two readings; nil where both give every row one and the same grade.
	Kappa *float64 `json:"kappa"`
}

// ReadRow is what was read about one row.
type ReadRow struct {
	Row    string `json:"row"`
	First  Read   `json:"first"`
	Second Read   `json:"second"`
}

// Read is one answer about one row.
type Read struct {
	Node  string `json:"node"` // "" for None
	Grade Grade  `json:"grade"`
}

func (r ReadRow) grade() string {
	if r.First.Grade == r.Second.Grade {
		return string(r.First.Grade)
	}
	return fmt.Sprintf("%s or %s", r.First.Grade, r.Second.Grade)
}

func (r ReadRow) nodes() []string {
	return slices.DeleteFunc([]string{r.First.Node, r.Second.Node}, func(s string) bool { return s == "" })
}

// Judge has a model read in both workflows which node enforces each row of the catalog, and adds it to the report. The
// calls are to be kept also where an error ends the readings.
func (r *Report) Judge(ctx context.Context, m *sim.Model, a, b *guide.Bundle, catalog *guide.Catalog) (calls []sim.ModelCall, err error) {
	var read Pair[*Reading]
	for _, x := range []struct {
		name   string
		bundle *guide.Bundle
		to     **Reading
	}{{r.Name.A, a, &read.A}, {r.Name.B, b, &read.B}} {
		g, err := guide.Compose(x.bundle)
		if err != nil {
			return calls, fmt.Errorf("%s: %w", x.name, err)
		}
		var more []sim.ModelCall
		*x.to, more, err = readTwice(ctx, m.With(Role), g, catalog.Rows)
		calls = append(calls, more...)
		if err != nil {
			return calls, fmt.Errorf("%s: %w", x.name, err)
		}
	}
	r.Judged = &Judged{Model: m.Name, Pair: read}
	for i, row := range catalog.Rows {
		inA, inB := read.A.Rows[i], read.B.Rows[i]
		if inA.grade() != inB.grade() {
			r.Differences = append(r.Differences, Difference{"judge",
				fmt.Sprintf("row %s is read as %s in A, as %s in B (%s)", row.ID, inA.grade(), inB.grade(), row.Text),
				Pair[[]string]{unique(inA.nodes()), unique(inB.nodes())}})
		}
	}
	return calls, nil
}

func readTwice(ctx context.Context, m *sim.Model, g *guide.Graph, rows []guide.Row) (*Reading, []sim.ModelCall, error) {
	first, calls, err := read(ctx, m, g, rows)
	if err != nil {
		return nil, calls, fmt.Errorf("first reading: %w", err)
	}
	nodes, back := slices.Clone(g.Nodes), slices.Clone(rows)
	slices.Reverse(nodes)
	slices.Reverse(back)
	second, more, err := read(ctx, m, guide.NewGraph(g.Domain, g.Entry, g.Intents, nodes), back)
	calls = append(calls, more...)
	if err != nil {
		return nil, calls, fmt.Errorf("second reading: %w", err)
	}
	out := &Reading{}
	for _, row := range rows {
		r := ReadRow{row.ID, first[row.ID], second[row.ID]}
		out.Rows = append(out.Rows, r)
		out.Same += count(r.First.Grade == r.Second.Grade)
		out.Full += count(r.First.Grade == Full && r.Second.Grade == Full)
	}
	out.Kappa = kappa(out.Rows)
	return out, calls, nil
}

// kappa is Cohen's: how far two readings agree beyond what their shares of the grades make likely.
func kappa(rows []ReadRow) *float64 {
	n := float64(len(rows))
	first, second := map[Grade]float64{}, map[Grade]float64{}
	same := 0.0
	for _, r := range rows {
		first[r.First.Grade]++
		second[r.Second.Grade]++
		same += float64(count(r.First.Grade == r.Second.Grade))
	}
	chance := 0.0
	for _, g := range grades() {
		chance += first[g] * second[g]
	}
	if chance == n*n {
		return nil
	}
	k := (same/n - chance/(n*n)) / (1 - chance/(n*n))
	return &k
}

const readerSystem = `You check whether a workflow enforces the rules of a policy. A verifier holds an agent to the workflow, node by node, and enforces nothing else. You judge by what the nodes say, not by what their names suggest.`

const readerQuestion = `<workflow>
%s</workflow>

<rules>
%s</rules>

For each rule, name the one node that does most to enforce it, and grade it:
- full: whoever keeps to the node keeps the rule, in every case;
- weaker: some breach of the rule gets past the node;
- stronger: the node also rules out something that the rule allows;
- none: no node has to do with the rule; the node is then "".

Answer with one JSON array that has one object for each rule:
[{"rule": "ID", "node": "id of the node", "grade": "full"}]`

func read(ctx context.Context, m *sim.Model, g *guide.Graph, rows []guide.Row) (map[string]Read, []sim.ModelCall, error) {
	var rules strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&rules, "%s: %s\n", r.ID, strings.Join(strings.Fields(r.Text), " "))
	}
	system, question := readerSystem, fmt.Sprintf(readerQuestion, export.Prompt(g), rules.String())
	var out map[string]Read
	calls, err := m.Put(ctx, sim.Question{
		Messages: []llm.Message{{Role: llm.System, Content: &system}, {Role: llm.User, Content: &question}},
		Use: func(answer string) (err error) {
			out, err = parseReading(answer, g, rows)
			return err
		},
		Again: func(why error) (string, error) {
			return fmt.Sprintf("That cannot be used: %v\nAnswer again with the whole JSON array.", why), nil
		},
	})
	return out, calls, err
}

var arrayStart = regexp.MustCompile(`\[\s*\{`)

// parseReading reads an answer, which may have words around its array.
func parseReading(answer string, g *guide.Graph, rows []guide.Row) (map[string]Read, error) {
	at, end := arrayStart.FindStringIndex(answer), strings.LastIndexByte(answer, ']')
	if at == nil || end < at[0] {
		return nil, errors.New("there is no JSON array of objects")
	}
	var list []struct {
		Rule string `json:"rule"`
		Read
	}
	if err := json.Unmarshal([]byte(answer[at[0]:end+1]), &list); err != nil {
		return nil, fmt.Errorf("the JSON array: %w", err)
	}
	out := map[string]Read{}
	var wrong []error
	for _, x := range list {
		_, twice := out[x.Rule]
		_, known := g.Node(x.Node)
		switch {
		case !slices.ContainsFunc(rows, func(r guide.Row) bool { return r.ID == x.Rule }):
			wrong = append(wrong, fmt.Errorf("there is no rule %q", x.Rule))
		case twice:
			wrong = append(wrong, fmt.Errorf("rule %s is there twice", x.Rule))
		case !slices.Contains(grades(), x.Grade):
			wrong = append(wrong, fmt.Errorf("rule %s: there is no grade %q", x.Rule, x.Grade))
		case x.Grade == None:
			x.Node = ""
		case !known:
			wrong = append(wrong, fmt.Errorf("rule %s: there is no node %q", x.Rule, x.Node))
		}
		out[x.Rule] = x.Read
	}
	for _, r := range rows {
		if _, ok := out[r.ID]; !ok {
			wrong = append(wrong, fmt.Errorf("rule %s is missing", r.ID))
		}
	}
	return out, errors.Join(wrong...)
}
