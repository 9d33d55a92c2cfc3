package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
)

// Hybrid decides by code what code can decide, and has a model judge the rest. The model is not asked at all while
// every open request rests at a node that code decided, on a walk that code decided throughout; a further wish of the
// user is then noticed once one of them moves on to something that only a model can judge.
type Hybrid struct {
	LLM
}

// Verify asks the model only if it is needed.
func (v *Hybrid) Verify(ctx context.Context, in Input) (Answer, error) {
	checker, err := v.Workflow.Checker()
	if err != nil {
		return Answer{}, err
	}
	if rec, ok := v.byCode(checker, in); ok {
		return Answer{Record: rec}, nil
	}
	return v.ask(ctx, in, v.verdicts(checker, in), func(r *Record) {
		for i := range r.Traverse {
			t := &r.Traverse[i]
			intent, _ := find(r.Reconcile.Intents, t.ID)
			q := Request{ID: t.ID, Intent: intent.Intent, Selection: t.Selection, Grounded: t.Grounded}
			if k := slices.IndexFunc(in.State.Requests, func(q Request) bool { return q.ID == t.ID }); k >= 0 {
				q.Since = in.State.Requests[k].Since
			}
			v.correct(t, checker.Walk(in.Trace, asked(q)))
		}
	})
}

// byCode makes the record without a model where every walk is decided: of the open requests, or of the shared part of
// the workflow while there is none.
func (v *Hybrid) byCode(c *guide.Checker, in Input) (Record, bool) {
	var rec Record
	if len(in.Refused) > 0 {
		return rec, false
	}
	open := false
	for _, q := range in.State.Requests {
		if q.Status != Open {
			continue
		}
		open = true
		at := c.Walk(in.Trace, asked(q))
		if q.Intent == "" || at.Done || !decided(at) || at.Authorizes != "" {
			return rec, false
		}
		t := Traversal{ID: q.ID, Plan: q.Plan, Status: Open, Selection: q.Selection, Grounded: q.Grounded}
		v.fill(&t, at)
		rec.Reconcile.Intents = append(rec.Reconcile.Intents, Intent{ID: q.ID, Request: q.Request, Intent: q.Intent})
		rec.Traverse = append(rec.Traverse, t)
	}
	rec.Summary = in.State.Summary
	return rec, open
}

func (v *Hybrid) fill(t *Traversal, at guide.Position) {
	d := Deterministic{Workflow: v.Workflow}
	d.fill(t, at, callRequest{})
}

func asked(q Request) guide.Request {
	return guide.Request{ID: q.ID, Intent: q.Intent, Target: q.Selection.Target, Selection: q.Selection.RuledOut,
		Grounded: q.Grounded.Map(), Since: q.Since}
}

func decided(p guide.Position) bool {
	return len(p.Walk) > 0 && !slices.ContainsFunc(p.Walk, func(s guide.Step) bool { return !s.Decided })
}

// verdicts writes what code has decided, one JSON object per line.
func (v *Hybrid) verdicts(c *guide.Checker, in Input) string {
	var b strings.Builder
	write := func(id string, at guide.Position) {
		for _, s := range at.Walk {
			if !s.Decided {
				continue
			}
			text, err := json.Marshal(map[string]any{"request": id, "node": s.Node, "satisfied": s.Satisfied})
			if err == nil { // texts and a boolean always have a JSON form
				b.Write(append(text, '\n'))
			}
		}
	}
	open := false
	for _, q := range in.State.Requests {
		if q.Status == Open {
			open = true
			write(q.ID, c.Walk(in.Trace, asked(q)))
		}
	}
	if !open {
		write("any", c.Walk(in.Trace, guide.Request{ID: startID}))
	}
	return b.String()
}

// correct puts code's verdicts in place of the model's: a node that code finds unmet is where the request rests; from
// one that code finds met the request goes on as far as code can follow.
func (v *Hybrid) correct(t *Traversal, at guide.Position) {
	verdict := map[string]guide.Step{}
	for _, s := range at.Walk {
		if s.Decided {
			verdict[s.Node] = s
		}
	}
	for i, visit := range t.Walk {
		s, ok := verdict[visit.Node]
		if !ok || s.Satisfied || !visit.Satisfied {
			continue
		}
		n, _ := v.Workflow.Graph.Node(visit.Node)
		t.Walk = t.Walk[:i+1]
		t.Walk[i].Satisfied, t.Walk[i].Reasoning = false, "decided by code"
		t.Node, t.Status, t.Authorize = visit.Node, Open, nil
		t.Remediation = fillTarget(n.Remediation, t.Selection.Target)
		return
	}
	s, ok := verdict[t.Node]
	if !ok || !s.Satisfied {
		return
	}
	from := slices.IndexFunc(at.Walk, func(x guide.Step) bool { return x.Node == t.Node })
	if n, found := v.Workflow.Graph.Node(t.Node); !found || n.Type == guide.Exit {
		return
	}
	if k := len(t.Walk) - 1; k >= 0 && t.Walk[k].Node == t.Node {
		t.Walk[k].Satisfied, t.Walk[k].Reasoning = true, "decided by code"
	}
	for _, x := range at.Walk[from+1:] {
		t.Walk = append(t.Walk, Visit{Node: x.Node, Satisfied: x.Satisfied && x.Decided, Reasoning: "decided by code"})
		t.Node, t.Authorize = x.Node, nil
		if n, found := v.Workflow.Graph.Node(x.Node); found && !(x.Satisfied && x.Decided) {
			t.Remediation = fillTarget(n.Remediation, t.Selection.Target)
			if n.Type == guide.Authorization {
				tool := n.Tool()
				t.Authorize = &tool
			}
			return
		}
	}
}

// Call lets code refuse a call: where a decided node before the authorization is unmet, or leads away from it, or its
// check does not hold for these arguments. Otherwise the model's authorizations count.
func (v *Hybrid) Call(in Input, call domains.ToolCall) (ok, known bool, why string) {
	c, err := v.Workflow.Checker()
	if err != nil || call.Name == TransferTool {
		return false, false, ""
	}
	p := requestFor(c, in.Trace, call, in.Trace.Len())
	at, some := c.Authorize(in.Trace, call, p.since)
	if !some || at.Authorizes == call.Name {
		return false, false, ""
	}
	if s := at.Unmet(); s != nil && s.Decided {
		why = fmt.Sprintf("code finds %s unmet", s.Node)
		if at.Done {
			why += ": " + s.Note
		}
		return false, true, why
	}
	return false, false, ""
}
