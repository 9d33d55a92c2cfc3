package verify

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
	"github.com/tauguide/tauguide/guide/export"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// templates parses the prompts at their first use.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("prompts").ParseFS(promptFiles, "prompts/*.tmpl"))
})

// Workflow is what all conversations of a domain share: the workflow and what verifiers are told. It is immutable and safe
// for concurrent use.
type Workflow struct {
	World *domains.World
	Graph *guide.Graph
	// Hash is the SHA-256 of the workflow as prompts show it.
	Hash string
	// Files is the SHA-256 of what the files of a folder say, checks included; "" for what is built in.
	Files string
	// Origin is that of the bundle; nil if people wrote it.
	Origin *guide.Origin

	prefix  [2]string // static part of prompts, with the graph and with the raw policy alone
	tools   string
	checker func() (*guide.Checker, error)
}

// Load makes the workflow of a world with a bundle: a folder, or "" for the one that is built in.
func Load(w *domains.World, bundle string) (*Workflow, error) {
	b, err := loadBundle(w.Name, bundle)
	if err != nil {
		return nil, err
	}
	s, err := OfBundle(w, b)
	switch {
	case err != nil:
		return nil, fmt.Errorf("workflow in %s, for %s: %w", cmp.Or(bundle, "the program"), w.Name, err)
	case bundle != "":
		s.Files = b.Hash()
	}
	return s, nil
}

// OfBundle makes the workflow of a world with a bundle. The error has what the validator finds: a tool that a node misspells,
// that is another domain's, or of another kind, would not be guarded, whoever judges.
func OfBundle(w *domains.World, b *guide.Bundle) (*Workflow, error) {
	if bad := guide.Validate(b, guide.Context{Inventory: guide.InventoryOf(w), Vocabulary: checks.For(w)}).Errors(); len(bad) > 0 {
		return nil, bad
	}
	g, err := guide.Compose(b)
	if err != nil {
		return nil, err
	}
	s, err := NewWorkflow(w, g)
	if err == nil {
		s.Origin = b.Origin
	}
	return s, err
}

func loadBundle(domain, folder string) (*guide.Bundle, error) {
	if folder == "" {
		return guide.LoadShipped(domain)
	}
	b, err := guide.LoadFolder(folder)
	if err != nil {
		return nil, fmt.Errorf("workflow in %s: %w", folder, err)
	}
	b.Domain = domain // whatever the folder is called, so that a copy is the same workflow
	return b, nil
}

// NewWorkflow makes the workflow of a world with a graph.
func NewWorkflow(w *domains.World, g *guide.Graph) (*Workflow, error) {
	s := &Workflow{World: w, Graph: g, tools: ToolsDocument(w)}
	s.checker = sync.OnceValues(func() (*guide.Checker, error) {
		return guide.NewChecker(g, guide.InventoryOf(w), checks.For(w))
	})
	document := export.Prompt(g)
	sum := sha256.Sum256([]byte(document))
	s.Hash = hex.EncodeToString(sum[:])
	for i, workflow := range []string{document, ""} {
		var b strings.Builder
		data := map[string]string{"Policy": strings.TrimSpace(w.Policy), "Workflow": workflow, "Tools": s.tools, "Transfer": TransferTool}
		if err := templates().ExecuteTemplate(&b, "guide.tmpl", data); err != nil {
			return nil, fmt.Errorf("guide prompt of %s: %w", w.Name, err)
		}
		s.prefix[i] = b.String()
	}
	return s, nil
}

// Checker returns the workflow's checks, compiled at the first use.
func (s *Workflow) Checker() (*guide.Checker, error) { return s.checker() }

// Prefix is the static part of a verifier's prompt: the same bytes in every call of a domain. raw leaves the workflow
// out and has the verifier judge by the policy's text.
func (s *Workflow) Prefix(raw bool) string {
	if raw {
		return s.prefix[1]
	}
	return s.prefix[0]
}

// Document is the workflow for an agent's own prompt.
func (s *Workflow) Document() string { return export.Prompt(s.Graph) }

// Rules returns the rules of state for this workflow.
func (s *Workflow) Rules(raw bool) Rules {
	r := Rules{Graph: s.Graph, Mutates: s.World.Agent.Mutates, Walk: Exists, Stall: DefaultStall}
	if raw {
		r.Graph = nil
	}
	return r
}

// DefaultStall is how many firings in a row a request may stay where it is.
const DefaultStall = 5

// task writes the part of a prompt that changes: the conversation, what code has decided, the latest state.
func task(in Input, verdicts string) (string, error) {
	lines, err := WriteConversation(in.Messages, in.Refused)
	if err != nil {
		return "", err
	}
	state, err := json.Marshal(in.State)
	if err != nil {
		return "", fmt.Errorf("guide state: %w", err)
	}
	var b strings.Builder
	data := map[string]string{"Conversation": lines, "Verdicts": verdicts, "State": string(state)}
	if err := templates().ExecuteTemplate(&b, "task.tmpl", data); err != nil {
		return "", fmt.Errorf("guide prompt: %w", err)
	}
	return b.String(), nil
}

// The marks between which the changing parts of a prompt are, each on a line of its own.
const (
	conversationMark = "conversation"
	stateMark        = "state"
)

// ReadTask undoes the changing part of a prompt: what a scripted verifier answers from.
func ReadTask(text string) (Input, error) {
	lines, ok := between(text, conversationMark)
	if !ok {
		return Input{}, fmt.Errorf("the prompt has no conversation between <%s> marks", conversationMark)
	}
	record, ok := between(text, stateMark)
	if !ok {
		return Input{}, fmt.Errorf("the prompt has no state between <%s> marks", stateMark)
	}
	var in Input
	var err error
	if in.Messages, in.Refused, err = ReadConversation(lines); err != nil {
		return Input{}, err
	}
	if err := json.Unmarshal([]byte(record), &in.State); err != nil {
		return Input{}, fmt.Errorf("state: %w", err)
	}
	in.Trace = guide.NewTrace(in.Messages...)
	return in, nil
}

func between(text, mark string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<"+mark+">\n")
	if !ok {
		return "", false
	}
	if strings.HasPrefix(rest, "</"+mark+">") {
		return "", true
	}
	inner, _, ok := strings.Cut(rest, "\n</"+mark+">")
	return inner, ok
}
