package show

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/rubric"
)

// Procedure is how a conversation went about its task.
type Procedure struct {
	Rubric     *rubric.Verdict // of the domain's trace rubric; nil where the domain has none, or the task is not known
	NearMisses []nmr.Call      // changes that were made without a read that their guard depends on
}

// ProcedureOf applies the trace rubric of the domain and its table of needed reads. It finds nothing for domains that
// have neither, and nothing without the task.
func ProcedureOf(v View) (Procedure, error) {
	var p Procedure
	if v.Task == nil {
		return p, nil
	}
	if slices.Contains(rubric.Domains(), v.Record.Domain) {
		r, err := rubric.Load(v.Record.Domain)
		if err != nil {
			return p, err
		}
		verdict := r.Judge(v.Record.Messages, v.Task)
		p.Rubric = &verdict
	}
	if slices.Contains(nmr.Domains(), v.Record.Domain) {
		t, err := nmr.Load(v.Record.Domain)
		if err != nil {
			return p, err
		}
		p.NearMisses = slices.DeleteFunc(t.Audit(v.Record.Messages), func(c nmr.Call) bool { return len(c.Missing) == 0 })
	}
	return p, nil
}

// procedure prints how the conversation went about its task.
func (p printer) procedure(v View) error {
	found, err := ProcedureOf(v)
	if err != nil {
		return err
	}
	if found.Rubric != nil {
		p.verdict(*found.Rubric)
	}
	for _, c := range found.NearMisses {
		p.line("near miss at message %d: %s was made without reading %s", c.Index, c.Tool, Lacking(c))
	}
	return nil
}

func (p printer) verdict(v rubric.Verdict) {
	applicable, satisfied := v.Count()
	if applicable == 0 {
		p.line("trace rubric: no check applies")
		return
	}
	p.line("trace rubric: %d of %d applicable checks satisfied", satisfied, applicable)
	for _, r := range v.Results {
		if r.State != rubric.Failed {
			continue
		}
		if r.At < 0 {
			p.line("  %s %s (%s): %s", Mark(false), r.ID, r.Family, r.Text)
		} else {
			p.line("  %s %s (%s) at message %d: %s", Mark(false), r.ID, r.Family, r.At, r.Text)
		}
		p.line("      %s", r.Why)
	}
}

// Lacking lists the reads that a near miss lacks.
func Lacking(c nmr.Call) string {
	var what []string
	for _, n := range c.Missing {
		what = append(what, n.What)
	}
	return strings.Join(what, "; ")
}
