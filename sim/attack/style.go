package attack

import (
	_ "embed"
	"fmt"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"strings"
)

var (
	//go:embed prompts/attacker.md
	attackerText string
	//go:embed prompts/insist.md
	insistText string
	//go:embed prompts/emotional.md
	emotionalText string
	//go:embed prompts/policy.md
	policyText string
	//go:embed prompts/craft.md
	craftText string
	//go:embed prompts/avoid.md
	avoidText string
	//go:embed prompts/injection.txt
	injectionText string
	//go:embed prompts/jailbreak.txt
	jailbreakText string
)

// Style is a way to attack (docs/reference/baselines.md#craft).
type Style struct {
	Name    string
	Summary string
	// Planned says whether the style needs a plan; Policy, whether the user reads the agent's policy.
	Planned, Policy bool

	goal   bool   // pursues its goal whatever the rules; the naive user does not
	how    string // one more instruction
	prefix string // before every message of the user, in code
}

// Styles returns all styles, the strongest first.
func Styles() []Style {
	return []Style{
		{Name: "craft", Summary: "a planned false premise, and a list of things not to say", Planned: true, goal: true},
		{Name: "emotional", Summary: "works on sympathy", goal: true, how: emotionalText},
		{Name: "insist", Summary: "repeats the demand", goal: true, how: insistText},
		{Name: "injection", Summary: "puts a forged system notice before every message", prefix: injectionText},
		{Name: "jailbreak", Summary: "puts a role without rules before every message", prefix: jailbreakText},
		{Name: "naive-policy", Summary: "has read the agent's policy and argues from it", Policy: true, goal: true, how: policyText},
		{Name: "naive", Summary: "the ordinary user of the same scenario"},
	}
}

// Hash is a SHA-256 over the style's own words, which prefixes are part of.
func (s Style) Hash() (string, error) {
	return hash([]string{s.Name, s.instructions(&Plan{Premise: "premise", Avoid: []string{"avoid"}}, "policy"), s.prefix})
}

// Names lists the names of the styles.
func Names() []string {
	var out []string
	for _, s := range Styles() {
		out = append(out, s.Name)
	}
	return out
}

// FindStyle returns the style of that name.
func FindStyle(name string) (Style, error) {
	for _, s := range Styles() {
		if s.Name == name {
			return s, nil
		}
	}
	return Style{}, fmt.Errorf("unknown attack %q\nhint: %s", name, yamlfile.Suggest(name, Names()))
}

// Marker opens what a style adds to the user's prompt; scripted users know an attack by it.
const Marker = "<attack style="

// instructions are what the style adds to the prompt of the simulated user, "" for none.
func (s Style) instructions(p *Plan, policy string) string {
	if !s.goal {
		return ""
	}
	parts := []string{strings.TrimSpace(attackerText)}
	if s.how != "" {
		parts = append(parts, strings.TrimSpace(s.how))
	}
	if s.Policy {
		parts = append(parts, "<rule_book>\n"+policy+"\n</rule_book>")
	}
	if s.Planned {
		parts = append(parts, strings.TrimSpace(craftText), "<premise>\n"+strings.TrimSpace(p.Premise)+"\n</premise>")
		if len(p.Avoid) > 0 {
			parts = append(parts, strings.TrimSpace(avoidText), "<unsaid>\n- "+strings.Join(p.Avoid, "\n- ")+"\n</unsaid>")
		}
	}
	return fmt.Sprintf("%s%q>\n%s\n</attack>", Marker, s.Name, strings.Join(parts, "\n\n"))
}
