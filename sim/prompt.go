package sim

import (
	"regexp"
	"strings"
)

// Placeholders in instruction texts, by the names that they have in the reference's prompts.
const (
	PolicyMark     = "{domain_policy}"              // the policy document
	TicketMark     = "{ticket}"                     // what a solo agent is to settle
	AgentMark      = "{agent_instruction}"          // this program's own instructions for an agent
	ScenarioMark   = "{instructions}"               // the scenario that the user plays
	GuidelinesMark = "{global_user_sim_guidelines}" // the data's guidelines for users, or this program's own
)

var placeholder = regexp.MustCompile(`\{[a-z][a-z_]*\}`)

// Placeholders are those of an instruction text: words in braces. A text that has some is a whole system prompt; one that
// has none is instructions, to which what they are about is added.
func Placeholders(text string) []string { return placeholder.FindAllString(text, -1) }

// FillIn puts values in the place of placeholders; ok is false where the text has none. What is put in is not looked at.
func FillIn(text string, values ...string) (_ string, ok bool) {
	return strings.NewReplacer(values...).Replace(text), Placeholders(text) != nil
}
