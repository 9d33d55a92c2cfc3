// Package toolguard holds ToolGuard's guards as plain Go (docs/toolguard.md): for each mutating tool an ordered list of
// rules that see the arguments of the call and what read-only tools answer, and no dialogue. The first rule that fails
// refuses the call. What the rules ask is the policy of guide/policy; where the released guards depart from it,
// release.go has what they do instead.
//
// # Use
//
//	set, err := toolguard.Guards("airline", toolguard.Options{})
//	verdict, err := set.Check(ctx, call, read)   // before the call is made
//	if verdict.Blocked() { ... verdict.Rule, verdict.Message ... }
//
// read runs one read-only tool of the agent in the state before the call; agents.Setup.Read is one, and so is a closure
// over domains.Env.Call. Guards never call anything but tools of kind read, so that a check leaves the state as it is.
// A tool without rules passes, and so does a call whose arguments cannot be read at all: its tool answers that itself.
//
// # Information needs
//
// Verdict.Reads lists what a check read as needs, a read-only tool and the key of the entity that it is asked for: those
// of all rules up to the one that failed, in the order in which they first came up. Needs speak of the released guards'
// lookups; two of these, get_flight_instance and get_scheduled_flight, are no tools of the agent and are answered out of
// a flight search. Covers tells whether an earlier read of the agent's gave what a need asks for.
//
// A Set is immutable and safe for concurrent use.
package toolguard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
	"github.com/tauguide/tauguide/guide/policy/retail"
	"github.com/tauguide/tauguide/guide/policy/telecom"
)

// Reader runs a read-only tool of the agent in the state before the call.
type Reader func(ctx context.Context, c domains.ToolCall) domains.ToolResult

// Options choose between the behaviours of the guards.
type Options struct {
	// Release selects the behaviour of the airline guards in the paper's release, faults included; docs/toolguard.md
	// lists them. Retail and telecom guards were never released: they have one behaviour.
	Release bool
	// Now is the moment at which the guards take a call to be made, in the zoneless time of the data. Zero means the
	// domain's own moment, in the release behaviour ReleaseClock. No guard ever looks at the machine's clock.
	Now time.Time
	// History makes the release's first check of a booking look at the conversation too, which Hearing must supply.
	History bool
}

// Need is a piece of information that a guard reads: a read-only tool and the key of what it is asked for. Keys are a
// user, reservation, order, product, customer, line or bill id; HAT001/2024-05-16 for the status or instance of a
// flight on a date, and HAT001 for its schedule.
type Need struct {
	Tool string `json:"tool"`
	Key  string `json:"key"`
}

// String prints the need as tool(key).
func (n Need) String() string { return n.Tool + "(" + n.Key + ")" }

// Verdict is what the guard of a tool says of one call.
type Verdict struct {
	// Rule is the id of the rule that refuses the call, "" if the call passes.
	Rule string
	// Message tells the agent what is wrong.
	Message string
	// Requirements are the rows of the domain's catalog that the rule stands for.
	Requirements []string
	// Reads are the needs on the execution path, each once, in order.
	Reads []Need
}

// Blocked reports whether the call is refused.
func (v Verdict) Blocked() bool { return v.Rule != "" }

// Rule is one rule of a guard, for listings.
type Rule struct {
	// ID is stable: domain, a short name of the tool, and the rule's place among those of the tool.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Text says what a call must fulfil.
	Text string `json:"text"`
	// Requirements are ids of rows of the domain's requirement catalog; empty where the catalog has none for it.
	Requirements []string `json:"requirements"`
	// Reads are the read-only tools that the rule may ask, in the released guards' names.
	Reads []string `json:"reads"`

	check func(*proposal) string // what is wrong, "" for nothing
}

// rule makes a rule; rows and reads are lists separated by spaces, and the id is completed by Guards.
func rule(id, tool, rows, reads string, check func(*proposal) string, text string) Rule {
	// Lists without an element are [] in JSON.
	return Rule{ID: id, Tool: tool, Text: text, Requirements: append([]string{}, strings.Fields(rows)...), Reads: append([]string{}, strings.Fields(reads)...), check: check}
}

// Set is the guards of one domain.
type Set struct {
	domain string
	opts   Options
	rules  []Rule // tool by tool, and in the order in which they are checked
	talk   []domains.Message
}

// Domains returns the names of the domains that have guards.
func Domains() []string { return []string{"airline", "retail", "telecom"} }

// Published reports whether the domain's guards were released by ToolGuard's authors; those of others are ours.
func Published(domain string) bool { return domain == "airline" }

// Guards returns the guards of a domain. It fails for a domain that has none, and for History without Release.
func Guards(domain string, o Options) (Set, error) {
	s := Set{domain: domain, opts: o}
	now := airline.Now()
	switch domain {
	case "airline":
		s.rules = airlineRules()
		if o.Release {
			now = ReleaseClock()
		}
	case "retail":
		s.rules, now = retailRules(), retail.Now()
	case "telecom":
		s.rules, now = telecomRules(), telecom.Now()
	default:
		return Set{}, fmt.Errorf("domain %q has no guards\nhint: %s", domain, yamlfile.Suggest(domain, Domains()))
	}
	if o.History && !o.Release {
		return Set{}, errors.New("only the release behaviour looks at the conversation\nhint: set release too, or leave history out")
	}
	if o.Now.IsZero() {
		s.opts.Now = now
	}
	place := map[string]int{}
	for i := range s.rules {
		r := &s.rules[i]
		place[r.Tool]++
		r.ID = fmt.Sprintf("%s.%s.%d", domain, r.ID, place[r.Tool])
		if d, has := released[r.ID]; has && o.Release {
			r.check, r.Text = d.check, cmp.Or(d.text, r.Text)
			if d.reads != nil {
				r.Reads = d.reads
			}
		}
	}
	return s, nil
}

// Now is the moment at which the guards take every call to be made.
func (s Set) Now() time.Time { return s.opts.Now }

// Guards reports whether calls of a tool have to fulfil any rule.
func (s Set) Guards(tool string) bool {
	return slices.ContainsFunc(s.rules, func(r Rule) bool { return r.Tool == tool })
}

// Rules returns all rules: tool by tool, and in the order in which they are checked.
func (s Set) Rules() []Rule { return slices.Clone(s.rules) }

// Hearing returns the set with a conversation to look at, which only the option History makes use of.
func (s Set) Hearing(talk []domains.Message) Set {
	s.talk = talk
	return s
}

// Check runs the guard of a call's tool. The error is the context's.
func (s Set) Check(ctx context.Context, c domains.ToolCall, read Reader) (Verdict, error) {
	var v Verdict
	p := newProposal(ctx, policy.Arguments(c.Arguments), read, s)
	if p.args == nil {
		return v, ctx.Err()
	}
	for _, r := range s.rules {
		if r.Tool != c.Name {
			continue
		}
		if wrong := r.check(p); wrong != "" {
			v.Rule, v.Message, v.Requirements = r.ID, wrong, slices.Clone(r.Requirements)
			break
		}
	}
	v.Reads = p.needs
	return v, ctx.Err()
}
