package author

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/sim"
)

// How many conversations are asked for at each authorization.
const (
	compliantExamples = 2
	violatingExamples = 3
)

// noExamples is how a model says that the policy has no case for an authorization.
const noExamples = "NO_EXAMPLES"

// Example is a conversation in which the agent makes a change, in keeping with the policy or against it.
type Example struct {
	Authorization string // the node of the composed workflow that it is about
	Name          string // compliant-1
	Tool          string
	Compliant     bool
	Breaks        []string // where the policy says otherwise, of a violating one
	Why           string
	Messages      []domains.Message

	call *guide.Call // the change
}

// Path is the example's file in the folder of the workflow.
func (e Example) Path() string { return path.Join(ExamplesDir, e.Authorization, e.Name+".json") }

// ExamplesDir is where the folder of a workflow has its examples, by authorization.
const ExamplesDir = provenance + "/examples"

// authorization is a node of the composed workflow with its tool.
type authorization struct{ id, tool string }

// illustrate has examples written for each authorization. Who writes them is told the policy and the kinds of request, but
// not the workflow, which they are put to. What cannot be used of a second answer is left out, and said.
func (w *writing) illustrate(ctx context.Context) error {
	if !w.Examples {
		return nil
	}
	g, err := guide.Compose(w.bundle())
	if err != nil {
		return err
	}
	reached := g.FromEntry()
	for i, n := range g.Nodes {
		if n.Type != guide.Authorization || !reached[i] {
			continue
		}
		at := authorization{n.ID, n.Tool()}
		w.illustrated = append(w.illustrated, at)
		data := map[string]any{"Node": at.id, "Tool": at.tool, "Intents": w.wants(g, at.id),
			"Compliant": compliantExamples, "Violating": violatingExamples, "None": noExamples}
		var got []*Example
		var bad error
		asked := 0
		err := w.ask(ctx, "examples.tmpl", "examples of "+at.id, data, func(answer string) error {
			asked++
			if got, bad = w.readExamples(answer, at); asked == 1 {
				return bad
			}
			return nil
		})
		if u := (*sim.UnusableError)(nil); errors.As(err, &u) { // cut off
			bad, err = u, nil
		}
		if err != nil {
			return err
		}
		w.examples = append(w.examples, got...)
		if bad != nil {
			w.spoilt = append(w.spoilt, at.id+": "+bad.Error())
			w.Log("examples of " + at.id + ": left out, because of " + strings.ReplaceAll(bad.Error(), "\n", " | "))
		}
	}
	return nil
}

// compliant are the examples that keep to the policy, if they were made up for the policy as it is.
func (w *writing) compliant() (out []compare.Trace) {
	if w.base != nil && w.base.updated() {
		return nil
	}
	for _, e := range w.examples {
		if e.Compliant {
			out = append(out, compare.Trace{Name: e.Authorization + " " + e.Name, Messages: e.Messages})
		}
	}
	return out
}

// wants are the planned intents that lead to a node.
func (w *writing) wants(g *guide.Graph, node string) (out []Intent) {
	c := g.Classifier()
	if c == nil {
		return nil
	}
	for _, e := range c.Edges {
		for _, in := range w.plan.Intents {
			if in.Label == e.When && g.Reachable(e.To, c.ID)[node] {
				out = append(out, in)
			}
		}
	}
	return out
}

// exampleFile is the form of an example: a conversation as chat completions have it, with what it is.
type exampleFile struct {
	Tool     string          `json:"tool,omitempty"`
	Breaks   []string        `json:"breaks,omitempty"`
	Why      string          `json:"why,omitempty"`
	Messages json.RawMessage `json:"messages"`
}

var examplePattern = regexp.MustCompile(`^(compliant|violating)-[1-9]$`)

// readExamples reads the conversations of an answer: those that can be used, and what is wrong with the others.
func (w *writing) readExamples(answer string, at authorization) (out []*Example, err error) {
	if strings.Contains(answer, noExamples) {
		if list, err := blocks(answer); err == nil && len(list) == 0 {
			return nil, nil
		}
	}
	texts, err := files(answer, "")
	if err != nil {
		return nil, short(err)
	}
	var bad []error
	kinds := map[bool]int{}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		e := &Example{Authorization: at.id, Tool: at.tool, Name: strings.TrimSuffix(path.Base(file), ".json")}
		if !examplePattern.MatchString(e.Name) {
			bad = append(bad, fmt.Errorf("%s was not asked for: name them compliant-1.json, violating-1.json and so on", file))
			continue
		}
		e.Compliant = strings.HasPrefix(e.Name, "compliant")
		kinds[e.Compliant]++
		if err := w.readExample(e, texts[file]); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", file, err))
			continue
		}
		out = append(out, e)
	}
	for _, kind := range []string{"compliant-1.json", "violating-1.json"} {
		if kinds[strings.HasPrefix(kind, "compliant")] == 0 {
			bad = append(bad, fmt.Errorf("%s is missing: write at least one of each kind", kind))
		}
	}
	if len(bad) > 0 {
		err = short(errors.Join(bad...))
	}
	return out, err
}

