package toolguard

import (
	"context"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
)

// proposal is a call under check, with what was read for it. Every entity is read once.
type proposal struct {
	ctx  context.Context
	args policy.Record
	read Reader
	set  Set

	needs   []Need
	answers map[Need]any
	flights map[airline.Flight]airline.Offer // that were looked for
	airport string                           // where the flight that was found last arrives, at first the trip's origin
}

func newProposal(ctx context.Context, args policy.Record, read Reader, s Set) *proposal {
	return &proposal{ctx: ctx, args: args, read: read, set: s, answers: map[Need]any{}, flights: map[airline.Flight]airline.Offer{}, airport: args.Text("origin")}
}

// need notes that a check depends on a piece of information.
func (p *proposal) need(tool, key string) {
	if n := (Need{tool, key}); !slices.Contains(p.needs, n) {
		p.needs = append(p.needs, n)
	}
}

// lookup reads an entity that a tool of the agent shows by its key alone, and notes the need.
func (p *proposal) lookup(tool, arg, key string) policy.Record {
	p.need(tool, key)
	return policy.RecordOf(p.fetch(tool, key, text(arg, key)))
}

// fetch reads without noting a need. What fails reads as nothing.
func (p *proposal) fetch(tool, key string, args ...value.Pair) any {
	n := Need{tool, key}
	if _, known := p.answers[n]; !known {
		p.answers[n] = p.ask(tool, args)
	}
	return p.answers[n]
}

func (p *proposal) ask(tool string, args []value.Pair) any {
	if p.ctx.Err() != nil {
		return nil
	}
	got := p.read(p.ctx, domains.ToolCall{Name: tool, Arguments: value.OfMap(value.MapOf(args...)), Requestor: domains.AgentSide})
	if got.Error {
		return nil
	}
	if v, err := value.ParseString(got.Content); err == nil {
		return guide.Native(v)
	}
	return got.Content // a bare text, such as a status
}

func text(name, s string) value.Pair { return value.Pair{Key: name, Value: value.OfString(s)} }

// money prints an amount in dollars.
func money(f float64) string { return "$" + policy.Amount(f) }

// count prints a number without a needless fraction.
func count(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
