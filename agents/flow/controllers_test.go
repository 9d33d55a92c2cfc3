package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents/flow"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/export"
)

// chain is a procedure: open before read, open and read before write; free and done wait for nothing.
func chain(t testing.TB) *flow.Procedure {
	t.Helper()
	s, err := flow.NewProcedure(domaintest.Embedded(t, mock.Domain(), domains.Options{}), &export.PDL{Name: "chain", APIs: []export.PDLTool{
		{Name: "open"}, {Name: "read", Preconditions: []string{"open"}}, {Name: "write", Preconditions: []string{"open", "read"}}, {Name: "free"}, {Name: "done"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// talk is a conversation in which an agent proposes messages and the controllers look at them.
type talk struct {
	c    *flow.Controllers
	view []domains.Message
}

func (k *talk) add(m domains.Message) {
	i := len(k.view)
	m.TurnIdx = &i
	k.view = append(k.view, m)
}

// propose puts a message to the controllers, written as "name name{json}" or "say". It returns "" if it passes, else
// the controller and the name of the call. held leaves a message that passes out of the conversation, as another guard does.
func (k *talk) propose(t testing.TB, message string, held bool) string {
	t.Helper()
	if message == "say" {
		k.add(domains.Message{Role: domains.RoleAssistant, Content: domains.Text("Well.")})
		k.add(domains.Message{Role: domains.RoleUser, Content: domains.Text("Yes.")})
		return ""
	}
	var calls []domains.ToolCall
	for _, word := range strings.Fields(message) {
		name, args, _ := strings.Cut(word, "{")
		c := domains.ToolCall{Name: name, Arguments: value.OfMap(nil), Requestor: domains.AgentSide}
		if args != "" {
			v, err := value.ParseString("{" + args)
			if err != nil {
				c.Malformed, c.Reason = args, err.Error()
			}
			c.Arguments = v
		}
		calls = append(calls, c)
	}
	k.c.Hear(k.view)
	r := k.c.Look(calls)
	m := domains.Message{Role: domains.RoleAssistant, ToolCalls: calls}
	if r != nil {
		k.view = append(k.view, m) // private
		return r.Controller + " " + calls[r.Call].Name
	}
	if held {
		k.view = append(k.view, m)
		return ""
	}
	k.add(m)
	for _, c := range calls {
		k.add(domains.ResultMessage(c, domains.ToolResult{Content: "Error: no", Error: true})) // activation asks for no success
	}
	return ""
}

func TestControllers(t *testing.T) {
	both := flow.Options{Dependency: true, Duplicates: true, Threshold: 2}
	for _, tt := range []struct {
		name string
		opts flow.Options
		talk []string // proposals with what becomes of them after " → "; held by another guard after a leading !
	}{
		{"all preconditions must hold", both, []string{"write → dependency write", "open", "write → dependency write", "read", "write"}},
		{"a failed call activates", both, []string{"open", "read"}},
		{"activation whatever the arguments", both, []string{`open{"x":1}`, "read"}},
		{"activation of malformed arguments", both, []string{`open{oops`, "read"}},
		{"never reset", both, []string{"open", "read", "write", "say", "say", "write", "read"}},
		{"unknown name", both, []string{"open_all → dependency open_all", "say", "Open → dependency Open"}},
		{"unknown name without the controller", flow.Options{Duplicates: true, Threshold: 2}, []string{"open_all", "write", "open_all"}},
		{"second equal call", both, []string{"open", "open → duplicates open", "open → duplicates open", "free", "open"}},
		{"words come between", both, []string{"open", "say", "open"}},
		{"another call comes between", both, []string{"open", "free", "open", "free"}},
		{"other arguments", both, []string{`open{"x":1}`, `open{"x":2}`, `open{"x":2} → duplicates open`}},
		{"order of arguments", both, []string{`open{"x":1,"y":2}`, `open{"y":2,"x":1} → duplicates open`}},
		{"equal malformed arguments", both, []string{`open{oops`, `open{oops → duplicates open`, `open{oh`}},
		{"a rejected call is an action", both, []string{"free", "read → dependency read", "free"}},
		{"dependency before duplicates", both, []string{"read → dependency read", "read → dependency read", "open", "read"}},
		{"activated before the duplicates controller", both, []string{"open", "open → duplicates open", "read"}},
		{"a call rejected for its order comes again in order", both, []string{"read → dependency read", "open", "read"}},
		{"threshold", flow.Options{Duplicates: true, Threshold: 3}, []string{"open", "open", "open → duplicates open", "say", "open", "open", "open → duplicates open"}},
		{"duplicates off", flow.Options{Dependency: true, Threshold: 2}, []string{"open", "open", "open"}},
		{"both off", flow.Options{Threshold: 2}, []string{"write", "write", "nothing"}},
		{"several calls in order", both, []string{"open read write"}},
		{"several calls out of order", both, []string{"write open → dependency write", "open write → dependency write", "read → dependency read"}},
		{"a rejected message activates nothing", both, []string{"open write → dependency write", "read → dependency read", "open"}},
		{"a rejected message leaves no action", both, []string{"free", "open open → duplicates open", "free → duplicates free", "open"}},
		{"twice in one message", both, []string{"free free → duplicates free", "free"}},
		{"first of several repeats the last", both, []string{"open free", "free open → duplicates free", "open free → duplicates open"}},
		{"several calls again", both, []string{"say", "free done free", "done", "done → duplicates done"}},
		{"a call that another guard holds is no action", both, []string{"!open", "open", "open → duplicates open"}},
		{"but is activated", both, []string{"!open", "read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &talk{c: flow.NewControllers(chain(t), tt.opts)}
			for i, line := range tt.talk {
				message, want, _ := strings.Cut(line, " → ")
				message, held := strings.CutPrefix(message, "!")
				if got := k.propose(t, message, held); got != want {
					t.Fatalf("%d: %s: got %q, want %q", i, message, got, want)
				}
			}
		})
	}
}

// What is in a conversation from the start counts as made.
func TestHistoryCounts(t *testing.T) {
	k := &talk{c: flow.NewControllers(chain(t), flow.Options{Dependency: true, Duplicates: true, Threshold: 2})}
	k.add(domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{{Name: "open", Arguments: value.OfMap(nil)}}})
	if got := k.propose(t, "read", false); got != "" {
		t.Error(got)
	}
}

func TestRejectionsSayWhatToDo(t *testing.T) {
	c := flow.NewControllers(chain(t), flow.Options{Dependency: true, Duplicates: true, Threshold: 2})
	r := c.Look([]domains.ToolCall{{Name: "write"}})
	if r == nil || r.Missing != "open" || !strings.Contains(r.Reason, "open before write") {
		t.Errorf("%+v: names the first missing one and the target", r)
	}
	if r := c.Look([]domains.ToolCall{{Name: "fly"}}); r == nil || r.Missing != "" || !strings.Contains(r.Reason, "no API fly") {
		t.Errorf("%+v", r)
	}
}

func TestState(t *testing.T) {
	k := &talk{c: flow.NewControllers(chain(t), flow.Options{Dependency: true, Duplicates: true, Threshold: 2})}
	if got, want := k.c.Blocked(), []string{"read", "write"}; !slices.Equal(got, want) {
		t.Errorf("blocked %v, want %v", got, want)
	}
	k.propose(t, "open", false)
	k.c.Hear(k.view)
	if got := k.c.State(); !strings.Contains(got, "first: write.") || !strings.Contains(got, "same call") {
		t.Errorf("state %q", got)
	}
	k.propose(t, "say", false)
	k.c.Hear(k.view)
	if k.c.Repeated() {
		t.Error("words were repeated")
	}
	off := flow.NewControllers(chain(t), flow.Options{Threshold: 2})
	off.Look([]domains.ToolCall{{Name: "read"}})
	if got := off.State(); got != "" {
		t.Errorf("controllers that are off warn of %q", got)
	}
}

func TestUnknownPrecondition(t *testing.T) {
	_, err := flow.NewProcedure(nil, &export.PDL{Name: "d", APIs: []export.PDLTool{{Name: "a", Preconditions: []string{"b"}}}})
	if err == nil || !strings.Contains(err.Error(), "API a has the precondition b, which is no API") {
		t.Errorf("error %v", err)
	}
}

// No completed gold path (docs/reference/guide.md#bundles) of any task is rejected for the order of its calls. The
// driver that completes a plan looks a record up although the plan has done so in the call before, or does next; what
// the duplicates controller rejects is these second looks and nothing else. No plan holds the same call of the
// agent's twice in a row.
func TestGoldPathsPass(t *testing.T) {
	for _, tt := range []struct {
		data, domain               string
		tasks, paths, calls, looks int
	}{
		{"embedded", "airline", 14, 14, 81, 17}, {"embedded", "retail", 16, 16, 95, 7}, {"embedded", "telecom", 14, 14, 92, 5},
		{"tau2", "airline", 50, 43, 289, 16}, {"tau2", "retail", 114, 112, 965, 17}, {"tau2", "telecom", 114, 114, 680, 0},
	} {
		t.Run(tt.data+"/"+tt.domain, func(t *testing.T) {
			d, err := all.Domain(tt.domain)
			if err != nil {
				t.Fatal(err)
			}
			open := domaintest.Embedded
			if tt.data == "tau2" {
				open = domaintest.Real
			}
			w := open(t, d, domains.Options{})
			s, err := flow.Load(w, "")
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := w.Select("base")
			if err != nil {
				t.Fatal(err)
			}
			found, err := audit.Paths(w, tasks)
			if err != nil {
				t.Fatal(err)
			}
			paths, calls, looks := 0, 0, 0
			for _, p := range found {
				planRepeats(t, p.Task)
				if p.Messages == nil {
					continue
				}
				paths++
				c := flow.NewControllers(s, flow.Options{Dependency: true, Duplicates: true, Threshold: 2})
				for i, m := range p.Messages {
					p.Messages[i].TurnIdx = &i
					if m.Role != domains.RoleAssistant || m.ToolCalls == nil {
						continue
					}
					calls += len(m.ToolCalls)
					c.Hear(p.Messages[:i])
					switch r := c.Look(m.ToolCalls); {
					case r == nil:
					case r.Controller == flow.Duplicates && !w.Agent.Mutates(m.ToolCalls[r.Call].Name):
						looks++
					default:
						t.Errorf("task %s, message %d: %s rejects %s: %s", p.Task.ID, i, r.Controller, m.ToolCalls[r.Call].Name, r.Reason)
					}
				}
			}
			t.Logf("%d tasks, %d completed gold paths, %d calls of the agent, %d second looks", len(tasks), paths, calls, looks)
			if len(tasks) != tt.tasks || paths != tt.paths || calls != tt.calls || looks != tt.looks {
				t.Errorf("%d tasks, %d paths, %d calls, %d second looks; want %d, %d, %d, %d",
					len(tasks), paths, calls, looks, tt.tasks, tt.paths, tt.calls, tt.looks)
			}
		})
	}
}

// planRepeats fails the test if a plan holds the same call of the agent's twice in a row.
func planRepeats(t *testing.T, task *domains.Task) {
	t.Helper()
	if task.Criteria == nil {
		return
	}
	var last *domains.Action
	for _, a := range task.Criteria.Actions {
		if a.Requestor != domains.AgentSide {
			continue
		}
		if last != nil && a.Name == last.Name && value.Equal(a.Arguments, last.Arguments) {
			t.Errorf("task %s plans %s twice in a row", task.ID, a.Name)
		}
		last = &a
	}
}
