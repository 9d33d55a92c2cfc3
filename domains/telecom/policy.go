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

func readPolicy(f *domains.Files, w *domains.World) error {
	rules, support, err := policyFiles(w.Options)
	if err != nil {
		return err
	}
	for _, name := range []string{rules, support} {
		text, err := f.Text(name)
		if err != nil {
			return err
		}
		w.Documents = append(w.Documents, domains.Document{Name: name, Text: text})
	}
	w.Policy = "<main_policy>\n" + w.Documents[0].Text + "\n</main_policy>\n<tech_support_policy>\n" + w.Documents[1].Text + "\n</tech_support_policy>"
	return nil
}
