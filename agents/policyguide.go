package agents

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

//go:embed prompts/self.md
var selfInstructions string

// The verifiers of PolicyGuide (spec/guide.md, section 4).
const (
	verifierLLM           = "llm"
	verifierHybrid        = "hybrid"
	verifierDeterministic = "deterministic"
)

// guideParams are the parameters of PolicyGuide; docs/policyguide.md explains them.
type guideParams struct {
	Verifier    string           `json:"verifier"`
	Model       string           `json:"model"`
	Gate        verify.Mode      `json:"gate"`
	WalkCheck   verify.WalkCheck `json:"walk_check"`
	Stall       int              `json:"stall"`
	Timeout     string           `json:"timeout"`
	Bundle      string           `json:"bundle"`
	MaxRefusals int              `json:"max_refusals"`

	timeout time.Duration
}

// selfParams are those of the variant without a verifier.
type selfParams struct {
	Bundle string `json:"bundle"`
}

func readGuideParams(p Params) (guideParams, error) {
	out := guideParams{Verifier: verifierLLM, Gate: verify.Advisory, WalkCheck: verify.Path, Stall: verify.DefaultStall,
		Timeout: "3m", MaxRefusals: 5}
	if err := p.Decode(&out); err != nil {
		return out, err
	}
	check := func(name, got string, choices ...string) error {
		if slices.Contains(choices, got) {
			return nil
		}
		return fmt.Errorf("parameters: %s is %q: choose one of %s", name, got, strings.Join(choices, ", "))
	}
	for _, err := range []error{
		check("verifier", out.Verifier, verifierLLM, verifierHybrid, verifierDeterministic),
		check("gate", string(out.Gate), string(verify.Advisory), string(verify.Strict), string(verify.Monitor)),
		check("walk_check", string(out.WalkCheck), string(verify.Exists), string(verify.Path)),
	} {
		if err != nil {
			return out, err
		}
	}
	switch {
	case out.Stall < 0:
		return out, fmt.Errorf("parameters: stall is %d: give a number of firings, or 0 for no such rule", out.Stall)
	case out.MaxRefusals < 1:
		return out, fmt.Errorf("parameters: max_refusals is %d: give at least 1", out.MaxRefusals)
	case out.Model != "" && out.Verifier == verifierDeterministic:
		return out, fmt.Errorf("parameters: model is %s, but a deterministic verifier asks none: remove it, or choose another verifier", out.Model)
	}
	var err error
	out.timeout, err = readTimeout(out.Timeout)
	return out, err
}

// NewPolicyGuide makes the plain agent with PolicyGuide around it (paper, section 3.4).
func NewPolicyGuide(s Setup) (sim.Participant, error) { return newGuided(s, false) }

// NewPolicyGuideRaw makes the variant whose verifier has the policy's text in place of the workflow (paper, section 3.5).
func NewPolicyGuideRaw(s Setup) (sim.Participant, error) { return newGuided(s, true) }

func newGuided(s Setup, raw bool) (sim.Participant, error) {
	overlay, err := guideOverlay(s, raw)
	return plainWith(s, overlay, err)
}

// NewPolicyGuideSelf makes the variant without a verifier: the agent has the workflow in its own prompt and keeps to it
// by itself (paper, section 3.5). Its parameter is bundle.
func NewPolicyGuideSelf(s Setup) (sim.Participant, error) {
	var p selfParams
	if err := s.Params.Decode(&p); err != nil {
		return nil, err
	}
	workflow, err := workflowOf(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	s.Params = nil
	inner, err := NewReAct(s)
	if err != nil {
		return nil, err
	}
	r, ok := inner.(*react)
	if !ok {
		return nil, fmt.Errorf("policyguide-self: the plain agent cannot be told a workflow")
	}
	r.system += "\n" + strings.TrimSpace(selfInstructions) + "\n" + tagged("workflow", workflow.Document())
	return r, nil
}

// NewPolicyGuideOverlay puts PolicyGuide around any agent.
func NewPolicyGuideOverlay(s Setup) (Overlay, error) { return guideOverlay(s, false) }

func guideOverlay(s Setup, raw bool) (Overlay, error) {
	p, err := readGuideParams(s.Params)
	if err != nil {
		return nil, err
	}
	if raw && p.Verifier != verifierLLM {
		return nil, fmt.Errorf("parameters: verifier is %s, but without a workflow only a model can judge: use llm", p.Verifier)
	}
	workflow, err := workflowOf(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	v, err := newVerifier(s, p, workflow, raw)
	if err != nil {
		return nil, err
	}
	rules := workflow.Rules(raw)
	rules.Walk, rules.Stall, rules.Strict = p.WalkCheck, p.Stall, p.Gate == verify.Strict
	return func(inner sim.Participant) sim.Participant {
		return newGuardian(inner, v, rules, p, workflow, raw, s.World.Options.Solo)
	}, nil
}

func newVerifier(s Setup, p guideParams, workflow *verify.Workflow, raw bool) (verify.Verifier, error) {
	if p.Verifier == verifierDeterministic {
		if _, err := workflow.Checker(); err != nil {
			return nil, fmt.Errorf("workflow of %s: %w", s.World.Name, err)
		}
		return &verify.Deterministic{Workflow: workflow}, nil
	}
	model := s.Model
	if p.Model != "" {
		if s.Models == nil {
			return nil, fmt.Errorf("parameters: model is %q, but there are no models to choose from here: leave it out", p.Model)
		}
		if model = s.Models(p.Model); model == nil {
			return nil, fmt.Errorf("parameters: there is no model %q: add it under models", p.Model)
		}
	}
	if model == nil {
		return nil, fmt.Errorf("the %s verifier needs a model: add model to its parameters or to the system", p.Verifier)
	}
	model = model.With(verify.Role)
	zero := 0.0
	model.Base.Temperature = &zero
	asking := verify.LLM{Workflow: workflow, Model: model, Raw: raw, Timeout: p.timeout}
	if p.Verifier == verifierHybrid {
		if _, err := workflow.Checker(); err != nil {
			return nil, fmt.Errorf("workflow of %s: %w", s.World.Name, err)
		}
		return &verify.Hybrid{LLM: asking}, nil
	}
	return &asking, nil
}

// workflowOf loads a workflow, once for all trials that share a cache.
func workflowOf(s Setup, bundle string) (*verify.Workflow, error) {
	return Cached(s.Cache, workflowKey{s.World, bundle}, func() (*verify.Workflow, error) { return verify.Load(s.World, bundle) })
}

type workflowKey struct {
	world  *domains.World
	bundle string
}

// Cache keeps what the trials of a run share, so that it is made once. A nil Cache keeps nothing. It is safe for
// concurrent use.
type Cache struct{ made sync.Map }

// Cached returns the value cached for a comparable key, and makes it at the first asking. Failures are kept too.
func Cached[T any](c *Cache, key any, produce func() (T, error)) (T, error) {
	if c == nil {
		return produce()
	}
	once, _ := c.made.LoadOrStore(key, sync.OnceValues(produce))
	f, ok := once.(func() (T, error))
	if !ok {
		return produce()
	}
	return f()
}
