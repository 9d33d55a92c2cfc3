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
func NewPolicyGuide(s Seat) (sim.Speaker, error) { return newGuided(s, false) }

// NewPolicyGuideRaw makes the variant whose verifier has the policy's text in place of the workflow (paper, section 3.5).
func NewPolicyGuideRaw(s Seat) (sim.Speaker, error) { return newGuided(s, true) }

func newGuided(s Seat, raw bool) (sim.Speaker, error) {
	overlay, err := guideOverlay(s, raw)
	return plainWith(s, overlay, err)
}

// NewPolicyGuideSelf makes the variant without a verifier: the agent has the workflow in its own prompt and keeps to it
// by itself (paper, section 3.5). Its parameter is bundle.
func NewPolicyGuideSelf(s Seat) (sim.Speaker, error) {
	var p selfParams
	if err := s.Params.Decode(&p); err != nil {
		return nil, err
	}
	setup, err := setupOf(s, p.Bundle)
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
	r.system += "\n" + strings.TrimSpace(selfInstructions) + "\n" + tagged("workflow", setup.Document())
	return r, nil
}

// NewPolicyGuideOverlay puts PolicyGuide around any agent.
func NewPolicyGuideOverlay(s Seat) (Overlay, error) { return guideOverlay(s, false) }

func guideOverlay(s Seat, raw bool) (Overlay, error) {
	p, err := readGuideParams(s.Params)
	if err != nil {
		return nil, err
	}
	if raw && p.Verifier != verifierLLM {
		return nil, fmt.Errorf("parameters: verifier is %s, but without a workflow only a model can judge: use llm", p.Verifier)
	}
	setup, err := setupOf(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	v, err := newVerifier(s, p, setup, raw)
	if err != nil {
		return nil, err
	}
	rules := setup.Rules(raw)
	rules.Walk, rules.Stall, rules.Strict = p.WalkCheck, p.Stall, p.Gate == verify.Strict
	return func(inner sim.Speaker) sim.Speaker {
		return newGuardian(inner, v, rules, p, setup, raw, s.World.Options.Solo)
	}, nil
}

func newVerifier(s Seat, p guideParams, setup *verify.Setup, raw bool) (verify.Verifier, error) {
	if p.Verifier == verifierDeterministic {
		if _, err := setup.Checker(); err != nil {
			return nil, fmt.Errorf("workflow of %s: %w", s.World.Name, err)
		}
		return &verify.Deterministic{Setup: setup}, nil
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
	asking := verify.LLM{Setup: setup, Model: model, Raw: raw, Timeout: p.timeout}
	if p.Verifier == verifierHybrid {
		if _, err := setup.Checker(); err != nil {
			return nil, fmt.Errorf("workflow of %s: %w", s.World.Name, err)
		}
		return &verify.Hybrid{LLM: asking}, nil
	}
	return &asking, nil
}

// setupOf loads a workflow, once for all trials that share a memo.
func setupOf(s Seat, bundle string) (*verify.Setup, error) {
	return Shared(s.Memo, setupKey{s.World, bundle}, func() (*verify.Setup, error) { return verify.Load(s.World, bundle) })
}

type setupKey struct {
	world  *domains.World
	bundle string
}

// Memo keeps what the trials of a run share, so that it is made once. A nil Memo keeps nothing. It is safe for
// concurrent use.
type Memo struct{ made sync.Map }

// Shared returns the memo's value for a comparable key, and makes it at the first asking. Failures are kept too.
func Shared[T any](m *Memo, key any, produce func() (T, error)) (T, error) {
	if m == nil {
		return produce()
	}
	once, _ := m.made.LoadOrStore(key, sync.OnceValues(produce))
	f, ok := once.(func() (T, error))
	if !ok {
		return produce()
	}
	return f()
}
