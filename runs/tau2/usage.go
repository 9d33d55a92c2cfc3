package tau2

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// modelCalls are the requests behind the messages, for sums of tokens and cost. A message whose cost is not known is
// a request whose cost is not known; the greeting is none.
func modelCalls(msgs []domains.Message, agent, user string) []sim.ModelCall {
	var out []sim.ModelCall
	ordinal := map[domains.Role]int{}
	for i, m := range msgs {
		if m.Role != domains.RoleAssistant && m.Role != domains.RoleUser || isGreeting(i, m) {
			continue
		}
		c := sim.ModelCall{Role: "agent", Ordinal: ordinal[m.Role], Index: i, Model: agent}
		if m.Role == domains.RoleUser {
			c.Role, c.Model = "user", user
		}
		ordinal[m.Role]++
		if cost := number(m.Extra["cost"]); cost != nil && *cost >= 0 && *cost <= llm.MostDollars {
			c.Cost = cost
		}
		c.Usage = usage(m.Extra["usage"])
		if s := number(m.Extra["generation_time_seconds"]); s != nil {
			c.Transport = sim.Transport{Attempts: 1, Seconds: *s, Elapsed: *s}
		}
		out = append(out, c)
	}
	return out
}

// isGreeting reports whether a message is the one that no model spoke.
func isGreeting(i int, m domains.Message) bool {
	return i == 0 && m.Role == domains.RoleAssistant && !m.IsToolCall() && m.Extra["usage"] == nil &&
		(m.TextOf() == domains.Greeting || m.Extra["raw_data"] == nil)
}

// number is a finite number; nil for any other value, and for none.
func number(raw json.RawMessage) *float64 {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return nil
	}
	return &f
}

// usage reads token counts; what is missing or no number is unknown.
func usage(raw json.RawMessage) (u llm.Usage) {
	var reasoning llm.Count
	d := value.OfText(raw)
	details := func(of string, into *llm.Count) error {
		if d.Peek() == 'n' {
			return d.Skip()
		}
		return d.Object(func(name string) error {
			if name == of {
				return count(d, into)
			}
			return d.Skip()
		})
	}
	err := d.Object(func(name string) error {
		switch name {
		case "prompt_tokens":
			return count(d, &u.PromptTokens)
		case "completion_tokens":
			return count(d, &u.CompletionTokens)
		case "reasoning_tokens":
			return count(d, &reasoning)
		case "prompt_tokens_details":
			return details("cached_tokens", &u.CachedTokens)
		case "completion_tokens_details":
			return details("reasoning_tokens", &u.ReasoningTokens)
		}
		return d.Skip()
	})
	if err != nil {
		return llm.Usage{}
	}
	if !u.ReasoningTokens.Known {
		u.ReasoningTokens = reasoning
	}
	return u
}

func count(d *value.Decoder, into *llm.Count) error {
	raw, err := d.Raw()
	*into = llm.Count{}
	if f := number(raw); f != nil && *f >= 0 && *f == math.Trunc(*f) && *f <= llm.MostTokens {
		*into = llm.Known(int64(*f))
	}
	return err
}

// seconds spells a float as the reference does.
func seconds(f float64) value.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return value.Value{}
	}
	return value.OfFloat(f)
}

// dollars is what calls cost; null where the cost of one is not known.
func dollars(u store.RoleUsage) value.Value {
	if u.UnknownCost > 0 {
		return value.Value{}
	}
	return seconds(u.Cost)
}

// spread puts what our records say about model calls into the messages that they were made for. Calls of guides and guards
// are the agent's.
func spread(r *sim.Record) {
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Role == domains.RoleTool {
			continue
		}
		var spent store.RoleUsage
		for _, c := range r.Calls {
			if c.Index == i && isUser(c) == (m.Role == domains.RoleUser) {
				spent.Count(c)
			}
		}
		extra := newObject(nil, nil)
		extra.set("cost", dollars(spent))
		if spent.Calls > 0 {
			extra.set("generation_time_seconds", seconds(spent.Seconds))
			if spent.UnknownTokens == 0 {
				extra.set("usage", struct {
					Completion int64 `json:"completion_tokens"`
					Prompt     int64 `json:"prompt_tokens"`
				}{spent.Completion, spent.Prompt})
			}
		}
		if len(m.Provider) > 0 {
			extra.set("raw_data", m.Provider)
		}
		m.Extra = extra.values
	}
}

func isUser(c sim.ModelCall) bool { return c.Role == "user" }

// costs are those of the two sides, without the judge's.
func costs(r sim.Record) (agent, user value.Value) {
	var a, u store.RoleUsage
	for _, c := range r.Calls {
		switch {
		case c.Role == "judge":
		case isUser(c):
			u.Count(c)
		default:
			a.Count(c)
		}
	}
	return dollars(a), dollars(u)
}
