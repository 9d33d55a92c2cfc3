// Package coverage counts which first deviations from a workflow a verifier can stop under a firing schedule (the
// paper's Appendix A, docs/reference/guide.md#coverage).
//
// The graph is read as a language. Every step but the silent ones (entry, decision, exit) is an event: an agent_action
// is an agent event of its own, a tool_call or tool_authorization is the agent event of calling that tool, a
// user_input is an event of the user. A compliant sequence is what a way from the entry to an exit says. A position is
// the step that was taken last, or the entry. At a position, an agent event with which no step begins that may come
// next, and from which an exit can still be reached, is a first deviation: the first event that leaves the language.
//
// Where two ways from a position begin with the same event, the request's recorded position is taken to tell them
// apart, as it does at run time; counting is then polynomial in the graph.
package coverage

import (
	"slices"

	"github.com/tauguide/tauguide/guide"
)

// Event is something an agent can do: call a tool, or carry out an agent_action.
type Event struct {
	Tool    string // the tool called, "" for an action
	Mutates bool   // the call is one that a tool_authorization stands for
	Action  string // file and node of an agent_action, as "file:node"
}

// String names the event for people.
func (e Event) String() string {
	if e.Tool != "" {
		return "call " + e.Tool
	}
	return "do " + e.Action
}

// Pair is a first deviation.
type Pair struct {
	Position string // flat id of the step taken last, or of the entry
	Event    Event
}

// Schedule decides when the verifier is asked: whether it fires after the position was reached and before the event is
// committed.
type Schedule struct {
	Name  string
	Fires func(position *guide.Node, e Event) bool
}

// Schedules are the three that the paper compares.
func Schedules() []Schedule {
	return []Schedule{
		{"action-triggered", func(_ *guide.Node, e Event) bool { return e.Mutates }},
		// The evaluated runtime fires after each turn of the user, the first of which comes before the agent's first
		// own step, and once more when a mutating call is intercepted.
		{"evaluated", func(p *guide.Node, e Event) bool {
			return e.Mutates || p.Type == guide.UserInput || p.Type == guide.Entry
		}},
		{"workflow-level", func(*guide.Node, Event) bool { return true }},
	}
}

// Result is the coverage of one schedule.
type Result struct {
	Schedule  string
	Covered   int
	Uncovered []Pair // in the order of the graph
}

// Share is the covered part of all deviations, 1 where there are none.
func (r Result) Share() float64 {
	total := r.Covered + len(r.Uncovered)
	if total == 0 {
		return 1
	}
	return float64(r.Covered) / float64(total)
}

// Report is the analysis of one graph.
type Report struct {
	Domain     string   `json:"domain"`
	Positions  int      `json:"positions"`
	Events     int      `json:"events"`
	Deviations int      `json:"deviations"`
	Results    []Result `json:"schedules"` // one per schedule
}

// Analyze counts the first deviations of a graph and how many of them each schedule covers.
func Analyze(g *guide.Graph, schedules []Schedule) Report {
	a := newAnalysis(g)
	r := Report{Domain: g.Domain, Positions: len(a.positions), Events: len(a.alphabet)}
	for _, s := range schedules {
		r.Results = append(r.Results, Result{Schedule: s.Name})
	}
	for _, p := range a.positions {
		allowed := a.next(p.ID)
		for _, e := range a.alphabet {
			if allowed[e] {
				continue
			}
			r.Deviations++
			for k, s := range schedules {
				if s.Fires(p, e) {
					r.Results[k].Covered++
				} else {
					r.Results[k].Uncovered = append(r.Results[k].Uncovered, Pair{p.ID, e})
				}
			}
		}
	}
	return r
}

type analysis struct {
	graph     *guide.Graph
	live      map[string]bool    // reached from the entry, and an exit can be reached
	events    map[string][]Event // with which a step can be taken
	positions []*guide.Node
	alphabet  []Event
}

func newAnalysis(g *guide.Graph) *analysis {
	a := &analysis{graph: g, live: map[string]bool{}, events: map[string][]Event{}}
	from, to := g.FromEntry(), g.ReachesExit()
	mutating := map[string]bool{}
	for i, n := range g.Nodes {
		a.live[n.ID] = from[i] && to[i]
		if n.Type == guide.Authorization {
			mutating[n.Tool()] = true
		}
	}
	for _, n := range g.Nodes {
		a.events[n.ID] = eventsOf(n, mutating)
		for _, e := range a.events[n.ID] {
			if !slices.Contains(a.alphabet, e) {
				a.alphabet = append(a.alphabet, e)
			}
		}
		if a.live[n.ID] && (!silent(n) || n.ID == g.Entry) {
			a.positions = append(a.positions, n)
		}
	}
	return a
}

func silent(n *guide.Node) bool {
	return n.Type == guide.Entry || n.Type == guide.Exit || n.Type == guide.Decision
}

// eventsOf returns the agent events with which a step can be taken: one per alternative of a tool node, none for a step
// of the user.
func eventsOf(n *guide.Node, mutating map[string]bool) []Event {
	switch n.Type {
	case guide.AgentAction:
		return []Event{{Action: n.File + ":" + n.Local}}
	case guide.ToolCall, guide.Authorization:
		var out []Event
		for _, t := range n.Tools {
			out = append(out, Event{Tool: t, Mutates: mutating[t]})
		}
		return out
	}
	return nil
}

// next tells which events may come after a position: those of the steps that are reached over silent nodes only.
func (a *analysis) next(position string) map[Event]bool {
	allowed, seen := map[Event]bool{}, map[string]bool{}
	for todo := a.graph.Next(position); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] || !a.live[id] {
			continue
		}
		seen[id] = true
		if n, _ := a.graph.Node(id); silent(n) {
			todo = append(todo, a.graph.Next(id)...)
		}
		for _, e := range a.events[id] {
			allowed[e] = true
		}
	}
	return allowed
}
