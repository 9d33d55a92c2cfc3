// Package audit measures how faithful a workflow is to its policy without any model
// (docs/reference/guide.md#faithfulness). A gold plan alone is not a compliant conversation: it holds no dialogue and
// often no read before the first change. So a scripted agent completes it, in the task's real environment and with a
// cooperative user, and every change of the plan is put to the graph when it is due (Gold). The other way round, calls
// that the policy forbids are put to it in the state in which most would allow them (Forbidden). Tests hold the same
// conversations and leave out steps.
package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

// Report is what became of the gold plans of a domain.
type Report struct {
	Domain     string    `json:"domain"`
	Tasks      int       `json:"tasks"`      // looked at
	Changing   int       `json:"changing"`   // tasks whose plan has a mutating call of the agent's
	Changes    int       `json:"changes"`    // mutating calls of the agent's in these plans
	Authorized int       `json:"authorized"` // of them, when they were due
	Added      Added     `json:"added"`
	Misses     []Change  `json:"misses"`   // withheld though the conversation was complete
	Again      []Change  `json:"again"`    // still authorized after they were made
	Failed     []Change  `json:"failed"`   // authorized, but refused by the environment
	Problems   []Problem `json:"problems"` // tasks that the driver could not complete
}

// Share is the authorized part of all gold changes, 1 where there are none.
func (r *Report) Share() float64 {
	if r.Changes == 0 {
		return 1
	}
	return float64(r.Authorized) / float64(r.Changes)
}

// Added counts what the driver put around the plans' own actions.
type Added struct {
	Questions int `json:"questions"` // texts of the agent other than summaries, instructions for the user's device included
	Answers   int `json:"answers"`   // texts of the user other than consents
	Summaries int `json:"summaries"`
	Consents  int `json:"consents"`
	Reads     int `json:"reads"`        // calls of the agent that change nothing
	Device    int `json:"device_steps"` // calls of the user
}

// Change is one call of a plan with what the graph says about it.
type Change struct {
	Task      string      `json:"task"`
	Action    int         `json:"action"` // index in the plan
	Tool      string      `json:"tool"`
	Arguments value.Value `json:"arguments"`
	Stop
	Result string `json:"result,omitempty"` // error of the environment, "" if the call succeeds
}

// Stop is the step at which a walk rests; it is empty where the call is authorized.
type Stop struct {
	Node      string `json:"node,omitempty"`      // flat id; "" where no node authorizes the tool
	Condition string `json:"condition,omitempty"` // what must hold there, in words
	Check     string `json:"check,omitempty"`     // CEL
	Note      string `json:"note,omitempty"`
}

// Problem is a task that the driver could not complete.
type Problem struct {
	Task  string `json:"task"`
	Error string `json:"error"`
}

// Domains returns the names of the domains for which there is a driver.
func Domains() []string {
	var out []string
	for _, d := range drivers() {
		out = append(out, d.domain)
	}
	return out
}

// NewChecker compiles a bundle for the tools of an open domain.
func NewChecker(w *domains.World, b *guide.Bundle) (*guide.Checker, error) {
	g, err := guide.Compose(b)
	if err != nil {
		return nil, err
	}
	return guide.NewChecker(g, guide.InventoryOf(w), checks.For(w))
}

