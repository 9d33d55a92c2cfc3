package store

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim"
)

// RoleUsage sums the model calls of one role in one trial.
type RoleUsage struct {
	Role string `json:"role"`
	metrics.Usage
	// Of all these, what recordings answered: it was paid for when it was recorded, by this run or by another.
	Replayed       int     `json:"replayed,omitempty"` // calls
	ReplayedTokens int64   `json:"replayed_tokens,omitempty"`
	ReplayedCost   float64 `json:"replayed_cost,omitempty"`
}

// Paid is what the endpoints were asked for.
func (u RoleUsage) Paid() Spending {
	return Spending{Tokens: u.Prompt + u.Completion - u.ReplayedTokens, Cost: max(0, u.Cost-u.ReplayedCost)}
}

// addUsage returns a new slice, sorted by role, with calls added: copies of an entry share the old one.
func addUsage(old []RoleUsage, calls []sim.ModelCall) []RoleUsage {
	out := append([]RoleUsage{}, old...) // never nil: an entry without calls is told from one without usage
	for _, c := range calls {
		i := slices.IndexFunc(out, func(u RoleUsage) bool { return u.Role == c.Role })
		if i < 0 {
			i = len(out)
			out = append(out, RoleUsage{Role: c.Role})
		}
		out[i].add(c)
	}
	slices.SortFunc(out, func(a, b RoleUsage) int {
		if a.Role < b.Role {
			return -1
		}
		return 1
	})
	return out
}

func (u *RoleUsage) add(c sim.ModelCall) {
	u.Calls++
	u.Prompt += c.Usage.PromptTokens.N
	u.Cached += c.Usage.CachedTokens.N
	u.Completion += c.Usage.CompletionTokens.N
	u.Seconds += c.Transport.Elapsed
	if !c.Usage.PromptTokens.Known || !c.Usage.CompletionTokens.Known {
		u.UnknownTokens++
	}
	if !c.Usage.CachedTokens.Known {
		u.UnknownCached++
	}
	if c.Transport.Replayed {
		u.Replayed++
		played := Spending{}.Plus(c.Usage, c.Cost)
		u.ReplayedTokens += played.Tokens
		u.ReplayedCost += played.Cost
	}
	if c.Cost == nil {
		u.UnknownCost++
		return
	}
	u.Cost += *c.Cost
}

// Usage is the usage by role of a trial and its grading. An entry of an index that an older program wrote has none:
// then the record is read, and the score.
func (r *Run) Usage(e Entry) ([]RoleUsage, error) {
	if e.Usage != nil {
		return e.Usage, nil
	}
	rec, err := r.Attempt(e.Ref)
	if err != nil {
		return nil, err
	}
	scores, err := r.gradings()
	if err != nil {
		return nil, err
	}
	return addUsage(addUsage(nil, rec.Calls), scores[e.Ref].JudgeCalls), nil
}

// Stamp is what tells without reading it that a file is the one that was stored.
type Stamp struct {
	Size     int64 `json:"size,omitempty"`     // bytes
	Modified int64 `json:"modified,omitempty"` // nanoseconds since 1970
}

// stampOf is the zero stamp, which no file has, where there is no such file.
func stampOf(dir, file string) Stamp {
	st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil || !st.Mode().IsRegular() {
		return Stamp{}
	}
	return Stamp{st.Size(), st.ModTime().UnixNano()}
}

// stands reports whether an entry's record is there as it was stored. Size and time of modification tell it of a file that
// nobody touched since; any other is read and compared by its checksum. Entries are no less true for that of a file
// whose bits rotted: they were made from what was stored. Who reads such a record is told then.
func (e Entry) stands(dir string, hash bool) bool {
	if e.SHA256 == "" {
		return false
	}
	if !hash && e.Stamp != (Stamp{}) && e.Stamp == stampOf(dir, e.File) {
		return true
	}
	return e.SHA256 == fileSum(dir, e.File)
}
