package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/rubric"
)

// Procedure is how a conversation went about its task: what the domain's trace rubric and its table of needed reads say.
type Procedure struct {
	Summary    string // of the rubric; "" where the domain has none, or the task is not known
	Failed     []Check
	Satisfied  []Check
	NearMisses []Check // changes that were made without a read that their guard depends on
}

// procedureOf finds nothing for domains that have neither rubric nor table, and nothing without the task.
func procedureOf(t Trial) (Procedure, error) {
	var p Procedure
	if t.Task == nil {
		return p, nil
	}
	if slices.Contains(rubric.Domains(), t.Record.Domain) {
		r, err := rubric.Load(t.Record.Domain)
		if err != nil {
			return p, err
		}
		p.verdict(r.Judge(t.Record.Messages, t.Task))
	}
	if slices.Contains(nmr.Domains(), t.Record.Domain) {
		table, err := nmr.Load(t.Record.Domain)
		if err != nil {
			return p, err
		}
		for _, c := range table.Audit(t.Record.Messages) {
			if len(c.Missing) == 0 {
				continue
			}
			var lacking []string
			for _, n := range c.Missing {
				lacking = append(lacking, n.What)
			}
			p.NearMisses = append(p.NearMisses, Check{Known: true, At: c.Index,
				Text: fmt.Sprintf("%s was made without reading %s", c.Tool, strings.Join(lacking, "; "))})
		}
	}
	return p, nil
}

func (p *Procedure) verdict(v rubric.Verdict) {
	applicable, satisfied := v.Count()
	p.Summary = fmt.Sprintf("%d of %d applicable checks satisfied", satisfied, applicable)
	if applicable == 0 {
		p.Summary = "no check applies"
	}
	for _, r := range v.Results {
		c := Check{Known: true, Met: r.State == rubric.Satisfied, Label: fmt.Sprintf("%s (%s):", r.ID, r.Family), Text: r.Text, Why: r.Why, At: r.At}
		switch r.State {
		case rubric.Failed:
			p.Failed = append(p.Failed, c)
		case rubric.Satisfied:
			p.Satisfied = append(p.Satisfied, c)
		}
	}
}
