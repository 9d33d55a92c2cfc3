package verify_test

import (
	"testing"

	"github.com/tauguide/tauguide/guide/verify"
)

// TestRemediationThatTransfers wants the transfer to be enabled where a remediation has the agent make it, and not where it
// speaks of it otherwise.
func TestRemediationThatTransfers(t *testing.T) {
	for text, want := range map[string]bool{
		"Call transfer_to_human_agents with a summary of what the customer needs, before any message about it.":   true,
		"Call transfer_to_human_agents with a summary of the request, without a message beside it.":               true,
		"This is not possible within the policy. Use `transfer_to_human_agents`.":                                 true,
		"Since this isn't allowed, call transfer_to_human_agents.":                                                true,
		"As it cannot be handled, explain why: then call transfer_to_human_agents(summary=\"insists\") and wait.": true,
		"Call transfer_to_human_agents because the change is not allowed.":                                        true,
		"Do not refuse again but call transfer_to_human_agents.":                                                  true,
		"1. Apologise.\n2. Call transfer_to_human_agents.":                                                        true,
		"Do not call transfer_to_human_agents; refuse and carry on.":                                              false,
		"Don't use transfer_to_human_agents yet.":                                                                 false,
		"Refuse instead of calling transfer_to_human_agents.":                                                     false,
		"If the user insists, call transfer_to_human_agents.":                                                     false,
		"Call transfer_to_human_agents when the user insists.":                                                    false,
		"transfer_to_human_agents is only for what the policy leaves to people: go on with the refund.":           false,
		"Ask for the order id before transfer_to_human_agents.":                                                   false,
		"Never transfer: transfer_to_human_agents must not be called here.":                                       false,
		"Pass the user on to a colleague of yours, if there is one.":                                              false,
		"Ask the user for the order id.":                                                                          false,
	} {
		r := rec("a", "", "identify-")
		r.Traverse[0].Remediation = text
		if s, _ := apply(rules(), verify.State{}, r, never); s.Transfer != want {
			t.Errorf("transfer %v, want %v: %s", s.Transfer, want, text)
		}
	}
}

// TestTransferStays wants a transfer that was signalled to be enabled for the rest of the conversation, also where a later
// record or a failed firing says nothing of it.
func TestTransferStays(t *testing.T) {
	signalled := rec("a", "", "identify-")
	signalled.Transfer = true
	s, _ := apply(rules(), verify.State{}, signalled, never)
	s = s.Disarmed()
	if s, _ = apply(rules(), s, rec("a", "", "identify-"), never); !s.Transfer {
		t.Error("the next record takes the transfer back")
	}
}
