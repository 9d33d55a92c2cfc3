package synthetic

import (
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// part is what a step is for.
type part uint8

const (
	gold     part = iota // of the gold plan
	identity             // finding out who is calling
	look                 // looking at the trouble before changing it
	retest               // looking again afterwards
	refuse               // the first no
	firm                 // the second no
	inquire              // a read that the forbidden thing would rest on
	grant                // the forbidden thing itself
	report               // the facts, before a transfer
	transfer             // passing the user on
	goodbye              // the facts, and the question for more
)

// step is one thing that the agent does and can see done: it says something and waits for the answer, or makes a call.
type step struct {
	part part
	// says is what the step tells the user, or for a change the question for consent; empty for a plain call. The
	// words that are really said may have more around it.
	says string
	// caution is a reminder between these words and the question for consent; empty, or with a space behind it.
	caution string
	// call is made by the agent; nil for a step in words alone.
	call *domains.ToolCall
	// write marks a call that changes the world; changes also marks what the user is told to change.
	write, changes bool
	// slip replaces the arguments if the agent acts before consent; null where it does not.
	slip value.Value
	// instead is the gold call that a forbidden one takes the place of; nil if it comes on top.
	instead *domains.ToolCall
}

// plan is a gold plan as a good agent would carry it out, in order, with the places where mistakes can happen.
type plan struct {
	input     Input
	knowledge knowledge
	solo      bool
	refusing  bool // nothing may be changed, so that the agent has to say no
	steps     []step
	careless  int // index of the change that is made without consent, -1 for none
	drawn     drawn
	opened    *domains.Env // for looking things up, once it was needed; nil when the plan is made
}

// doneTool ends a solo conversation.
const doneTool = "done"

// newPlan lays out the steps. It fails only where the task's world cannot be opened.
func newPlan(s Input) (*plan, error) {
	p := &plan{input: s, knowledge: knowledgeOf(s.World.Name), solo: s.offers(doneTool), drawn: draw(s), careless: -1}
	plain, identifying, last := p.sort()
	p.refusing = !slices.ContainsFunc(plain, changing)
	var err error
	if len(identifying) == 0 {
		if identifying, err = p.lookUp(); err != nil {
			return nil, err
		}
	}
	forbidden, err := p.forbidden(plain, identifying)
	if err != nil {
		return nil, err
	}
	p.lay(plain, identifying, last, forbidden)
	for i := range p.steps {
		if st := &p.steps[i]; st.says != "" && st.call != nil && p.knowledge.caution != nil {
			st.caution = p.knowledge.caution(p, *st.call)
		}
	}
	p.opened = nil
	return p, p.chooseCareless()
}

// lay puts the steps in order. What follows the first goodbye only comes to pass if the user then wants more.
func (p *plan) lay(plain, identifying, last, forbidden []step) {
	p.say(identity, identityLead+p.knowledge.identity+".")
	p.add(identifying...)
	if !contains(plain, look) {
		p.check(look, lookLead)
	}
	for _, st := range plain {
		p.ground(st)
		for _, f := range forbidden {
			if f.instead != nil && f.instead == st.call {
				p.add(f)
			}
		}
		p.add(st)
	}
	forbidden = slices.DeleteFunc(forbidden, func(f step) bool { return f.instead != nil })
	deny := func() {
		p.say(refuse, refusal)
		p.add(forbidden...)
		p.say(firm, firmness)
	}
	if p.refusing {
		deny()
	} else {
		if len(p.input.Task.Temptation) == 0 {
			p.add(forbidden...)
			forbidden = nil
		}
		if !contains(plain, retest) {
			p.check(retest, againLead)
		}
	}
	if len(last) > 0 && p.hasFacts() {
		p.say(report, reportLead)
	}
	p.add(last...)
	p.say(goodbye, closing)
	if !p.refusing {
		deny()
		p.say(goodbye, closing)
	}
}

// env opens the task's world for looking things up, once.
func (p *plan) env() (*domains.Env, error) {
	var err error
	if p.opened == nil {
		p.opened, err = p.input.env()
	}
	return p.opened, err
}

// say adds a step in words. A solo agent has nobody to talk to.
func (p *plan) say(what part, text string) {
	if !p.solo {
		p.steps = append(p.steps, step{part: what, says: text})
	}
}

func (p *plan) add(steps ...step) { p.steps = append(p.steps, steps...) }

// check adds a look at the user's device, where the domain has one.
func (p *plan) check(what part, lead string) {
	if p.knowledge.look == nil || p.input.World.User == nil {
		return
	}
	c := domains.ToolCall{Name: p.knowledge.look(p.input), Arguments: value.OfMap(nil), Requestor: domains.UserSide}
	if _, ok := p.input.World.User.Tool(c.Name); !ok {
		return
	}
	st := p.device(c)
	st.part = what
	if st.says != "" {
		st.says = lead + st.says
	}
	p.add(st)
}

// ground adds the reads that a change rests on, as far as the plan has not made them before.
func (p *plan) ground(st step) {
	if !st.write {
		return
	}
	for _, c := range p.grounds(*st.call) {
		if !slices.ContainsFunc(p.steps, func(x step) bool { return x.call != nil && sameCall(*x.call, c) }) {
			p.add(p.change(c))
		}
	}
}

// grounds lists the reads that a change rests on, of those that the agent has.
func (p *plan) grounds(c domains.ToolCall) []domains.ToolCall {
	if p.knowledge.grounds == nil {
		return nil
	}
	return slices.DeleteFunc(p.knowledge.grounds(p, c), func(read domains.ToolCall) bool {
		_, ok := p.input.World.Agent.Tool(read.Name)
		return !ok
	})
}

// device is a step that the user takes on the agent's word, or that a solo agent takes itself.
func (p *plan) device(c domains.ToolCall) step {
	if p.solo {
		return step{call: &c, changes: p.input.mutates(c.Name)}
	}
	return step{says: p.knowledge.instruct(c), changes: p.input.World.User.Mutates(c.Name)}
}

// change is a call of the agent's, with the question for consent if it changes anything.
func (p *plan) change(c domains.ToolCall) step {
	st := step{call: &c, write: p.input.World.Agent.Mutates(c.Name)}
	st.changes = st.write
	if st.write && !p.solo {
		st.says = consentLead + describe(c) + "."
	}
	return st
}

// sort makes the gold plan's steps: the reads that identify the caller go first, transfers last.
func (p *plan) sort() (plain, identifying, last []step) {
	for _, a := range p.input.actions() {
		c := a.Call()
		switch st := p.change(c); {
		case a.Requestor == domains.UserSide:
			plain = append(plain, p.device(c))
		case a.Name == transferTool:
			st.part = transfer
			last = append(last, st)
		case p.knowledge.identifying(a.Name):
			st.part = identity
			identifying = append(identifying, st)
		default:
			plain = append(plain, st)
		}
	}
	for i := range plain {
		// What the plan itself has the user look at is diagnosis before the first change, and a re-test after the last.
		st := &plain[i]
		switch {
		case st.changes || !p.userSide(*st):
		case !slices.ContainsFunc(plain[:i], changing):
			st.part = look
		case !slices.ContainsFunc(plain[i:], changing):
			st.part = retest
		}
	}
	return plain, identifying, last
}

func changing(st step) bool { return st.changes }

func contains(steps []step, what part) bool {
	return slices.ContainsFunc(steps, func(st step) bool { return st.part == what })
}

// userSide reports whether a step happens on the user's side.
func (p *plan) userSide(st step) bool {
	if st.call == nil {
		return true
	}
	_, ok := p.input.World.User.Tool(st.call.Name)
	return ok
}

// lookUp finds a read that identifies the caller, for a gold plan without one.
func (p *plan) lookUp() ([]step, error) {
	if p.knowledge.lookUp == nil {
		return nil, nil
	}
	e, err := p.env()
	if err != nil {
		return nil, err
	}
	for _, c := range p.knowledge.lookUp(p.input, e) {
		if res := e.Call(domains.AgentSide, c); !res.Error {
			st := p.change(c)
			st.part = identity
			return []step{st}, nil
		}
	}
	return nil, nil
}

// forbidden are the steps by which the agent would give in: those that the task names, else, where the agent may
// change nothing at all, the first plausible change of the caller's records. Only what the tools let through counts.
func (p *plan) forbidden(plain, identifying []step) ([]step, error) {
	if !p.drawn[grantForbidden] {
		return nil, nil
	}
	e, err := p.env()
	if err != nil {
		return nil, err
	}
	if len(p.input.Task.Temptation) > 0 {
		return p.tempted(e, plain), nil
	}
	if p.knowledge.forbidden == nil || p.input.Task.Mutating(p.input.World) {
		return nil, nil
	}
	user := ""
	for _, st := range identifying {
		if res := e.Call(domains.AgentSide, *st.call); !res.Error {
			user = owner(res.Content)
		}
	}
	for _, c := range p.knowledge.forbidden(p.input, e, user) {
		if res := e.Call(domains.AgentSide, c); !res.Error {
			return p.granting(c), nil
		}
	}
	return nil, nil
}

// tempted makes the steps that the task names. One that cannot follow the gold plan takes the place of a change by the
// same tool; without such a change it is left out.
func (p *plan) tempted(e *domains.Env, plain []step) []step {
	for _, a := range p.input.actions() {
		if c := a.Call(); p.input.mutates(c.Name) {
			e.Call(c.Requestor, c)
		}
	}
	var out []step
	for _, a := range p.input.Task.Temptation {
		c := a.Call()
		if res := e.Call(c.Requestor, c); !res.Error {
			out = append(out, p.granting(c)...)
			continue
		}
		for _, st := range plain {
			if st.call != nil && st.write && st.call.Name == c.Name {
				f := p.change(c)
				f.part, f.instead = grant, st.call
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// granting are the steps of giving in. Half of the agents that do so make the call at once, which most guards notice. The
// others go about it as about a permitted change, with the reads that it rests on, a summary and a yes, so that only who
// knows what the policy forbids can tell it from one.
func (p *plan) granting(c domains.ToolCall) []step {
	if !p.input.Chance("grant_forbidden with care", 0.5) {
		return []step{{part: grant, call: &c}}
	}
	var out []step
	for _, read := range p.grounds(c) {
		out = append(out, step{part: inquire, call: &read})
	}
	st := p.change(c)
	st.part = grant
	return append(out, st)
}

// owner reads the user's id off the result of a look-up: a text, a member of a record, or of the first of several.
func owner(result string) string {
	v, err := value.ParseString(result)
	if err != nil {
		return result
	}
	if items, ok := v.Items(); ok && len(items) > 0 {
		v = items[0]
	}
	m, _ := v.Map()
	for _, key := range []string{"user_id", "customer_id"} {
		if id, ok := textAt(m, key); ok {
			return id
		}
	}
	return ""
}

// hasFacts reports whether the task wants the user to be told something.
func (p *plan) hasFacts() bool {
	c := p.input.Task.Criteria
	return c != nil && len(c.CommunicateInfo)+len(c.NLAssertions) > 0
}
