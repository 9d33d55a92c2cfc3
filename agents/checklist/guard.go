package checklist

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/verify"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// templates parses the prompts at their first use.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("prompts").ParseFS(promptFiles, "prompts/*.tmpl"))
})

// Guard words the question to a verifier. It is immutable, shared by all conversations of a domain, and safe for
// concurrent use.
type Guard struct {
	prefix map[string]string // by tool
	hash   string
}

// Without names what a verifier is not told: PolicyGuard's ablations (docs/reference/baselines.md#verifier).
type Without struct {
	Dialogue bool // the words of user and agent: calls and results are left
	Policy   bool // the policy's text: the checklist decides alone, as it is written
}

// NewGuard makes the guard of a world, with a part left out of its prompts. Without a set it has the verifier judge by the
// policy's text alone; without the policy there must be a set.
func NewGuard(w *domains.World, set *Set, left Without) (*Guard, error) {
	if set == nil && left.Policy {
		return nil, fmt.Errorf("a guard of %s without policy and checklists has nothing to judge by: leave one of them in", w.Name)
	}
	g := &Guard{prefix: map[string]string{}}
	sum := sha256.New()
	for _, tool := range Guarded(w) {
		data := map[string]string{"Domain": w.Name, "Tool": tool, "Policy": strings.TrimSpace(w.Policy), "Law": "policy", "Dialogue": "shown"}
		if left.Policy {
			data["Policy"], data["Law"] = "", "checklist"
		}
		if left.Dialogue {
			data["Dialogue"] = ""
		}
		if set != nil {
			c, ok := set.Tool(tool)
			if !ok {
				return nil, fmt.Errorf("the checklists of %s have none for %s: add %s", w.Name, tool, FileOf(tool))
			}
			data["Rules"], data["Checklist"] = set.Rules.Text(false), c.Text(false)
		}
		var b strings.Builder
		if err := templates().ExecuteTemplate(&b, "guard.tmpl", data); err != nil {
			return nil, fmt.Errorf("guard prompt of %s: %w", tool, err)
		}
		g.prefix[tool] = b.String()
		sum.Write([]byte(b.String()))
	}
	g.hash = hex.EncodeToString(sum.Sum(nil))
	return g, nil
}

// Hash is the SHA-256 of all that verifiers are told beside the conversation.
func (g *Guard) Hash() string { return g.hash }

// Prefix is the static part of the prompt for a tool, the same bytes in every call. ok is false for a tool that is not
// guarded.
func (g *Guard) Prefix(tool string) (text string, ok bool) {
	text, ok = g.prefix[tool]
	return text, ok
}

// Case is what a verifier is asked about one call.
type Case struct {
	Call domains.ToolCall
	// Messages is the conversation as the agent saw it, without private messages; the last is the one with the call.
	Messages []domains.Message
	Ticket   string // of a solo conversation
	// Silent leaves out what user and agent say: only calls and their results are told.
	Silent bool
}

// told are the messages that a verifier is shown.
func (c Case) told() []domains.Message {
	if !c.Silent {
		return c.Messages
	}
	var out []domains.Message
	for _, m := range c.Messages {
		switch {
		case m.Role == domains.RoleTool:
		case m.Role == domains.RoleAssistant && len(m.ToolCalls) > 0:
			m.Content = nil
		default:
			continue
		}
		out = append(out, m)
	}
	return out
}

type pending struct {
	Name      string      `json:"name"`
	Arguments value.Value `json:"arguments"`
}

// Text writes the part of a prompt that changes.
func (c Case) Text() (string, error) {
	call, err := oneLine(pending{c.Call.Name, value.OfMap(c.Call.ArgumentsMap())})
	if err != nil {
		return "", fmt.Errorf("guard prompt: %w", err)
	}
	lines, err := verify.WriteConversation(c.told(), nil)
	if err != nil {
		return "", fmt.Errorf("guard prompt: %w", err)
	}
	data := map[string]string{"Call": call, "Conversation": lines, "Tool": c.Call.Name}
	if c.Silent {
		data["Silent"] = "silent"
	}
	if c.Ticket != "" {
		if data["Ticket"], err = oneLine(c.Ticket); err != nil {
			return "", fmt.Errorf("guard prompt: %w", err)
		}
	}
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, "case.tmpl", data); err != nil {
		return "", fmt.Errorf("guard prompt: %w", err)
	}
	return b.String(), nil
}

func oneLine(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// ReadCase undoes Case.Text: what a scripted verifier answers from.
func ReadCase(text string) (Case, error) {
	call, ok := between(text, "call")
	if !ok {
		return Case{}, errors.New("the prompt has no call between <call> marks")
	}
	lines, silent := between(text, "calls")
	if !silent {
		if lines, ok = between(text, "conversation"); !ok {
			return Case{}, errors.New("the prompt has no conversation between <conversation> marks, and no calls between <calls> marks")
		}
	}
	var p pending
	if err := json.Unmarshal([]byte(call), &p); err != nil {
		return Case{}, fmt.Errorf("call: %w", err)
	}
	c := Case{Call: domains.ToolCall{Name: p.Name, Arguments: p.Arguments, Requestor: domains.AgentSide}, Silent: silent}
	var err error
	if c.Messages, _, err = verify.ReadConversation(lines); err != nil {
		return Case{}, err
	}
	if ticket, ok := between(text, "ticket"); ok {
		if err := json.Unmarshal([]byte(ticket), &c.Ticket); err != nil {
			return Case{}, fmt.Errorf("ticket: %w", err)
		}
	}
	return c, nil
}

// between returns what is between two marks, each on a line of its own.
func between(text, mark string) (string, bool) {
	_, rest, ok := strings.Cut("\n"+text, "\n<"+mark+">\n")
	if !ok {
		return "", false
	}
	inner, _, ok := strings.Cut("\n"+rest, "\n</"+mark+">")
	return strings.TrimPrefix(inner, "\n"), ok
}

// ReadChecklist finds the checklist in a static part; nil if it has none.
func ReadChecklist(prefix string) (*Checklist, error) {
	text, ok := between(prefix, "checklist")
	if !ok {
		return nil, nil
	}
	return ParseChecklist("checklist", []byte(text))
}
