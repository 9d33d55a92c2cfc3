// Package nmr computes the call-level near-miss rate, Call-NMR (docs/reference/metrics.md#call-nmr; paper, Appendix
// F): of the mutations that an agent carried out in passing conversations, how many were made without a read that a
// guard of the tool depends on. A table per domain (data/*.yaml) says which reads a tool needs and when a read is
// about the same record. The audit looks at the conversation alone: it opens no database and asks no model.
//
// What a user claims is never a read, and neither is a call that failed or whose result came only after the mutation
// began. A mutation that failed or was blocked is not counted.
package nmr

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/trace"
)

// Call is a successfully executed mutation of the agent's.
type Call struct {
	Tool    string
	Index   int    // of the message that asks for it, from 0
	Missing []Need // reads that it lacks, in the order of the table; empty for a call without a near miss
}

// Need is a required read that is missing, in words.
type Need struct {
	ID   string // of the table, such as "user" or "flight"
	What string // with the record it is about, such as "status of flight HAT001 on 2024-05-20"
}

// Audit lists the successfully executed mutations of the agent's in a conversation with the reads that they lack.
// Tools that are not in the table are no mutations.
func (t *Table) Audit(msgs []domains.Message) []Call { return t.audit(trace.Of(msgs)) }
