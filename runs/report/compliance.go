package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// judged is what the rubric says of a row.
type judged struct {
	rubric.Figures
	why string // there are no figures; "" if there are
}

// compliance is Table 5. It reads the passing records of those domains that have a rubric.
func compliance(in Input, t *Table) error {
	s := others("table17", test, ReAct, PolicyGuard, PolicyGuide)
	s.domains = []string{"telecom"}
	rows := s.rows(in.Sources)
	of, err := eachRow(rows, row.judge)
	if err != nil {
		return err
	}
	cell := func(value func(rubric.Figures) Cell) func(row) Cell {
		return func(r row) Cell {
			if j := of(r); j.why != "" {
				return Dash(j.why)
			}
			return value(of(r).Figures)
		}
	}
	cols := []column[row]{
		{"step_tcr_percent", "Step-TCR %", 1, "table5.$domain.$kind.step_tcr", cell(func(f rubric.Figures) Cell { return percent(f.StepTCR) })},
		{"trace_tcr_percent", "Trace-TCR %", 1, "table5.$domain.$kind.trace_tcr", cell(func(f rubric.Figures) Cell { return percent(f.TraceTCR) })},
		{"process_valid_percent", "Process-valid %", 1, "table5.$domain.$kind.process_valid", cell(func(f rubric.Figures) Cell { return percent(f.ProcessValid) })},
		{"valid", "Valid", 0, "", cell(func(f rubric.Figures) Cell {
			if f.Passing > 0 && f.Unchecked == f.Passing {
				return Dash(f.TraceTCR.Reason)
			}
			return Whole(f.Valid)
		})},
		{"passing", "Passing", 0, "", cell(func(f rubric.Figures) Cell { return Whole(f.Passing) })},
		{"pairs", "Pairs", 0, "", cell(func(f rubric.Figures) Cell { return Whole(f.Pairs) })},
	}
	var notes, unchecked []string
	for _, r := range rows {
		if j := of(r); j.Unchecked > 0 && j.TraceTCR.Defined {
			unchecked = append(unchecked, fmt.Sprintf("%s %d of %d", r.place(len(in.Sources) > 1), j.Unchecked, j.Passing))
		}
	}
	if len(unchecked) > 0 {
		notes = append(notes, "passing traces to which no check applies, which count as satisfying all: "+strings.Join(unchecked, ", "))
	}
	notes = append(notes, "Step-TCR: satisfied of applicable checks, Trace-TCR: traces with all satisfied, both over passing traces; process-valid: of all pairs of task and trial those that pass outcome and rubric",
		"the rubrics are ours (metrics/rubric), not the paper's; the paper has telecom only, and does not state the split")
	return bySystem(s, cols, notes...)(in, t)
}

// judge applies the domain's rubric to the passing records of a row. Trials without a record count as void.
func (r row) judge() (judged, error) {
	s := r.source
	if s.World == nil || s.Record == nil || !slices.Contains(rubric.Domains(), r.domain) {
		return judged{why: "no rubric for " + r.domain}, nil
	}
	rules, err := rubric.Load(r.domain)
	if err != nil {
		return judged{}, err
	}
	w, err := s.World(r.domain)
	if errors.Is(err, store.ErrData) {
		return judged{why: fmt.Sprintf("the data of %s is not at hand: %v", r.domain, err)}, nil
	}
	if err != nil {
		return judged{}, err
	}
	verdicts, err := readRecords(r, func(o metrics.Outcome) bool { return o.State == metrics.Success }, func(rec sim.Record) (rubric.Verdict, error) {
		task, ok := w.Task(rec.Task)
		if !ok {
			return rubric.Verdict{}, fmt.Errorf("run %s: the data of %s has no task %s", s.Name, rec.Domain, rec.Task)
		}
		return rules.Judge(rec.Messages, task), nil
	})
	if err != nil {
		return judged{}, err
	}
	var traces []rubric.Trace
	for _, o := range r.outcomes {
		traces = append(traces, rubric.TraceOf(o, verdicts[key(o)]))
	}
	return judged{Figures: rubric.Compliance(traces)}, nil
}
