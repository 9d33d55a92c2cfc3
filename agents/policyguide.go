package agents

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

//go:embed prompts/self.md
var selfInstructions string

// guideParams are the parameters of PolicyGuide; docs/policyguide.md explains them.
type guideParams struct {
	verifierParams
	Verifier  verify.Kind      `json:"verifier"`
	Gate      verify.Mode      `json:"gate"`
	WalkCheck verify.WalkCheck `json:"walk_check"`
	Stall     int              `json:"stall"`
	Bundle    string           `json:"bundle"`
}

func readGuideParams(p Params) (guideParams, error) {
	out := guideParams{verifierParams: defaultVerifier(), Verifier: verify.ByModel, Gate: verify.Advisory, WalkCheck: verify.Exists, Stall: verify.DefaultStall}
	if err := p.Decode(&out); err != nil {
		return out, err
	}
	if err := cmp.Or(
		oneOf("verifier", out.Verifier, verify.ByModel, verify.Mixed, verify.ByCode),
		oneOf("gate", out.Gate, verify.Advisory, verify.Strict, verify.Monitor),
		oneOf("walk_check", out.WalkCheck, verify.Exists, verify.Path),
		atLeast("stall", out.Stall, 0),
		out.check(),
	); err != nil {
		return out, err
	}
	if out.Model != "" && out.Verifier == verify.ByCode {
		return out, fmt.Errorf("parameters: model is %s, but a deterministic verifier asks none\nhint: remove it, or choose another verifier", out.Model)
	}
	return out, nil
}

// NewPolicyGuideSelf makes the variant without a verifier: the agent has the workflow in its own prompt and keeps to it
// by itself (paper, section 3.5). Its parameter is bundle.
func NewPolicyGuideSelf(s Setup) (sim.Participant, error) {
	var p struct {
		Bundle string `json:"bundle"`
	}
	if err := s.Params.Decode(&p); err != nil {
		return nil, err
	}
	workflow, err := loadWorkflow(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	r, err := newReAct(s)
	if err != nil {
		return nil, err
	}
	r.system += "\n" + strings.TrimSpace(selfInstructions) + "\n" + tagged("workflow", workflow.Document())
	r.workflows = []Workflow{workflowOf(workflow)}
	return r, nil
}

// NewPolicyGuideOverlay puts PolicyGuide around any agent (paper, section 3.4).
func NewPolicyGuideOverlay(s Setup) (Overlay, error) { return guideOverlay(s, false) }

// NewPolicyGuideRawOverlay is the variant whose verifier has the policy's text in place of the workflow (paper, section 3.5).
func NewPolicyGuideRawOverlay(s Setup) (Overlay, error) { return guideOverlay(s, true) }

func guideOverlay(s Setup, raw bool) (Overlay, error) {
	p, err := readGuideParams(s.Params)
	if err != nil {
		return nil, err
	}
	if raw && p.Verifier != verify.ByModel {
		return nil, fmt.Errorf("parameters: verifier is %s, but without a workflow only a model can judge\nhint: use llm", p.Verifier)
	}
	workflow, err := loadWorkflow(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	v, err := newVerifier(s, p, workflow, raw)
	if err != nil {
		return nil, err
	}
	rules := workflow.Rules(raw)
	rules.Walk, rules.Stall = p.WalkCheck, p.Stall
	return func(inner sim.Participant) sim.Participant {
		return newPolicyGuide(inner, verify.NewSession(v, rules, p.Gate, s.World.Options.Solo), p, workflow, raw)
	}, nil
}

func newVerifier(s Setup, p guideParams, workflow *verify.Workflow, raw bool) (verify.Verifier, error) {
	if p.Verifier == verify.ByCode {
		return workflow.Verifier(p.Verifier, nil, raw, 0)
	}
	model, err := s.verifierModel(p.Model, verify.Role)
	if err != nil {
		return nil, err
	}
	return workflow.Verifier(p.Verifier, model, raw, p.timeout)
}

// loadWorkflow loads a workflow, once for all trials that share a cache.
func loadWorkflow(s Setup, bundle string) (*verify.Workflow, error) {
	return Cached(s.Cache, [3]any{"workflow", s.World, bundle}, func() (*verify.Workflow, error) { return verify.Load(s.World, bundle) })
}
