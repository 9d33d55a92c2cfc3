// Package verify is the policy guide at run time: what a verifier is told and answers, the state that code keeps of a
// conversation, and the gate in front of mutating tools (docs/reference/guide.md#verifiers, State, Gate). It steers
// no agent itself; agents.NewPolicyGuideOverlay does that with the parts below.
//
//	Input ──► Verifier.Verify ──► Record ──► State.Apply ──► State ──► Guidance, Gate.Look(calls) ──► Decision
//
// A Verifier judges: a model, code, or both. Its Record is only ever a proposal. State and Gate are code and decide
// what of it holds.
package verify
