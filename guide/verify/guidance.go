package verify

import (
	"fmt"
	"strings"
)

// guidanceLead precedes everything that the guide tells an agent.
const guidanceLead = "[Policy guide] This is an instruction for you alone, not a message of the user."

// transferGuidance is what the agent hears once a transfer is signalled.
const transferGuidance = "Nothing that is open can be carried on within the policy. Call " + TransferTool +
	" now, alone and with a short summary of what the user wants and of what was done; then tell the user as the policy prescribes."

// Guidance merges the remediation of all open requests, in their order, into one text for the agent; "" if there is
// nothing to say (docs/reference/guide.md#state).
func (s State) Guidance() string {
	if s.Transfer {
		return guidanceLead + "\n\n" + transferGuidance
	}
	var blocks []string
	for _, q := range s.Requests {
		if q.Status == Open && q.Remediation != "" {
			blocks = append(blocks, fmt.Sprintf("%s\n%s", q.label(), q.Remediation))
		}
	}
	if blocks == nil {
		return ""
	}
	return guidanceLead + "\n\n" + strings.Join(blocks, "\n\n")
}

func (q Request) label() string {
	if q.Request != "" {
		return fmt.Sprintf("Request %s (%s):", q.ID, q.Request)
	}
	return fmt.Sprintf("Request %s:", q.ID)
}
