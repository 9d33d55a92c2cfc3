package synthetic

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	workflow "github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// example is a conversation that the scripted author hands out: a file, and what is in it.
type example struct {
	name     string
	text     []byte
	messages []domains.Message
	call     domains.ToolCall // the change that it is about
}

// How many of each kind the scripted author has.
const (
	compliant = 2
	violating = 3
)

// illustrate answers with the examples of an authorization.
func (l *library) illustrate(w *domains.World, node, tool string) (llm.Message, error) {
	list, err := l.examples(w, node, tool)
	if err != nil {
		return llm.Message{}, err
	}
	if len(list) == 0 {
		return synthetic.Say("NO_EXAMPLES"), nil
	}
	var out []string
	for _, e := range list {
		out = append(out, fenced(e.name, e.text))
	}
	return synthetic.Say(strings.Join(out, "\n")), nil
}

// examples are the conversations about an authorization: those in the folder of the reference, where there is one; or else
// gold plans that come to the change by way of it, completed to conversations, and the same without an event that the
// built-in checks miss.
func (l *library) examples(w *domains.World, node, tool string) ([]example, error) {
	return agents.Cached(&l.cache, [3]any{"examples", w, node}, func() ([]example, error) {
		if l.reference != nil && l.reference.Folder != nil {
			return kept(l.reference.Folder, node, tool)
		}
		if !slices.Contains(audit.Domains(), w.Name) {
			return nil, nil
		}
		p, err := l.policy(w)
		if err != nil {
			return nil, err
		}
		c, err := p.workflow.Checker()
		if err != nil {
			return nil, err
		}
		paths, err := agents.Cached(&l.cache, [2]any{"paths", w}, func() ([]audit.Path, error) {
			tasks, err := w.Select("")
			if err != nil {
				return nil, err
			}
			return audit.Paths(w, tasks)
		})
		if err != nil {
			return nil, err
		}
		return examplesOf(paths, c, node, tool)
	})
}

func examplesOf(paths []audit.Path, c *guide.Checker, node, tool string) (out []example, err error) {
	var bad []example
	lacks := map[string]bool{}
	for _, p := range paths {
		made := 0
		for _, call := range guide.NewTrace(p.Messages...).CallsOf(tool) {
			at := position(c, p.Messages[:call.Index], call, made)
			if call.OK {
				made = call.Index + 1
			}
			if at.Authorizes != tool || at.Node != node || !call.OK {
				continue
			}
			msgs := p.Messages[:call.Index+1+len(p.Messages[call.Index].ToolCalls)]
			if len(out) < compliant {
				e, err := newExample(fmt.Sprintf("compliant-%d.json", len(out)+1), "the gold plan of task "+p.Task.ID, nil, msgs, call)
				if err != nil {
					return nil, err
				}
				out = append(out, e)
			}
			for i := call.Index - 1; i >= 0 && len(bad) < violating; i-- {
				event := compare.EventOf(msgs[i])
				if event == "" {
					continue
				}
				at := position(c, compare.Without(msgs[:call.Index], i), call, made)
				n, ok := c.Graph().Node(at.Node)
				if at.Authorizes == tool || at.Done || !ok || len(n.Policy) == 0 || lacks[n.ID] {
					continue
				}
				lacks[n.ID] = true
				e, err := newExample(fmt.Sprintf("violating-%d.json", len(bad)+1), "the gold plan of task "+p.Task.ID+" without "+event, n.Policy, compare.Without(msgs, i), call)
				if err != nil {
					return nil, err
				}
				bad = append(bad, e)
			}
		}
	}
	if len(out) == 0 || len(bad) == 0 {
		return nil, nil
	}
	return append(out, bad...), nil
}

// position is where a call stands after messages; successes before since count for other requests.
func position(c *guide.Checker, before []domains.Message, call *guide.Call, since int) guide.Position {
	p, _ := c.Authorize(guide.NewTrace(before...), call.ToolCall(), min(since, len(before)))
	return p
}

func newExample(name, why string, breaks []string, msgs []domains.Message, call *guide.Call) (example, error) {
	chat, err := sim.WriteChat(msgs)
	if err != nil {
		return example{}, err
	}
	file := map[string]any{"why": why}
	if err := json.Unmarshal(chat, &file); err != nil {
		return example{}, err
	}
	if breaks != nil {
		file["breaks"] = breaks
	}
	text, err := json.MarshalIndent(file, "", "  ")
	return example{name, append(text, '\n'), msgs, call.ToolCall()}, err
}