func (w *writing) readExample(e *Example, text string) error {
	raw, err := strict(text)
	if err != nil {
		return err
	}
	var f exampleFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	e.Breaks, e.Why = f.Breaks, f.Why
	if w.moved != nil {
		e.Breaks = w.moved(f.Breaks)
	}
	chats, err := sim.ParseChats(e.Name, raw)
	if err != nil {
		return err
	}
	if len(chats) != 1 {
		return errors.New("it is not one conversation")
	}
	e.Messages = chats[0].Messages
	return e.check(w.Source)
}

// check holds an example against the tools and the policy: whatever the workflow makes of it, it must be what it says.
func (e *Example) check(src Source) error {
	var bad []error
	trace := guide.NewTrace(e.Messages...)
	for _, c := range trace.Calls {
		t, ok := src.Inventory.Agent.Tool(c.Name)
		if !ok {
			bad = append(bad, fmt.Errorf("message %d: the agent has no tool %s", c.Index, c.Name))
			continue
		}
		if err := fits(t.Spec, c.Args); err != nil {
			bad = append(bad, fmt.Errorf("message %d: %w", c.Index, err))
		}
	}
	if e.call = trace.LastOK(e.Tool); e.call == nil {
		return errors.Join(append(bad, fmt.Errorf("%s is never called with success: the change has to be made, with its result", e.Tool))...)
	}
	switch {
	case !e.Compliant && len(e.Breaks) == 0:
		bad = append(bad, errors.New("breaks is missing: cite the lines of the policy that it breaks"))
	case e.Compliant && len(e.Breaks) > 0:
		bad = append(bad, errors.New("breaks is of a violating conversation: leave it out, or name the file so"))
	}
	for _, ref := range e.Breaks {
		if _, err := src.resolve(ref); err != nil {
			bad = append(bad, fmt.Errorf("breaks: %w", err))
		}
	}
	if lost := e.ungrounded(); e.Compliant && len(lost) > 0 {
		bad = append(bad, fmt.Errorf("message %d: neither the user nor a result before the call of %s has %s: read it first, or have the user say it", e.call.Index, e.Tool, strings.Join(lost, ", ")))
	}
	return errors.Join(bad...)
}

// ungrounded are the identifiers among the arguments of the change that nothing before it has shown.
func (e *Example) ungrounded() (out []string) {
	var known strings.Builder
	for _, m := range e.Messages[:e.call.Index] {
		if m.Role != domains.RoleAssistant && m.Role != domains.RoleSystem && m.Role != domains.RoleDeveloper {
			known.WriteString(strings.ToLower(m.TextOf()) + "\n")
		}
	}
	var look func(v value.Value)
	look = func(v value.Value) {
		if m, ok := v.Map(); ok {
			for _, x := range m.All() {
				look(x)
			}
		}
		items, _ := v.Items()
		for _, x := range items {
			look(x)
		}
		text, ok := v.Text()
		if ok && identifies(text) && !strings.Contains(known.String(), strings.ToLower(text)) {
			out = append(out, text)
		}
	}
	look(value.OfMap(e.call.Args))
	return out
}

// identifies reports whether a text is an id rather than words or a date: it has digits, letters and no space.
func identifies(text string) bool {
	return !strings.ContainsFunc(text, unicode.IsSpace) && strings.ContainsFunc(text, unicode.IsDigit) && strings.ContainsFunc(text, unicode.IsLetter)
}

// fits checks arguments against a tool's parameters.
func fits(t domains.ToolSpec, args *value.Map) error {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(t.Parameters))
	if err != nil {
		return nil // a tool without a schema takes anything
	}
	c := jsonschema.NewCompiler()
	const here = "tool:parameters"
	if err := c.AddResource(here, schema); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	text, err := value.OfMap(args).MarshalJSON()
	if err != nil {
		return err
	}
	given, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = compiled.Validate(given)
	}
	if err != nil {
		return fmt.Errorf("the arguments of %s do not fit the tool: %s", t.Name, strings.Join(strings.Fields(err.Error()), " "))
	}
	return nil
}

// recall takes up the examples of a published workflow again, to see what has become of them. Those that no longer fit
// policy and tools are left out.
func (w *writing) recall() {
	files := w.base.files
	for _, name := range slices.Sorted(maps.Keys(files)) {
		dir, file := path.Split(name)
		if path.Dir(path.Clean(dir)) != ExamplesDir {
			continue
		}
		var f exampleFile
		e := &Example{Authorization: path.Base(dir), Name: strings.TrimSuffix(file, ".json"), Compliant: strings.HasPrefix(file, "compliant")}
		err := json.Unmarshal([]byte(files[name]), &f)
		if e.Tool = f.Tool; err == nil {
			err = w.readExample(e, files[name])
		}
		if at := (authorization{e.Authorization, e.Tool}); !slices.Contains(w.illustrated, at) {
			w.illustrated = append(w.illustrated, at)
		}
		w.Examples = true
		if err != nil {
			w.spoilt = append(w.spoilt, name+": "+err.Error())
			continue
		}
		w.examples = append(w.examples, e)
	}
}

// text is the example's file.
func (e *Example) text() (string, error) {
	chat, err := sim.WriteChat(e.Messages)
	if err != nil {
		return "", err
	}
	f := exampleFile{Tool: e.Tool, Breaks: e.Breaks, Why: e.Why}
	if err := json.Unmarshal(chat, &f); err != nil {
		return "", err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(f)
	return b.String(), err
}
