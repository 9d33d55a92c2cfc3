package synthetic

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// writeChecklists is the script of the model that writes checklists. It sorts the tools by what they are, repeats the built-in
// checklists of the domain, and finds nothing to correct in a review.
func writeChecklists(_ context.Context, s synthetic.Input) (llm.Message, error) {
	_, question, err := parts(s)
	if err != nil {
		return llm.Message{}, err
	}
	set, err := checklist.LoadShipped(s.World.Name)
	if err != nil {
		return llm.Message{}, err
	}
	switch stage := within(question, "stage"); stage {
	case "classify":
		return classes(s.World)
	case "tool":
		c, ok := set.Tool(within(question, "tool"))
		if !ok {
			return llm.Message{}, fmt.Errorf("there is no checklist for %q", within(question, "tool"))
		}
		return synthetic.Say("The policy asks for this:\n\n```yaml\n" + c.Text(true) + "```"), nil
	case "rules":
		return synthetic.Say("```yaml\n" + set.Rules.Text(true) + "```\nThat is all."), nil
	case "review":
		_, files, ok := strings.Cut(question, "</file>\n\n") // what comes after the example of the form
		if !ok {
			return llm.Message{}, errors.New("the prompt of a review holds no files")
		}
		return synthetic.Say("Nothing is to be mended.\n" + files), nil
	default:
		return llm.Message{}, fmt.Errorf("there is no stage %q", stage)
	}
}

// within returns what is between the first two marks of a line.
func within(text, mark string) string {
	_, rest, _ := strings.Cut(text, "<"+mark+">")
	inside, _, _ := strings.Cut(rest, "</"+mark+">")
	return inside
}

func classes(w *domains.World) (llm.Message, error) {
	out := map[string][]string{"mutating": {}, "read_only": {}}
	for _, t := range w.Agent.Specs() {
		class := "read_only"
		if w.Agent.Mutates(t.Name) {
			class = "mutating"
		}
		out[class] = append(out[class], t.Name)
	}
	return sayJSON(out)
}
