package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/runs/config"
)

// Kind is what a system is, by its agent and overlays and whatever its name: the rows of the paper's tables are kinds.
type Kind string

// The kinds that the paper has rows of, and PolicyGuard's variants.
const (
	ReAct           Kind = "react"
	PolicyGuide     Kind = "policyguide"
	PolicyGuideRaw  Kind = "policyguide-raw"
	PolicyGuideSelf Kind = "policyguide-self"
	PolicyGuard     Kind = "policyguard"
	ToolGuard       Kind = "toolguard"
	FlowAgent       Kind = "flowagent"

	PolicyGuardRaw       Kind = "policyguard-raw"
	PolicyGuardRawCalls  Kind = "policyguard-raw without the dialogue"
	PolicyGuardChecklist Kind = "policyguard without the policy"
)

// ablation is the kind that the parameters of a PolicyGuard make of it, whose only variation they are.
func ablation(k Kind, variant string) Kind {
	switch {
	case k == PolicyGuardRaw && variant == "dialogue false":
		return PolicyGuardRawCalls
	case k == PolicyGuard && variant == "policy false":
		return PolicyGuardChecklist
	}
	return k
}

// String is the kind as the paper spells it.
func (k Kind) String() string {
	names := map[Kind]string{ReAct: "ReAct", PolicyGuide: "PolicyGuide", PolicyGuideRaw: "PolicyGuide-Raw", PolicyGuideSelf: "PolicyGuide-Self",
		PolicyGuard: "PolicyGuard", ToolGuard: "ToolGuard", FlowAgent: "FlowAgent", PolicyGuardRaw: "PolicyGuard-Raw",
		PolicyGuardRawCalls: "PolicyGuard-Raw-Calls", PolicyGuardChecklist: "PolicyGuard-Checklist"}
	if name, ok := names[k]; ok {
		return name
	}
	return string(k)
}

// System is a system of a run as tables see it.
type System struct {
	Name string
	Kind Kind
	// Variant says in what it is another thing than the paper's system of that kind; "" if in nothing.
	Variant string
	Model   string // as the provider calls it
	Family  string // the paper's name of the model's family; "" for others

	Verifier string // the models that check what its agent does, and "code" where code does; "" for none
}

// The agent families of Table 4, in its order.
var families = [...]string{"gpt-5.4", "claude-sonnet-4.6", "gemini-2.5-pro"}

// familyOf recognises the paper's models by their ids at the provider or their names in a config.
func familyOf(names ...string) string {
	for _, name := range names {
		plain := strings.ReplaceAll(strings.ToLower(name), ".", "-")
		for _, f := range families {
			if at := strings.Index(plain, strings.ReplaceAll(f, ".", "-")); at >= 0 && !strings.HasPrefix(plain[at+len(f):], "-mini") && !strings.HasPrefix(plain[at+len(f):], "-nano") {
				return f
			}
		}
	}
	return ""
}

// systemOf describes a system of a config.
func systemOf(c *config.Config, s config.System) System {
	out := System{Name: s.Name, Verifier: verifierOf(c, s)}
	kind, params := s.Agent, s.Params
	switch {
	case len(s.Overlays) == 1 && s.Agent == string(ReAct):
		kind, params = s.Overlays[0].Name, s.Overlays[0].Params
	case len(s.Overlays) > 0:
		for _, o := range s.Overlays {
			kind = o.Name + "+" + kind
		}
	}
	out.Kind, out.Variant = Kind(kind), variant(params)
	if k := ablation(out.Kind, out.Variant); k != out.Kind {
		out.Kind, out.Variant = k, ""
	}
	m := c.Models[s.Model]
	out.Model = m.Model
	if out.Model == "" {
		out.Model = s.Model
	}
	if m.Synthetic {
		out.Family = familyOf(s.Model)
	} else {
		out.Family = familyOf(m.Model, s.Model)
	}
	return out
}

// verifierOf says what verifies a system: see System.
func verifierOf(c *config.Config, s config.System) string {
	var out []string
	for _, h := range c.Helpers(s) {
		var p struct{ Verifier string }
		_ = json.Unmarshal(h.Params, &p) // which were checked when the config was read
		if name := cmp.Or(h.Model, s.Model); p.Verifier != "deterministic" {
			m := c.Models[name]
			out = append(out, cmp.Or(familyOf(m.Model, name), m.Model, name))
		}
		if p.Verifier == "deterministic" || p.Verifier == "hybrid" {
			out = append(out, byCode)
		}
	}
	if s.Agent == string(ToolGuard) || slices.ContainsFunc(s.Overlays, func(o config.Overlay) bool { return o.Name == string(ToolGuard) }) {
		out = append(out, byCode)
	}
	return strings.Join(slices.Compact(out), ", ")
}

// verifier is that of the paper's systems of a kind with agents of a family.
func (k Kind) verifier(family string) string {
	switch k {
	case PolicyGuide, PolicyGuideRaw, PolicyGuard, PolicyGuardRaw, PolicyGuardRawCalls, PolicyGuardChecklist:
		return cmp.Or(family, families[0])
	case ToolGuard:
		return byCode
	}
	return ""
}

// byCode is the verifier of systems that are verified without a model.
const byCode = "code"

// variant lists the parameters that make another system of a kind: all that are set to anything but the usual, except
// how long it waits, how often it tries, and which model it asks.
func variant(params json.RawMessage) string {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	usual := map[string]string{"verifier": `"llm"`, "gate": `"advisory"`, "walk_check": `"exists"`, "stall": "5", "bundle": `""`, "checklists": `""`, "dialogue": "true", "policy": "true",
		"dependency": "true", "duplicates": "true", "threshold": "2"}
	neutral := []string{"model", "timeout", "max_refusals", "max_blocks", "max_rejections"}
	var out []string
	for name, value := range p {
		if !slices.Contains(neutral, name) && usual[name] != string(value) {
			out = append(out, name+" "+strings.Trim(string(value), `"`))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// is reports whether a system is the paper's system of that kind.
func (s System) is(k Kind) bool { return s.Kind == k && s.Variant == "" }
