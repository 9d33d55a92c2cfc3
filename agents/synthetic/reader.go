package synthetic

import (
	"context"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

var ruleLine = regexp.MustCompile(`(?m)^(\w+): `)

// readWorkflow is the script of the model that reads which node of a workflow enforces a requirement. It knows the built-in
// workflow's nodes and looks which of them are there; nodes of other names it takes for nothing.
func readWorkflow(_ context.Context, s synthetic.Input) (llm.Message, error) {
	_, question, err := parts(s)
	if err != nil {
		return llm.Message{}, err
	}
	b, err := guide.LoadShipped(s.World.Name)
	if err != nil {
		return llm.Message{}, err
	}
	g, err := guide.Compose(b)
	if err != nil {
		return llm.Message{}, err
	}
	type answer struct {
		Rule string `json:"rule"`
		compare.Read
	}
	var out []answer
	enforcers := g.Enforcers()
	for _, m := range ruleLine.FindAllStringSubmatch(within(question, "rules"), -1) {
		a := answer{m[1], compare.Read{Grade: compare.None}}
		for i, node := range enforcers[m[1]] {
			if a.Node == "" && strings.Contains(question, "\n### "+node+"\n") {
				a.Read = compare.Read{Node: node, Grade: compare.Full}
				if i > 0 {
					a.Grade = compare.Weaker
				}
			}
		}
		out = append(out, a)
	}
	return sayJSON(out)
}
