package author

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/described"
)

// Sorted is what a model says of the kinds of tools.
type Sorted struct {
	Tools []SortedTool `json:"tools"`
}

// SortedTool is a tool with the word for its kind: read, write or other.
type SortedTool struct {
	Tool   string `json:"tool"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// sortTools asks once for the kinds of all tools of which nobody has said it. A person has to confirm the answer.
func (w *writing) sortTools(ctx context.Context) (err error) {
	unknown := w.Source.unknown()
	if len(unknown) == 0 {
		return nil
	}
	tools := *w.Source.Described
	data := map[string]any{"Source": w.Source, "Policy": w.Source.Numbered(), "Known": len(unknown) < len(tools.Agent)}
	if w.sorting, err = prompt("toolsystem.tmpl", data); err != nil {
		return err
	}
	w.system = w.sorting
	err = w.ask(ctx, "tools.tmpl", "tools", map[string]any{"Unknown": unknown}, func(answer string) error {
		var s Sorted
		if err := lastJSON(answer, &s); err != nil {
			return short(err)
		}
		sorted, err := s.apply(tools.Agent, w.Model.Name)
		if err != nil {
			return short(err)
		}
		tools.Agent = sorted
		return nil
	})
	if err != nil {
		return err
	}
	if w.Source, err = Own(tools, w.Source.Documents); err != nil {
		return err
	}
	return w.prepare()
}

// apply gives the tools without a kind those that the model says.
func (s Sorted) apply(tools []described.Tool, model string) ([]described.Tool, error) {
	out := slices.Clone(tools)
	var bad []error
	said := map[string]bool{}
	for _, x := range s.Tools {
		at := slices.IndexFunc(tools, func(t described.Tool) bool { return t.Name == x.Tool && t.Kind == "" })
		kind, err := described.ParseKind(strings.ToLower(strings.TrimSpace(x.Kind)))
		reason := strings.Join(strings.Fields(x.Reason), " ")
		switch {
		case at < 0:
			bad = append(bad, fmt.Errorf("%q is none of the tools that were asked for", x.Tool))
		case said[x.Tool]:
			bad = append(bad, fmt.Errorf("%s is there twice", x.Tool))
		case err != nil:
			bad = append(bad, fmt.Errorf("%s: %q is no kind: write read, write or other", x.Tool, x.Kind))
		case reason == "":
			bad = append(bad, fmt.Errorf("%s: there is no reason", x.Tool))
		default:
			out[at].Kind, out[at].Confirm = kind, fmt.Sprintf("the model %s: %s", model, reason)
		}
		said[x.Tool] = true
	}
	for _, t := range tools {
		if t.Kind == "" && !said[t.Name] {
			bad = append(bad, fmt.Errorf("%s is missing", t.Name))
		}
	}
	return out, errors.Join(bad...)
}

// assumed has every tool of no known kind change data: what the workflow takes at most.
func (s Source) assumed() (Source, error) {
	if len(s.unknown()) == 0 {
		return s, nil
	}
	tools := *s.Described
	tools.Agent = slices.Clone(tools.Agent)
	for i, t := range tools.Agent {
		if t.Kind == "" {
			tools.Agent[i].Kind = domains.Write
		}
	}
	return Own(tools, s.Documents)
}
