package report

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// traces is Table 5. It reads the records of those domains that have a rubric.
func traces(in Input) (Table, error) {
	f := frame{config: "table17", domains: []string{"telecom"}, splits: test(), kinds: []Kind{ReAct, PolicyGuard, PolicyGuide}}
	judged, why, err := judgeRuns(in.Sources)
	if err != nil {
		return Table{}, err
	}
	of := func(value func(rubric.Figures) Cell) func(row) Cell {
		return func(r row) Cell {
			all, ok := judged[seat{r.source, r.domain, r.system.Name}]
			if !ok {
				return Dash(reasonFor(why, r, "no rubric for "+r.domain))
			}
			return value(rubric.Compliance(all))
		}
	}
	at := func(i int) func(row) *float64 { return func(r row) *float64 { return in.paper5(r, i) } }
	cols := []metric{
		{Column{"step_tcr_percent", "Step-TCR %", true}, 1, of(func(f rubric.Figures) Cell { return hundredth(f.StepTCR) }), at(0)},
		{Column{"trace_tcr_percent", "Trace-TCR %", true}, 1, of(func(f rubric.Figures) Cell { return hundredth(f.TraceTCR) }), at(1)},
		{Column{"process_valid_percent", "Process-valid %", true}, 1, of(func(f rubric.Figures) Cell { return hundredth(f.ProcessValid) }), at(2)},
		{Column{"valid", "Valid", true}, 0, of(func(f rubric.Figures) Cell {
			if f.Passing > 0 && f.Unchecked == f.Passing {
				return Dash(f.TraceTCR.Reason)
			}
			return Whole(f.Valid)
		}), nil},
		{Column{"passing", "Passing", true}, 0, of(func(f rubric.Figures) Cell { return Whole(f.Passing) }), nil},
		{Column{"pairs", "Pairs", true}, 0, of(func(f rubric.Figures) Cell { return Whole(f.Pairs) }), nil},
	}
	t := in.layoutOf(Table{Number: 5, Name: "traces", Title: "Compliance of traces with the rubric"}, f, cols)
	var unchecked []string
	for _, r := range f.rows(in.Sources) {
		if c := rubric.Compliance(judged[seat{r.source, r.domain, r.system.Name}]); c.Unchecked > 0 && c.TraceTCR.Defined {
			unchecked = append(unchecked, fmt.Sprintf("%s %d of %d", r.place(len(in.Sources) > 1), c.Unchecked, c.Passing))
		}
	}
	if len(unchecked) > 0 {
		t.Notes = append(t.Notes, "passing traces to which no check applies, which count as satisfying all: "+strings.Join(unchecked, ", "))
	}
	t.Notes = append(t.Notes, "Step-TCR: satisfied of applicable checks, Trace-TCR: traces with all satisfied, both over passing traces; process-valid: of all pairs of task and trial those that pass outcome and rubric",
		"the rubrics are ours (metrics/rubric), not the paper's; the paper has telecom only, and does not state the split")
	return t, nil
}

// hundredth is a share in percent.
func hundredth(e metrics.Estimate) Cell {
	if !e.Defined {
		return Dash(e.Reason)
	}
	return Number(100*e.Value, 1)
}

// seat names a system of a run on a domain.
type seat struct {
	source         *Source
	domain, system string
}

// reasonFor is why a row could not be judged.
func reasonFor(why map[seat]string, r row, otherwise string) string {
	if text, ok := why[seat{source: r.source, domain: r.domain}]; ok {
		return text
	}
	return otherwise
}

// key is the trial that an outcome is of.
func key(o metrics.Outcome) sim.Key {
	return sim.Key{Domain: o.Domain, System: o.System, Task: o.Task, Trial: o.Trial}
}

// read reads the records of those outcomes that are wanted, on all processors, and returns what comes of each by its trial.
func read[T any](s *Source, wanted func(metrics.Outcome) bool, do func(sim.Record) (T, error)) (map[sim.Key]T, error) {
	var keys []sim.Key
	for _, o := range s.Outcomes {
		if wanted(o) {
			keys = append(keys, key(o))
		}
	}
	results := make([]T, len(keys))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, k := range keys {
		g.Go(func() error {
			rec, err := s.Record(k)
			if err != nil {
				return err
			}
			results[i], err = do(rec)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make(map[sim.Key]T, len(keys))
	for i, k := range keys {
		out[k] = results[i]
	}
	return out, nil
}

// judgeRuns applies the rubrics to the records of all runs. A domain whose data is not at hand has no figures, and why.
func judgeRuns(sources []Source) (map[seat][]rubric.Trace, map[seat]string, error) {
	out, why := map[seat][]rubric.Trace{}, map[seat]string{}
	for i := range sources {
		s := &sources[i]
		rubrics := map[string]*rubric.Rubric{}
		for _, d := range s.Domains {
			if !slices.Contains(rubric.Domains(), d.Name) || s.World == nil || s.Record == nil {
				continue
			}
			r, err := rubric.Load(d.Name)
			if err != nil {
				return nil, nil, err
			}
			if _, err := s.World(d.Name); errors.Is(err, store.ErrData) {
				why[seat{source: s, domain: d.Name}] = fmt.Sprintf("the data of %s is not at hand: %v", d.Name, err)
				continue
			} else if err != nil {
				return nil, nil, err
			}
			rubrics[d.Name] = r
		}
		if err := s.judge(rubrics, out); err != nil {
			return nil, nil, err
		}
	}
	return out, why, nil
}

// judge applies rubrics to the records of a run. Trials without a record count as void.
func (s *Source) judge(rubrics map[string]*rubric.Rubric, out map[seat][]rubric.Trace) error {
	if len(rubrics) == 0 {
		return nil
	}
	passing := func(o metrics.Outcome) bool { return rubrics[o.Domain] != nil && o.State == metrics.Success }
	verdicts, err := read(s, passing, func(rec sim.Record) (rubric.Verdict, error) {
		w, err := s.World(rec.Domain)
		if err != nil {
			return rubric.Verdict{}, err
		}
		task, ok := w.Task(rec.Task)
		if !ok {
			return rubric.Verdict{}, fmt.Errorf("run %s: the data of %s has no task %s", s.Name, rec.Domain, rec.Task)
		}
		return rubrics[rec.Domain].Judge(rec.Messages, task), nil
	})
	if err != nil {
		return err
	}
	for _, o := range s.Outcomes {
		if rubrics[o.Domain] == nil {
			continue
		}
		at := seat{s, o.Domain, o.System}
		out[at] = append(out[at], rubric.TraceOf(o, verdicts[key(o)]))
	}
	return nil
}
