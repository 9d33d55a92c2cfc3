package coverage_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/coverage"
)

// randomGraph draws a small graph. Alphabets overlap: tools occur at several nodes, and some nodes are dead ends or out
// of reach.
func randomGraph(rnd *rand.Rand) *guide.Graph {
	n := 2 + rnd.IntN(5)
	id := func(i int) string {
		if i == n {
			return "end"
		}
		return fmt.Sprintf("n%d", i)
	}
	nodes := []*guide.Node{{ID: "start", Type: guide.Entry, Edges: []guide.Edge{{To: "n0", When: guide.Satisfied}}}}
	for i := range n {
		d := &guide.Node{ID: id(i), Local: id(i), File: "main.yaml"}
		edges := 1
		switch rnd.IntN(6) {
		case 0:
			d.Type = guide.AgentAction
		case 1:
			d.Type = guide.UserInput
		case 2:
			d.Type, d.Tools = guide.ToolCall, []string{string(rune('r' + rnd.IntN(3)))}
		case 3:
			d.Type, d.Tools = guide.ToolCall, []string{"r", "s"}
		case 4:
			d.Type, d.Tools = guide.Authorization, []string{string(rune('w' + rnd.IntN(2)))}
		case 5:
			d.Type, edges = guide.Decision, 2+rnd.IntN(2)
		}
		for k := range edges {
			d.Edges = append(d.Edges, guide.Edge{To: id(rnd.IntN(n + 1)), When: fmt.Sprintf("b%d", k)})
		}
		nodes = append(nodes, d)
	}
	nodes = append(nodes, &guide.Node{ID: "end", Type: guide.Exit})
	return guide.NewGraph("random", "start", nil, nodes)
}

// automaton is the graph's language, naively: states are nodes, words are lists of letters.
type automaton struct {
	g       *guide.Graph
	letters []string // of the agent
	all     []string // with the user's
}

// labels are the letters with which a node's step can be written down; a step of the user is a letter too.
func labels(n *guide.Node) []string {
	switch n.Type {
	case guide.AgentAction:
		return []string{"do " + n.File + ":" + n.Local}
	case guide.UserInput:
		return []string{"user " + n.ID}
	}
	var out []string
	for _, t := range n.Tools {
		out = append(out, "call "+t)
	}
	return out
}

func newAutomaton(g *guide.Graph) *automaton {
	a := &automaton{g: g}
	for _, n := range g.Nodes {
		for _, l := range labels(n) {
			if slices.Contains(a.all, l) {
				continue
			}
			a.all = append(a.all, l)
			if !strings.HasPrefix(l, "user ") {
				a.letters = append(a.letters, l)
			}
		}
	}
	return a
}

// speaking returns the nodes with a letter that come next after a node, over silent ones; and whether an exit does.
func (a *automaton) speaking(from string) (out []string, exit bool) {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		for _, to := range a.g.Next(id) {
			n, _ := a.g.Node(to)
			switch {
			case seen[to]:
			case n.Type == guide.Exit:
				exit = true
			case n.Type == guide.Decision:
				seen[to] = true
				visit(to)
			default:
				seen[to] = true
				out = append(out, to)
			}
		}
	}
	visit(from)
	slices.Sort(out)
	return out, exit
}

// completes reports whether some word from a node ends at an exit, trying words up to the number of nodes.
func (a *automaton) completes(from string, depth int) bool {
	next, exit := a.speaking(from)
	if exit {
		return true
	}
	return depth > 0 && slices.ContainsFunc(next, func(to string) bool { return a.completes(to, depth-1) })
}

// after returns where a run may be after each word; runs that cannot be completed are not valid.
func (a *automaton) step(states []string, letter string) []string {
	var out []string
	for _, s := range states {
		next, _ := a.speaking(s)
		for _, to := range next {
			n, _ := a.g.Node(to)
			if slices.Contains(labels(n), letter) && !slices.Contains(out, to) && a.completes(to, len(a.g.Nodes)) {
				out = append(out, to)
			}
		}
	}
	return out
}

// deterministic reports whether no word leads to two places.
func (a *automaton) deterministic() bool {
	for _, n := range a.g.Nodes {
		for _, l := range a.all {
			if len(a.step([]string{n.ID}, l)) > 1 {
				return false
			}
		}
	}
	return true
}

// deviations enumerates valid words up to a length and collects every (last place, agent letter) that leaves the
// language, and all places.
func (a *automaton) deviations() (found map[[2]string]bool, places map[string]bool) {
	found, places = map[[2]string]bool{}, map[string]bool{}
	if !a.completes("start", len(a.g.Nodes)) {
		return found, places
	}
	type word struct {
		place string
		n     int
	}
	seen := map[word]bool{}
	var visit func(w word)
	visit = func(w word) {
		if w.n > len(a.g.Nodes) || seen[w] {
			return
		}
		seen[w] = true
		places[w.place] = true
		for _, l := range a.all {
			next := a.step([]string{w.place}, l)
			if len(next) == 0 && slices.Contains(a.letters, l) {
				found[[2]string{w.place, l}] = true
			}
			for _, to := range next {
				visit(word{to, w.n + 1})
			}
		}
	}
	visit(word{"start", 0})
	return found, places
}

