package verify

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Mode says how binding the gate is.
type Mode string

// The gate modes (docs/reference/guide.md#gate).
const (
	Advisory Mode = "advisory" // the first call in each turn of the user that is not enabled is intercepted, a retry passes
	Strict   Mode = "strict"   // no mutating call that is not enabled is ever executed
	Monitor  Mode = "monitor"  // nothing is intercepted
)

// maxHeld is how many transfers are intercepted in one conversation.
const maxHeld = 3

// Gate stands in front of the agent's mutating tools and of the transfer. It belongs to one conversation.
type Gate struct {
	Mode    Mode
	Mutates func(tool string) bool
	// Judge decides a call by code at the moment of the call; nil where only firings authorize. known is false where it
	// has nothing to say.
	Judge func(domains.ToolCall) (ok, known bool, why string)

	armed  bool
	failed bool // the latest firing failed
}

// Turn arms the gate for a new turn of the user.
func (g *Gate) Turn() { g.armed = true }

// Fired tells the gate how a firing ended. After a failure it is open until the user speaks again, unless it is strict.
func (g *Gate) Fired(ok bool) {
	g.failed = !ok
	if !ok {
		g.armed = false
	}
}

// Refusal is a call that is not enabled.
type Refusal struct {
	Call   domains.ToolCall
	At     int // among the calls of its message
	Reason string
	Held   bool // the call is to be intercepted; false where the gate only watches
}

// Decision is what the gate says to one message.
type Decision struct {
	Refusals []Refusal
	Passed   []Grant // grants that calls of the message use up, if the message goes through
	Transfer bool    // a transfer was intercepted
}

// Intercepts reports whether the message is to be held back. It is then held as a whole.
func (d Decision) Intercepts() bool { return len(d.Held()) > 0 }

// Held are the calls that are to be intercepted.
func (d Decision) Held() (out []Refusal) {
	for _, r := range d.Refusals {
		if r.Held {
			out = append(out, r)
		}
	}
	return out
}

// Look decides about the calls of one message. An advisory gate that intercepts disarms itself.
func (g *Gate) Look(s State, calls []domains.ToolCall) Decision {
	var d Decision
	grants := s.Enabled()
	for i, c := range calls {
		switch {
		case c.Name == TransferTool:
			if why := g.transfer(s, c); why != "" {
				held := g.Mode != Monitor
				d.Refusals = append(d.Refusals, Refusal{c, i, why, held})
				d.Transfer = d.Transfer || held
			}
		case g.Mutates(c.Name):
			why := g.mutation(&grants, &d, c)
			if why == "" && g.Mode == Strict && repeated(calls[:i], c) {
				why = "the same message makes this call already"
			}
			if why != "" {
				d.Refusals = append(d.Refusals, Refusal{c, i, why, g.holds()})
				if g.Mode == Advisory {
					g.armed = false
				}
			}
		}
	}
	return d
}

func (g *Gate) holds() bool { return g.Mode == Strict || g.Mode == Advisory && g.armed }

// transfer returns why a transfer is held back, "" if it is not.
func (g *Gate) transfer(s State, c domains.ToolCall) string {
	if s.Transfer || g.failed || s.Held >= maxHeld {
		return ""
	}
	if g.Judge != nil {
		if ok, known, why := g.Judge(c); known && ok {
			return ""
		} else if known && why != "" {
			return why
		}
	}
	return "a transfer is only due when nothing that is open can be carried on within the policy"
}

// mutation returns why a mutating call is not enabled, "" if it is. A strict gate uses up the grant.
func (g *Gate) mutation(grants *[]Grant, d *Decision, c domains.ToolCall) string {
	if g.Judge != nil {
		if ok, known, why := g.Judge(c); known {
			if !ok && why == "" {
				why = "the workflow does not authorize it"
			}
			if ok {
				why = ""
			}
			return why
		}
	}
	why := fmt.Sprintf("no open request authorizes %s at this point", c.Name)
	for i, grant := range *grants {
		if grant.Tool != c.Name {
			continue
		}
		if g.Mode == Strict && !grant.Covers(c) {
			why = fmt.Sprintf("%s is authorized for request %s, but with other arguments", c.Name, grant.Request)
			continue
		}
		if g.Mode == Strict {
			*grants = append((*grants)[:i:i], (*grants)[i+1:]...)
			d.Passed = append(d.Passed, grant)
		}
		return ""
	}
	return why
}

func repeated(before []domains.ToolCall, c domains.ToolCall) bool {
	for _, b := range before {
		if b.Name == c.Name && value.Equal(value.OfMap(b.ArgumentsMap()), value.OfMap(c.ArgumentsMap())) {
			return true
		}
	}
	return false
}
