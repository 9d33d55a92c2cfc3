package synthetic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// The mistakes, by their names in a config.
const (
	skipIdentify   = "skip_identify"
	actEarly       = "act_before_consent"
	wrongOrder     = "wrong_order"
	grantForbidden = "grant_forbidden"
	giveUp         = "give_up"
	skipDiagnosis  = "skip_diagnosis"
	noRetest       = "no_retest"
)

// drawn says which mistakes the agent of this trial makes.
type drawn map[string]bool

// draw draws each mistake from a stream of its own, so that one rate does not move the others' draws. An agent that is
// told the resolution makes none.
func draw(s Input) drawn {
	d := drawn{}
	if s.told() {
		return d
	}
	for name, p := range s.Config.Mistakes.rates() {
		if p > 0 && s.Chance("mistake "+name, p) {
			d[name] = true
		}
	}
	return d
}

// told reports whether the agent's prompt has the resolution.
func (s Input) told() bool {
	return strings.Contains(s.Request.Messages[0].Text(), "<resolution_steps>")
}

// isGuidance reports whether a message of the request is guidance to the agent: what the system says after the prompt.
func isGuidance(i int, m llm.Message) bool {
	return i > 0 && (m.Role == llm.System || m.Role == llm.Developer)
}

// follows draws whether the agent follows the n-th piece of guidance, from 0.
func (p *plan) follows(n int) bool {
	return p.input.Chance("guidance "+strconv.Itoa(n), p.input.Config.FollowsGuidance)
}

// chooseCareless picks the change that is made without consent, and the slip that goes with it.
func (p *plan) chooseCareless() error {
	if !p.drawn[actEarly] {
		return nil
	}
	var writes []int
	for i, st := range p.steps {
		if st.part == gold && st.write {
			writes = append(writes, i)
		}
	}
	if len(writes) == 0 {
		return nil
	}
	r := p.input.Stream("act_before_consent which")
	p.careless = writes[r.IntN(len(writes))]
	if p.knowledge.slips == nil {
		return nil
	}
	at, err := p.before(p.careless)
	if err != nil {
		return err
	}
	st := &p.steps[p.careless]
	slips := p.knowledge.slips(at, *st.call)
	r.Shuffle(len(slips), func(i, j int) { slips[i], slips[j] = slips[j], slips[i] })
	right := at.Call(domains.AgentSide, *st.call)
	for _, args := range slips {
		e, err := p.before(p.careless)
		if err != nil {
			return err
		}
		wrong := *st.call
		wrong.Arguments = args
		if res := e.Call(domains.AgentSide, wrong); !res.Error && (right.Error || len(at.Diff(e)) > 0) {
			st.slip = args
			return nil
		}
	}
	return nil
}

// before opens the world as the gold plan has made it before a step.
func (p *plan) before(n int) (*domains.Env, error) {
	e, err := p.input.env()
	if err != nil {
		return nil, err
	}
	for _, a := range p.input.actions() {
		c := a.Call()
		if c.Requestor == domains.AgentSide && sameCall(c, *p.steps[n].call) {
			return e, nil
		}
		if p.input.mutates(c.Name) {
			e.Call(c.Requestor, c)
		}
	}
	return e, nil
}

// order is the sequence in which an agent with these mistakes takes the steps, as indices; steps that it leaves out
// are missing. granted says that it has given in already.
func (p *plan) order(d drawn, granted bool) []int {
	granting := (d[grantForbidden] || granted) && contains(p.steps, grant)
	onTop := slices.ContainsFunc(p.steps, func(x step) bool { return x.part == grant && x.instead == nil })
	missed := p.missed(d)
	var out []int
	for i, st := range p.steps {
		leave := false
		switch st.part {
		case identity:
			leave = d[skipIdentify]
		case look:
			leave = d[skipDiagnosis]
		case retest:
			leave = d[noRetest] || d[wrongOrder]
		case grant, inquire:
			leave = !granting
		case firm:
			leave = granting && onTop
		case report, transfer:
			leave = granting && p.refusing
		case gold:
			leave = slices.Contains(missed, i) || (granting && p.displaced(st))
		}
		if !leave {
			out = append(out, i)
		}
	}
	if d[wrongOrder] {
		p.disarrange(out)
	}
	return out
}

// displaced reports whether a forbidden step takes the place of this one.
func (p *plan) displaced(st step) bool {
	return st.call != nil && slices.ContainsFunc(p.steps, func(x step) bool { return x.instead == st.call })
}

// missed lists the changing steps that an agent without diagnosis or re-test overlooks, if there are several.
func (p *plan) missed(d drawn) []int {
	var changes []int
	for i, st := range p.steps {
		if st.part == gold && st.changes {
			changes = append(changes, i)
		}
	}
	if len(changes) < 2 || p.knowledge.look == nil {
		return nil
	}
	var out []int
	if d[skipDiagnosis] {
		out = append(out, changes[p.input.Stream("skip_diagnosis which").IntN(len(changes))])
	}
	if d[noRetest] {
		out = append(out, changes[len(changes)-1])
	}
	return out
}

// disarrange puts the steps into a wrong order: one that needs another before that other; else two changes swapped;
// else a change before the reads and the diagnosis.
func (p *plan) disarrange(order []int) {
	for _, pair := range p.knowledge.chained {
		a, b := p.named(order, pair[0]), p.named(order, pair[1])
		if a >= 0 && b > a {
			move(order, b, a)
			return
		}
	}
	var changes []int // positions
	front := -1
	for at, i := range order {
		st := p.steps[i]
		switch {
		case st.part == gold && st.changes:
			changes = append(changes, at)
		case (st.part == gold || st.part == look) && front < 0:
			front = at
		}
	}
	switch {
	case len(changes) > 1 && p.knowledge.look == nil:
		at := p.input.Stream("wrong_order which").IntN(len(changes) - 1)
		order[changes[at]], order[changes[at+1]] = order[changes[at+1]], order[changes[at]]
	case len(changes) > 0 && front >= 0 && front < changes[0]:
		move(order, changes[0], front)
	}
}

// move takes the element at from to the place at to, before it.
func move(order []int, from, to int) {
	x := order[from]
	copy(order[to+1:from+1], order[to:from])
	order[to] = x
}

// named returns the position of the first gold step that makes a call of that tool, or has the user make it; -1 if
// there is none.
func (p *plan) named(order []int, tool string) int {
	for at, i := range order {
		st := p.steps[i]
		if st.part != gold {
			continue
		}
		if st.call != nil && st.call.Name == tool {
			return at
		}
		if st.call == nil && st.says == p.knowledge.instruct(domains.ToolCall{Name: tool, Arguments: value.OfMap(nil)}) {
			return at
		}
	}
	return -1
}

// point is the number of steps after which an agent that gives up does so: at least one, and before its last change.
func (p *plan) point() int {
	order := p.order(p.drawn, false)
	last := len(order) - 1
	for at, i := range order {
		if p.steps[i].changes {
			last = at
		}
	}
	if last < 1 {
		return 0
	}
	return 1 + p.input.Stream("give_up point").IntN(last)
}