// kept reads the examples in the folder of a workflow.
func kept(folder fs.FS, node, tool string) (out []example, err error) {
	names, err := fs.Glob(folder, path.Join(workflow.ExamplesDir, node, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		chats, err := sim.ParseChats(name, text)
		if err != nil {
			return nil, err
		}
		e := example{name: path.Base(name), text: append(text, '\n'), messages: chats[0].Messages}
		if call := guide.NewTrace(e.messages...).LastOK(tool); call != nil {
			e.call = call.ToolCall()
		}
		out = append(out, e)
	}
	return out, nil
}

// foreseen are the changes of the examples that a conversation is the beginning of, those of short ones first: what its
// user is going to want.
func (l *library) foreseen(w *domains.World, g *guide.Graph, msgs []domains.Message) ([]domains.ToolCall, error) {
	var fit []example
	for _, n := range g.Nodes {
		if n.Type != guide.Authorization {
			continue
		}
		list, err := l.examples(w, n.ID, n.Tool())
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if begins(e.messages, msgs) {
				fit = append(fit, e)
			}
		}
	}
	slices.SortStableFunc(fit, func(a, b example) int { return len(a.messages) - len(b.messages) })
	var out []domains.ToolCall
	for _, e := range fit {
		same := func(c domains.ToolCall) bool {
			return c.Name == e.call.Name && value.Equal(c.Arguments, e.call.Arguments)
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, e.call)
		}
	}
	return out, nil
}

// begins reports whether what the agent sees of a conversation begins with the messages.
func begins(whole, msgs []domains.Message) bool {
	whole = slices.DeleteFunc(slices.Clone(whole), func(m domains.Message) bool { return !sim.Visible(m, sim.AgentSide) })
	return len(whole) >= len(msgs) && slices.EqualFunc(whole[:len(msgs)], msgs, func(a, b domains.Message) bool {
		return a.Role == b.Role && (a.Role == domains.RoleTool || a.TextOf() == b.TextOf()) && len(a.ToolCalls) == len(b.ToolCalls)
	})
}

// The defects of examples.
const (
	PhantomCall     Defect = "phantom_call"     // a tool is called that the agent does not have
	LostWrite       Defect = "lost_write"       // the change is not made
	AbsentBreach    Defect = "absent_breach"    // a line is broken that is not there
	WrongArgument   Defect = "wrong_argument"   // a call has an argument that its tool does not know
	FalselyInnocent Defect = "falsely_innocent" // what breaks the policy is handed out as compliant
)

func exampleDefects() []Defect {
	return []Defect{PhantomCall, LostWrite, AbsentBreach, WrongArgument, FalselyInnocent}
}

var exampleBlock = regexp.MustCompile("(?s)((?:compliant|violating)-1\\.json)\n```json\n(.*?)\n```")

// misillustrate makes a mistake in examples.
func (s spoiler) misillustrate(d Defect, answer string) (string, bool) {
	texts := map[string]string{}
	for _, m := range exampleBlock.FindAllStringSubmatch(answer, -1) {
		texts[m[1]] = m[2]
	}
	good, bad := texts["compliant-1.json"], texts["violating-1.json"]
	var file object
	if good == "" || bad == "" || json.Unmarshal([]byte(bad), &file) != nil {
		return "", false
	}
	old := good
	if d == AbsentBreach {
		file["breaks"], old = []any{"policy.md:9999"}, bad
	} else if delete(file, "breaks"); d != FalselyInnocent && (json.Unmarshal([]byte(good), &file) != nil || !misplay(d, file)) {
		return "", false
	}
	text, err := json.MarshalIndent(file, "", "  ")
	return strings.Replace(answer, old, string(text), 1), err == nil
}

// misplay makes a mistake in the calls of a conversation.
func misplay(d Defect, file object) bool {
	list, _ := file["messages"].([]any)
	if d == LostWrite { // its call and the result come last
		file["messages"] = list[:len(list)-2]
		return true
	}
	for _, m := range objects(file["messages"]) {
		for _, c := range objects(m["tool_calls"]) {
			fn, _ := c["function"].(object)
			if m["role"] != "assistant" {
				continue
			}
			if d == PhantomCall {
				fn["name"] = fn["name"].(string) + "_now"
			} else {
				fn["arguments"] = `{"no_such_argument": 1}`
			}
			return true
		}
	}
	return false
}
