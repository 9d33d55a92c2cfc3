package flow

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

var (
	//go:embed prompts/role.md
	rolePart string
	//go:embed prompts/rules.md
	rulesPart string
	//go:embed prompts/tags.md
	tagsPart string
	//go:embed prompts/native.md
	nativePart string
	//go:embed prompts/format.md
	formatPart string
)

// Native is what the prompt of a tool-calling agent says beyond the policy.
func (s *Procedure) Native() string {
	return strings.TrimSpace(nativePart) + "\n\n" + strings.TrimSpace(rulesPart) + "\n\n" + section("procedure", s.Text)
}

// Prompt is the one message of the text protocol (docs/reference/baselines.md#text-protocol): role, rules, policy,
// procedure, APIs, history, state, form of the answer. All up to the history is the same in every request of a
// domain. state may be empty.
func (s *Procedure) Prompt(history, state string) string {
	if state == "" {
		state = "The next turn is yours."
	}
	return strings.Join([]string{
		strings.TrimSpace(rolePart), strings.TrimSpace(rulesPart), strings.TrimSpace(tagsPart), section("policy", s.World.Policy), section("procedure", s.Text),
		section("apis", apis(s.World.AgentTools())), section(historyMark, history), section("state", state), strings.TrimSpace(formatPart),
	}, "\n\n")
}

// IsPrompt reports whether a text is a message of the text protocol.
func IsPrompt(text string) bool { return strings.HasPrefix(text, strings.TrimSpace(rolePart)+"\n") }

const historyMark = "history"

func section(name, text string) string {
	return "<" + name + ">\n" + strings.TrimRight(text, "\n") + "\n</" + name + ">"
}

// apis lists the tools with the JSON Schema of their arguments, one on a line each.
func apis(tools []domains.ToolSpec) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "- API_%s: %s\n  Action Input: %s\n", t.Name, strings.Join(strings.Fields(t.Description), " "), t.Parameters)
	}
	return b.String()
}

// State words what the controllers would reject now, for a prompt; "" if there is nothing to say. It is the control
// before the decision of the later release (docs/reference/baselines.md#limits).
func (c *Controllers) State() string {
	var lines []string
	if b := c.Blocked(); len(b) > 0 {
		lines = append(lines, "These APIs cannot be called yet, because others must come first: "+strings.Join(b, ", ")+".")
	}
	if c.Repeated() {
		lines = append(lines, "You have just made the same call as before. Do not make it again with these arguments.")
	}
	return strings.Join(lines, "\n")
}

// Reply is an answer of the text protocol: words for the user, or a call.
type Reply struct {
	Thought  string
	Response string
	Action   string // name of the API, without API_; "" for a response
	Input    value.Value
}

var (
	labelForm = regexp.MustCompile(`(?i)^\s*(?:#+\s*)?(?:\*\*(thought|response|action input|action)(?:\*\*\s*:|\s*:\*\*)|(thought|response|action input|action)\s*:)[ \t]*`)
	nameForm  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
)

// Parse reads an answer. What comes before the first label is thought. The error says what keeps it from being one of the two
// forms; there is no guessing.
func Parse(text string) (Reply, error) {
	parts, err := split(text)
	if err != nil {
		return Reply{}, err
	}
	response, says := parts["response"]
	name, acts := parts["action"]
	input, filled := parts["action input"]
	r := Reply{Thought: parts["thought"]}
	switch {
	case says && (acts || filled):
		return Reply{}, errors.New("the answer has both Response and Action: give one of the two")
	case says && response == "":
		return Reply{}, errors.New("the Response is empty")
	case says:
		r.Response = response
		return r, nil
	case !acts && !filled:
		return Reply{}, errors.New("the answer has neither Response nor Action")
	case !acts:
		return Reply{}, errors.New("the answer has an Action Input without an Action")
	case !filled:
		return Reply{}, errors.New("the answer has an Action without an Action Input: give {} for no arguments")
	}
	if r.Action = strings.TrimPrefix(strings.Trim(name, "`\"'*"), "API_"); !nameForm.MatchString(r.Action) {
		return Reply{}, fmt.Errorf("the Action %q is not the name of an API", name)
	}
	v, err := value.ParseString(unfenced(input))
	if err != nil {
		return Reply{}, fmt.Errorf("the Action Input is not JSON: %w", err)
	}
	if v.Kind() != value.Object {
		return Reply{}, errors.New("the Action Input is not a JSON object")
	}
	r.Input = v
	return r, nil
}

// split cuts an answer at its labels.
func split(text string) (map[string]string, error) {
	parts, at := map[string]string{}, "thought"
	var here []string
	file := func() {
		if joined := strings.TrimSpace(strings.Join(here, "\n")); joined != "" || at != "thought" {
			parts[at] = joined
		}
		here = nil
	}
	seen := map[string]bool{}
	for line := range strings.Lines(unfenced(text)) {
		line = strings.TrimRight(line, "\r\n")
		m := labelForm.FindStringSubmatch(line)
		if m == nil {
			here = append(here, line)
			continue
		}
		file()
		at = strings.ToLower(m[1] + m[2])
		if seen[at] {
			return nil, fmt.Errorf("the answer has two parts %q: give one", at)
		}
		seen[at] = true
		here = append(here, line[len(m[0]):])
	}
	file()
	return parts, nil
}

// unfenced removes a code fence around a whole text.
func unfenced(text string) string {
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, "```") || !strings.HasSuffix(t, "```") || len(t) < 6 {
		return text
	}
	_, inner, ok := strings.Cut(t, "\n")
	if !ok {
		return strings.Trim(t, "`")
	}
	return strings.TrimSuffix(inner, "```")
}

// Text writes the reply in the form that Parse reads.
func (r Reply) Text() string {
	thought := ""
	if r.Thought != "" {
		thought = "Thought: " + r.Thought + "\n"
	}
	if r.Action == "" {
		return thought + "Response: " + r.Response
	}
	return thought + "Action: API_" + r.Action + "\nAction Input: " + r.Input.JSON()
}
