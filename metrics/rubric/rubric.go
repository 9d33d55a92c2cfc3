// Package rubric judges the order of events in a conversation by a rubric (docs/reference/metrics.md#trace-rubric;
// paper, section 4.7): checks that apply by the task's gold actions, each with one rule over the serialised trace. A
// rubric is a file of data (data/*.yaml); docs/rubrics.md teaches the rule language. Nothing here asks a model, and
// the same record always gets the same verdict.
//
//	Load(domain) ──► *Rubric ──► Judge(messages, task) ──► Verdict     one conversation
//	                                    Compliance([]Trace) ──► Figures  a system on a domain
//
// A Rubric is immutable and safe for concurrent use.
package rubric

// Family groups checks by what they are about.
type Family string

// The families.
const (
	Identification Family = "identification" // before account access
	Diagnosis      Family = "diagnosis"      // before intervention
	Consent        Family = "consent"        // before a billable or irreversible change
	Order          Family = "order"          // of corrections and of procedures
	Verification   Family = "verification"   // after the last correction, before success is claimed
)

// State is what a check came to.
type State uint8

// The states.
const (
	NotApplicable State = iota
	Satisfied
	Failed
)

// String is the state in words.
func (s State) String() string { return [...]string{"not applicable", "satisfied", "failed"}[s] }

// Result is what a check came to on one conversation.
type Result struct {
	ID     string
	Family Family
	Text   string // the requirement, in words
	State  State
	At     int    // index of the message that decided it, from 0; -1 if no single message did
	Why    string // one line; never empty
}

// Verdict is the results of all checks of a rubric, in its order.
type Verdict struct{ Results []Result }

// Count returns how many checks apply and how many of these are satisfied.
func (v Verdict) Count() (applicable, satisfied int) {
	for _, r := range v.Results {
		switch r.State {
		case Satisfied:
			applicable++
			satisfied++
		case Failed:
			applicable++
		}
	}
	return applicable, satisfied
}
