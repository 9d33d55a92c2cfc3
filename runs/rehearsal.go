package runs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/probe"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// rehearsal plays planned conversations with scripts in the place of all models, to learn what the run will ask them. A
// call may be given to a real model: then the conversation shows what the run makes of its answer.
type rehearsal struct {
	plan    *config.Plan
	scripts llm.Client
}

func newRehearsal(p *config.Plan) rehearsal {
	return rehearsal{plan: p, scripts: synthetic.New(p.Worlds, config.Model{}.Scripted())}
}

// The shapes of questions that a rehearsal tells apart.
const (
	shapeOpening  = "opening"  // the first of a conversation: the policy, or the scenario, and the greeting
	shapeGuidance = "guidance" // with a message of the program's own amid the conversation
	shapeVerdict  = "verdict"  // of a verifier, guard or judge, under its contract
)

// shapeOf is the shape of a request, "" for one that is like those before it.
func shapeOf(req llm.Request) string {
	switch req.Tag.Role {
	case config.RoleGuide, config.RoleGuard, config.RoleJudge:
		return shapeVerdict
	case config.RoleAgent, config.RoleUser:
		if req.Tag.Ordinal == 0 {
			return shapeOpening
		}
		if slices.ContainsFunc(req.Messages[1:], func(m llm.Message) bool { return m.Role == llm.Developer || m.Role == llm.System }) {
			return shapeGuidance
		}
	}
	return ""
}

// question is the longest of a shape that a model was asked in a role in the rehearsals.
type question struct {
	trial config.Planned
	tag   llm.Tag
	shape string
	size  int
}

// questions rehearses a few trials of each system and domain, and returns the questions of each role and model in the order
// of their shapes.
func (r rehearsal) questions(ctx context.Context) map[roleModel][]question {
	out := map[roleModel][]question{}
	for _, t := range r.trials() {
		r.play(ctx, t, func(name string, req llm.Request) llm.Client {
			shape := shapeOf(req)
			if shape == "" {
				return nil
			}
			p, c := roleModel{req.Tag.Role, name}, question{trial: t, tag: req.Tag, shape: shape, size: llm.TextSize(req)}
			at := slices.IndexFunc(out[p], func(o question) bool { return o.shape == shape })
			if at < 0 {
				out[p] = append(out[p], c)
			} else if c.size > out[p][at].size {
				out[p][at] = c
			}
			return nil
		})
	}
	return out
}

// trials are those that are rehearsed: of each system and domain one that changes something, one that needs the judge, and
// otherwise the first.
func (r rehearsal) trials() (out []config.Planned) {
	type place struct {
		system, domain string
		mut, judged    bool
	}
	met := map[place]bool{}
	for _, t := range r.plan.Trials {
		if at := (place{t.System, t.Domain, t.Mut, r.plan.NeedsJudge(t.Key)}); !met[at] {
			met[at] = true
			out = append(out, t)
		}
	}
	return out
}

// play runs and grades one conversation. other may name a client that answers a call in the script's place.
func (r rehearsal) play(ctx context.Context, t config.Planned, other func(name string, req llm.Request) llm.Client) (sim.Record, sim.Score) {
	stage := &clients{models: map[string]*client{}}
	for name, m := range r.plan.Models {
		stage.models[name] = &client{model: m, Client: llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
			if c := other(name, req); c != nil {
				return c.Complete(ctx, req)
			}
			return r.scripts.Complete(ctx, req)
		})}
	}
	x := &execution{plan: r.plan, clients: stage, now: time.Now, log: slog.New(slog.DiscardHandler)}
	rec, err := x.converse(ctx, item{Planned: t})
	if err != nil || !rec.Termination.Evaluable() {
		return rec, sim.Score{}
	}
	return rec, x.grade(ctx, rec, nil)
}

// shape is a question as a probe asks it: the conversation is played up to there, a real model answers, and the scripts
// go on.
func (r rehearsal) shape(p roleModel, c question) probe.Shape {
	return probe.Shape{Name: c.shape, Play: func(ctx context.Context, client llm.Client) (complaint string) {
		var asked *llm.Request
		rec, _ := r.play(ctx, c.trial, func(name string, req llm.Request) llm.Client {
			switch {
			case name != p.model || req.Tag.Role != p.role:
			case asked == nil && req.Tag == c.tag:
				asked = &req
				return client
			case c.shape == shapeVerdict && asked != nil && req.Tag.Ordinal == c.tag.Ordinal+1 && len(req.Messages) > len(asked.Messages):
				complaint, _, _ = strings.Cut(req.Messages[len(req.Messages)-1].Text(), "\n\n") // it is asked again, for this
			}
			return nil
		})
		if complaint == "" {
			complaint = objection(rec)
		}
		return complaint
	}}
}

// objection is what a conversation says against an answer in it. Scripts give no reason for these events.
func objection(rec sim.Record) string {
	for _, e := range rec.Events {
		switch e.Kind {
		case agents.EventFlowParse, agents.EventFailOpen:
			return e.Text
		case agents.EventGuard:
			if by := fmt.Sprint(e.Data["by"]); by == "whole_text" || by == "empty" {
				return "it has no VERDICT: PASS or BLOCK"
			}
		}
	}
	return ""
}
