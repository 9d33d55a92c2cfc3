// Package checklist is what the PolicyGuard baseline knows and says: per-tool checklists drawn from a policy, the
// prompt in which a verifier judges one mutating call by them, and the reading of its verdict
// (docs/reference/baselines.md#policyguard). Package author below it has a model write checklists.
//
//	Set (one file per mutating tool + general_rules.yaml) ──► Guard.Prefix, Guard.Case ──► model ──► ReadVerdict
//
// A set is a folder of YAML files. Load reads it strictly, Lint says what else is wrong with it; the sets of Shipped
// are built in. A checklist guides the verifier and never overrules the policy, which is in the prompt beside it.
package checklist