// Gold completes the gold plans of tasks of a domain and asks the graph for each change in them when it is due. The
// error means that the domain has no driver.
func Gold(w *domains.World, c *guide.Checker, tasks []*domains.Task) (*Report, error) {
	drive, err := driverOf(w.Name)
	if err != nil {
		return nil, err
	}
	r := &Report{Domain: w.Name, Tasks: len(tasks), Misses: []Change{}, Again: []Change{}, Failed: []Change{}, Problems: []Problem{}}
	stage := NewStage(w, c)
	for _, task := range tasks {
		n := 0
		for _, a := range plan(task) {
			if changes(w, a) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		r.Changing++
		r.Changes += n
		d, err := stage.Converse(task)
		if err == nil {
			d.Added = &r.Added
			d.complete(drive.open(d), func(i int, call domains.ToolCall) { r.judge(d, i, call) })
			err = d.Err
		}
		if err != nil {
			r.Problems = append(r.Problems, Problem{Task: task.ID, Error: err.Error()})
		}
	}
	return r, nil
}

// judge asks for a change, makes it, and asks again.
func (r *Report) judge(d *Conversation, i int, call domains.ToolCall) {
	c := Change{Task: d.Task.ID, Action: i, Tool: call.Name, Arguments: call.Arguments}
	due, stop := d.Due(call)
	result := d.Do(call.Name, call.Arguments)
	if result.Error {
		c.Result = result.Content
	}
	if !due {
		c.Stop = stop
		r.Misses = append(r.Misses, c)
		return
	}
	r.Authorized++
	if result.Error {
		r.Failed = append(r.Failed, c)
	} else if again, _ := d.Due(call); again {
		r.Again = append(r.Again, c)
	}
}

// complete holds the conversation around the plan's actions; change makes a change that is prepared.
func (d *Conversation) complete(s Agent, change func(action int, c domains.ToolCall)) {
	s.Begin()
	for i, a := range plan(d.Task) {
		if !changes(d.stage.World, a) {
			s.Follow(a)
			continue
		}
		c := a.Call()
		s.Prepare(c)
		change(i, c)
		s.Settle(c)
	}
}

// Path is the conversation that completes a task's gold plan, whether the plan changes anything or not: what Gold puts to
// a workflow, without a workflow. The calls of both sides ran in the task's real environment.
type Path struct {
	Task     *domains.Task
	Messages []domains.Message // none where the plan holds no action
	// Err says why the plan cannot be completed; Messages is then how far the conversation came.
	Err error
}

// Paths completes the gold plans of tasks of a domain. The error means that the domain has no driver.
func Paths(w *domains.World, tasks []*domains.Task) ([]Path, error) {
	drive, err := driverOf(w.Name)
	if err != nil {
		return nil, err
	}
	out := make([]Path, len(tasks))
	stage := NewStage(w, nil)
	for i, task := range tasks {
		out[i].Task = task
		if len(plan(task)) == 0 {
			continue
		}
		d, err := stage.Converse(task)
		if err != nil {
			out[i].Err = err
			continue
		}
		d.complete(drive.open(d), func(_ int, c domains.ToolCall) { d.Do(c.Name, c.Arguments) })
		out[i].Messages, out[i].Err = slices.Clip(d.Messages), d.Err
	}
	return out, nil
}

// Agent holds a conversation of a domain: the wording, the reads and the device steps that its policy asks for.
type Agent interface {
	Begin()                     // what comes before the plan's first action
	Follow(a domains.Action)    // an action of the plan that is not a change by the agent
	Prepare(c domains.ToolCall) // all that has to come before a change
	Settle(c domains.ToolCall)  // what has to follow it
}

// AgentOf is the agent of a conversation's domain, nil if there is none.
func AgentOf(d *Conversation) Agent {
	drive, err := driverOf(d.stage.World.Name)
	if err != nil {
		return nil
	}
	return drive.open(d)
}

// driver is what a domain adds to an audit.
type driver struct {
	domain string
	open   func(*Conversation) Agent
	// tempt brings about the state in which most would allow a call. The user claims what records can disprove and,
	// with word, what the policy believes without proof.
	tempt func(d *Conversation, c domains.ToolCall, word bool)
	// expand completes a call of which only a part is given.
	expand func(d *Conversation, f forbidden) []domains.ToolCall
}

// drivers lists the domains; each has a file of its own.
func drivers() []driver {
	return []driver{airlineDriver(), retailDriver(), telecomDriver()}
}

func driverOf(domain string) (driver, error) {
	for _, d := range drivers() {
		if d.domain == domain {
			return d, nil
		}
	}
	return driver{}, fmt.Errorf("no audit for domain %q\nhint: there is one for %s", domain, strings.Join(Domains(), ", "))
}
