package synthetic

import (
	"sync"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
)

// plans keeps the plans that were asked for lately: laying one out opens the task's world several times, and an agent
// looks at its plan in every turn. Safe for concurrent use.
type plans struct {
	mu          sync.Mutex
	young, aged map[planKey]*plan // aged was young until that was full
}

// fullPlans is how many plans are young.
const fullPlans = 1024

// planKey is all that a plan depends on, for one config.
type planKey struct {
	task       *domains.Task
	trial      int
	seed       int64
	sample     int
	told, solo bool
}

// of returns the plan for an input. It is for reading only.
func (c *plans) of(s Input) (*plan, error) {
	if c == nil {
		return newPlan(s)
	}
	key := planKey{s.Task, s.Request.Tag.Trial, s.Request.Tag.RunSeed, s.sample(), s.told(), s.offers(doneTool)}
	if p := c.get(key); p != nil {
		return p, nil
	}
	p, err := newPlan(s)
	if err != nil {
		return nil, err
	}
	p.input.Request = llm.Request{Tag: s.Request.Tag, Temperature: s.Request.Temperature} // the conversation is not its concern
	c.put(key, p)
	return p, nil
}

func (c *plans) get(key planKey) *plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.young[key]; p != nil {
		return p
	}
	return c.aged[key]
}

func (c *plans) put(key planKey, p *plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= fullPlans {
		c.young, c.aged = map[planKey]*plan{}, c.young
	}
	c.young[key] = p
}
