package sim

import "fmt"

// The events of the verifiers around agents. They stand here because whoever reads a record must know whether they did
// their part.
const (
	EventFiring   EventKind = "firing"    // a guide's verifier judged the conversation
	EventGuard    EventKind = "guard"     // a guard's verifier judged a call
	EventFailOpen EventKind = "fail_open" // a verifier could not be used, and the agent went on without
)

// Oversight counts what became of the questions to the verifiers around an agent.
type Oversight struct {
	Firings  int    `json:"firings"`   // questions, those that failed among them
	Failed   int    `json:"fail_open"` // no answer that could be used
	Reasked  int    `json:"reasked,omitempty"`
	Coerced  int    `json:"coerced,omitempty"`  // answers that were read by their meaning
	Rejected int    `json:"rejected,omitempty"` // answers of which not all was taken over
	Cause    string `json:"cause,omitempty"`    // of a failure, for one
}

// tolerated is the share of failed firings above which a system's results are not those of an agent with its verifier.
const tolerated = 0.02

// Unreliable reports whether so many firings failed that results say little of the verifier.
func (o Oversight) Unreliable() bool { return float64(o.Failed) > tolerated*float64(o.Firings) }

// Plus adds the counts of another conversation.
func (o Oversight) Plus(x Oversight) Oversight {
	o.Firings, o.Failed, o.Reasked = o.Firings+x.Firings, o.Failed+x.Failed, o.Reasked+x.Reasked
	o.Coerced, o.Rejected = o.Coerced+x.Coerced, o.Rejected+x.Rejected
	if o.Cause == "" {
		o.Cause = x.Cause
	}
	return o
}

// String sums it up in a line.
func (o Oversight) String() string {
	return fmt.Sprintf("failed open in %d of %d firings (%.1f %%), asked again in %d, answers read by their meaning %d, not taken over whole %d",
		o.Failed, o.Firings, 100*float64(o.Failed)/float64(max(1, o.Firings)), o.Reasked, o.Coerced, o.Rejected)
}

// Oversight counts what the record's events say of verifiers.
func (r Record) Oversight() (o Oversight) {
	for _, e := range r.Events {
		switch e.Kind {
		case EventFailOpen:
			o.Failed++
			if o.Cause == "" {
				o.Cause = e.Text
			}
		case EventFiring, EventGuard:
		default:
			continue
		}
		o.Firings++
		for key, n := range map[string]*int{"reask": &o.Reasked, "coerced": &o.Coerced, "rejected": &o.Rejected} {
			if _, ok := e.Data[key]; ok {
				*n++
			}
		}
	}
	return o
}
