package verify

import "regexp"

// Sentences and clauses of a remediation, and what in them takes a mention of the transfer tool back.
var (
	sentences   = regexp.MustCompile(`[^.!?;\n]+`)
	clauses     = regexp.MustCompile(`(?i)(?:[^,:—–(]+?)(?:,|:|—|–|\(| but | then |$)`)
	conditional = regexp.MustCompile(`(?i)\b(?:if|unless|until|when|whenever|whether|in case|as soon as)\b`)
	mention     = regexp.MustCompile(`\b` + TransferTool + `\b`)
	takenBack   = regexp.MustCompile(`(?i)(?:\b(?:not|cannot|no|never|without|avoid|instead of|rather than|before|after|until)\b|n['’]t\b).*\b` + TransferTool + `\b` +
		`|\b` + TransferTool + `\b\W*(?:is|was|must|should|may|might|can|cannot|will|would|has|yet|only)\b`)
)

// tellsToTransfer reports whether a remediation has the agent call the transfer tool now: it names the tool, under no
// condition, and neither forbids it nor only speaks of it.
func tellsToTransfer(remediation string) bool {
	for _, s := range sentences.FindAllString(remediation, -1) {
		if !mention.MatchString(s) || conditional.MatchString(s) {
			continue
		}
		for _, c := range clauses.FindAllString(s, -1) {
			if mention.MatchString(c) && !takenBack.MatchString(c) {
				return true
			}
		}
	}
	return false
}
