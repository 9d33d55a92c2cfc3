package show

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/rubric"
)

// procedure prints what the trace rubric of the domain says of the conversation, and which changes were made without a
// read that their guard depends on. It prints nothing for domains that have neither, and nothing without the task.
func (p printer) procedure(v View) error {
	if v.Task == nil {
		return nil
	}
	if slices.Contains(rubric.Domains(), v.Record.Domain) {
		r, err := rubric.Load(v.Record.Domain)
		if err != nil {
			return err
		}
		p.verdict(r.Judge(v.Record.Messages, v.Task))
	}
	if slices.Contains(nmr.Domains(), v.Record.Domain) {
		t, err := nmr.Load(v.Record.Domain)
		if err != nil {
			return err
		}
		p.nearMisses(t.Audit(v.Record.Messages))
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
			p.line("  %s %s (%s): %s", mark(false), r.ID, r.Family, r.Text)
		} else {
			p.line("  %s %s (%s) at message %d: %s", mark(false), r.ID, r.Family, r.At, r.Text)
		}
		p.line("      %s", r.Why)
	}
}

func (p printer) nearMisses(calls []nmr.Call) {
	for _, c := range calls {
		if len(c.Missing) == 0 {
			continue
		}
		var what []string
		for _, n := range c.Missing {
			what = append(what, n.What)
		}
		p.line("near miss at message %d: %s was made without reading %s", c.Index, c.Tool, strings.Join(what, "; "))
	}
}
