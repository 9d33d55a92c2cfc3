package tau2

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// reasonKey is the member of a simulation's info that says how one of our trials ended where the format has no word
// for it.
const reasonKey = "tauguide_termination_reason"

// shared reports whether an ending is one of the format's and ours alike.
func shared(r sim.Reason) bool {
	switch r {
	case sim.UserStop, sim.AgentStop, sim.MaxSteps, sim.TooManyErrors, sim.AgentError, sim.UserError, sim.Timeout,
		sim.ContextWindow, sim.Infra:
		return true
	}
	return false
}

// termination maps the recorded ending to ours. An ending that we do not know, such as unexpected_error, counts as the
// reference counts it: a failure of the conversation.
func (r *reader) termination(s *Simulation, recorded *string) sim.Reason {
	rec := &s.Record
	var info struct {
		Reason sim.Reason `json:"tauguide_termination_reason"`
		Error  string     `json:"error"`
		Type   string     `json:"error_type"`
	}
	_ = json.Unmarshal(rec.Extra["info"], &info) // a free-form object of any program
	fault := func(kind string) {
		rec.Fault = &sim.Fault{Kind: kind, Index: len(rec.Messages), Text: info.Error}
	}
	if recorded == nil {
		got := guessedReason(rec.Messages, s.Recorded)
		r.deviations.add("simulations without termination_reason", "taken as "+string(got)+", by the last message and the reward")
		return got
	}
	name := strings.ToLower(strings.TrimPrefix(*recorded, "TerminationReason."))
	if name != *recorded {
		r.deviations.add("termination_reason spelled "+*recorded, "read as "+name)
	}
	got := sim.Reason(name)
	switch {
	case info.Reason == sim.Budget || info.Reason == sim.Cancelled || info.Reason == sim.UserFault:
		fault(cmp.Or(info.Type, string(info.Reason)))
		return info.Reason
	case got == sim.Infra:
		if info.Type == "" {
			info.Type = "unknown"
		}
		fault(info.Type)
		return got
	case shared(got):
		return got
	}
	fault(name)
	rec.Extra["termination_reason"] = quoted(*recorded)
	r.deviations.add("termination_reason "+*recorded, "counted as agent_error, with the word as the fault's kind")
	return sim.AgentError
}

// guessedReason is how a conversation probably ended that does not say so.
func guessedReason(msgs []domains.Message, recorded *sim.RewardInfo) sim.Reason {
	if note, ok := earlyNote(recorded); ok {
		if r := sim.Reason(strings.ToLower(strings.TrimPrefix(note, "TerminationReason."))); shared(r) {
			return r
		}
	}
	if len(msgs) > 0 && sim.UserStops(msgs[len(msgs)-1]) {
		return sim.UserStop
	}
	if recorded != nil && recorded.RewardBasis != nil {
		return sim.AgentStop
	}
	return sim.AgentError
}

// earlyNote returns the ending that the note of a premature ending names (docs/reference/tau2.md#scoring).
func earlyNote(ri *sim.RewardInfo) (string, bool) {
	if ri == nil {
		return "", false
	}
	note, _ := ri.Info["note"].(string)
	_, reason, ok := strings.Cut(note, "Termination reason: ")
	return strings.TrimSpace(reason), ok
}
