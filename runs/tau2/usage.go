package tau2

import (
	"encoding/json"
	"math"
	"slices"

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

func number(raw json.RawMessage) *float64 {
	var f *float64
	if json.Unmarshal(raw, &f) != nil || f == nil || math.IsInf(*f, 0) {
		return nil
	}
	return f
}

// usage reads token counts; what is missing or no number is unknown.
func usage(raw json.RawMessage) llm.Usage {
	var u struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
		Reasoning  json.RawMessage `json:"reasoning_tokens"`
		In         struct {
			Cached json.RawMessage `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Out struct {
			Reasoning json.RawMessage `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return llm.Usage{}
	}
	out := llm.Usage{PromptTokens: count(u.Prompt), CompletionTokens: count(u.Completion), CachedTokens: count(u.In.Cached),
		ReasoningTokens: count(u.Out.Reasoning)}
	if !out.ReasoningTokens.Known {
		out.ReasoningTokens = count(u.Reasoning)
	}
	return out
}

func count(raw json.RawMessage) llm.Count {
	f := number(raw)
	if f == nil || *f < 0 || *f != math.Trunc(*f) || *f > llm.MostTokens {
		return llm.Count{}
	}
	return llm.Known(int64(*f))
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
