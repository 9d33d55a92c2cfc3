package synthetic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// guard answers as PolicyGuard's verifier: it reads call and conversation off the prompt, has the workflow's checks
// decide, and goes through the checklist item by item.
func (l *library) guard(_ context.Context, s synthetic.Input) (llm.Message, error) {
	static, question, err := parts(s)
	if err != nil {
		return llm.Message{}, err
	}
	c, err := checklist.ReadCase(question)
	if err != nil {
		return llm.Message{}, err
	}
	if len(c.Messages) == 0 {
		return llm.Message{}, errors.New("the conversation of a guard's prompt ends with the pending call\nhint: send it")
	}
	list, err := checklist.ReadChecklist(static)
	if err != nil {
		return llm.Message{}, err
	}
	p, err := l.policy(s.World)
	if err != nil {
		return llm.Message{}, err
	}
	before := c.Messages[:len(c.Messages)-1]
	judge := verify.Deterministic{Workflow: p.workflow}
	ok, decided, why := judge.Call(verify.Input{Messages: before, Trace: guide.NewTrace(before...)}, c.Call)
	if ok || !decided || c.Silent && ofWords(p.workflow, why) {
		return synthetic.Say(verdict(requirements(list, p.checklists), nil, "", "")), nil
	}
	return synthetic.Say(blocked(requirements(list, p.checklists), p.workflow, why)), nil
}

const unmet = " is not met: "

// ofWords reports whether a reason of the workflow's checks is about what user or agent have to say: without the
// dialogue nothing can be told of it.
func ofWords(workflow *verify.Workflow, why string) bool {
	id, _, _ := strings.Cut(why, unmet)
	n, ok := workflow.Graph.Node(id)
	return ok && (n.Type == guide.UserInput || n.Type == guide.AgentAction)
}

// blocked words a BLOCK by the node with which the reason of the workflow's checks begins.
func blocked(list []checklist.Requirement, workflow *verify.Workflow, why string) string {
	if id, _, ended := strings.Cut(why, ": "); ended {
		if n, ok := workflow.Graph.Node(id); ok {
			return verdict(list, n.Policy, why, "Leave it, and tell the user how things stand.")
		}
	}
	id, condition, _ := strings.Cut(why, unmet)
	n, ok := workflow.Graph.Node(id)
	if !ok {
		return verdict(list, nil, cmp.Or(why, "the policy does not allow it at this point"), "Do not make this call.")
	}
	return verdict(list, n.Policy, id+" asks for more: "+condition, strings.ReplaceAll(n.Remediation, "{target}", "this request"))
}

// verdict writes an answer: the items of the checklist, those of the rows not met; why is empty for a PASS.
func verdict(list []checklist.Requirement, rows []string, why, next string) string {
	var b strings.Builder
	failed := 0
	for _, r := range list {
		if why != "" && slices.ContainsFunc(r.Catalog, func(id string) bool { return slices.Contains(rows, id) }) {
			failed++
			fmt.Fprintf(&b, "- %s: NOT MET; %s\n", r.Name, why)
			continue
		}
		fmt.Fprintf(&b, "- %s: MET; nothing speaks against it\n", r.Name)
	}
	if why == "" {
		b.WriteString("SYNTHESIS: The workflow's checks allow the call.\n\nVERDICT: PASS")
		return b.String()
	}
	if failed == 0 {
		fmt.Fprintf(&b, "- policy: NOT MET; %s\n", why)
	}
	fmt.Fprintf(&b, "SYNTHESIS: The workflow's checks do not allow the call yet.\n\nVERDICT: BLOCK\nMESSAGE: Not yet: %s. %s", strings.TrimSuffix(strings.TrimSpace(why), "."), strings.TrimSpace(next))
	return b.String()
}

// requirements are those of the checklist that a prompt shows, with the catalog references of the built-in one, which
// prompts leave out.
func requirements(list *checklist.Checklist, set *checklist.Set) []checklist.Requirement {
	if list == nil {
		return nil
	}
	out := slices.Clone(list.Requirements)
	var own *checklist.Checklist
	if set != nil {
		own, _ = set.Tool(list.Tool)
	}
	if own == nil {
		return out
	}
	for i := range out {
		if j := slices.IndexFunc(own.Requirements, func(r checklist.Requirement) bool { return r.Name == out[i].Name }); j >= 0 {
			out[i].Catalog = own.Requirements[j].Catalog
		}
	}
	return out
}
