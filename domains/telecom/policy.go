package telecom

import (
	"github.com/tauguide/tauguide/domains"
)

// policyFiles names the two documents that the policy is made of: what to do as an agent, and how to find and fix
// what is wrong with a phone (docs/reference/domains.md#policies).
func policyFiles(o domains.Options) (rules, support string, err error) {
	rules = "main_policy.md"
	if o.Solo {
		rules = "main_policy_solo.md"
	}
	switch {
	case o.Policy == "", o.Policy == domains.PolicyManual:
		return rules, "tech_support_manual.md", nil
	case o.Policy == domains.PolicyWorkflow && o.Solo:
		return rules, "tech_support_workflow_solo.md", nil
	case o.Policy == domains.PolicyWorkflow:
		return rules, "tech_support_workflow.md", nil
	}
	return "", "", domains.Refuse("Invalid policy type: %s", o.Policy)
}

func readPolicy(f *domains.Files, o domains.Options) (string, error) {
	rules, support, err := policyFiles(o)
	if err != nil {
		return "", err
	}
	a, err := f.Text(rules)
	if err != nil {
		return "", err
	}
	b, err := f.Text(support)
	if err != nil {
		return "", err
	}
	return "<main_policy>\n" + a + "\n</main_policy>\n<tech_support_policy>\n" + b + "\n</tech_support_policy>", nil
}