// guards reports whether an ideal verifier under a schedule keeps every run in the language: it searches for a run in
// which an event that leaves the language is committed because nobody was asked.
func (a *automaton) guards(fires func(place, letter string) bool) bool {
	if !a.completes("start", len(a.g.Nodes)) {
		return true
	}
	seen := map[string]bool{}
	todo := []string{"start"}
	for ; len(todo) > 0; todo = todo[1:] {
		place := todo[0]
		if seen[place] {
			continue
		}
		seen[place] = true
		for _, l := range a.all {
			next := a.step([]string{place}, l)
			agents := slices.Contains(a.letters, l)
			if len(next) == 0 && agents && !fires(place, l) {
				return false // committed unseen
			}
			todo = append(todo, next...)
		}
	}
	return true
}

func (a *automaton) mutates(letter string) bool { return letter == "call w" || letter == "call x" }

// fires restates the three schedules in the automaton's own terms.
func (a *automaton) fires(schedule string) func(place, letter string) bool {
	return func(place, letter string) bool {
		n, _ := a.g.Node(place)
		switch schedule {
		case "action-triggered":
			return a.mutates(letter)
		case "evaluated":
			return a.mutates(letter) || n.Type == guide.UserInput || place == "start"
		}
		return true
	}
}

// On 1,000 small random graphs the counts agree with enumeration of the language, and Theorem 1 and its corollaries
// hold: a schedule keeps every run in the language exactly if it covers every first deviation; the workflow-level one
// always does; the action-triggered one exactly if every deviation is a mutating call; the evaluated one exactly if
// each deviation follows a turn of the user or is a mutating call.
func TestAgreesWithBruteForce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 7))
	held, broken, uncovered := map[string]int{}, map[string]int{}, 0
	for done := 0; done < 1000; {
		g := randomGraph(rnd)
		a := newAutomaton(g)
		if !a.deterministic() {
			continue
		}
		done++
		want, places := a.deviations()
		r := coverage.Analyze(g, coverage.Schedules())
		if r.Deviations != len(want) || r.Positions != len(places) || r.Events != len(a.letters) {
			t.Fatalf("%d deviations at %d positions of %d events, brute force %d at %d of %d\n%s",
				r.Deviations, r.Positions, r.Events, len(want), len(places), len(a.letters), show(g))
		}
		allMutating, allSeen := true, true
		for d := range want {
			n, _ := g.Node(d[0])
			allMutating = allMutating && a.mutates(d[1])
			allSeen = allSeen && (a.mutates(d[1]) || n.Type == guide.UserInput || n.Type == guide.Entry)
		}
		for _, res := range r.Results {
			missed := 0
			for d := range want {
				if !a.fires(res.Schedule)(d[0], d[1]) {
					missed++
				}
			}
			if len(res.Uncovered) != missed || res.Covered != len(want)-missed {
				t.Fatalf("%s: %d uncovered, brute force %d\n%s", res.Schedule, len(res.Uncovered), missed, show(g))
			}
			for _, p := range res.Uncovered {
				if !want[[2]string{p.Position, p.Event.String()}] {
					t.Fatalf("%s: %v is no deviation\n%s", res.Schedule, p, show(g))
				}
				uncovered++
			}
			keeps := a.guards(a.fires(res.Schedule))
			if keeps != (missed == 0) {
				t.Fatalf("theorem 1: %s keeps runs valid: %v, but %d deviations are uncovered\n%s", res.Schedule, keeps, missed, show(g))
			}
			switch {
			case res.Schedule == "workflow-level" && !keeps,
				res.Schedule == "action-triggered" && keeps != allMutating,
				res.Schedule == "evaluated" && keeps != allSeen:
				t.Fatalf("corollary: %s keeps runs valid: %v\n%s", res.Schedule, keeps, show(g))
			}
			if keeps {
				held[res.Schedule]++
			} else {
				broken[res.Schedule]++
			}
		}
	}
	t.Logf("runs kept valid %v, not %v; %d uncovered pairs", held, broken, uncovered)
	for _, s := range []string{"action-triggered", "evaluated"} {
		if held[s] == 0 || broken[s] == 0 {
			t.Errorf("%s: the graphs show one side of the equivalence only (%d, %d)", s, held[s], broken[s])
		}
	}
}

func show(g *guide.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%s %s %v → %v\n", n.ID, n.Type, n.Tools, g.Next(n.ID))
	}
	return b.String()
}

func TestMock(t *testing.T) {
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	r := coverage.Analyze(g, coverage.Schedules())
	t.Logf("%d positions, %d events, %d deviations", r.Positions, r.Events, r.Deviations)
	last := -1.0
	for _, res := range r.Results {
		t.Logf("%s: %.1f %%", res.Schedule, 100*res.Share())
		if res.Share() <= last {
			t.Errorf("%s covers no more than the schedule before it", res.Schedule)
		}
		last = res.Share()
	}
	if last != 1 {
		t.Errorf("the workflow-level schedule covers %v", last)
	}
}
