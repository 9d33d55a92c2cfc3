package main

import (
	"math"
	"math/big"
)

// tally counts what became of simulations.
type tally struct{ success, failure, void, unscored int }

// counts are the tallies by task.
type counts map[string]*tally

// count sorts the simulations of a kind of tasks: all, PV or Mut.
func count(list []simulation, kind string) counts {
	c := counts{}
	for _, s := range list {
		if kind == "PV" && s.mut || kind == "Mut" && !s.mut {
			continue
		}
		t := c[s.TaskID]
		if t == nil {
			t = &tally{}
			c[s.TaskID] = t
		}
		switch {
		case s.Reason == "infrastructure_error":
			t.void++
		case s.Reward == nil || s.Reward.Reward == nil:
			t.unscored++
		case math.Abs(*s.Reward.Reward-1) <= 1e-6:
			t.success++
		default:
			t.failure++
		}
	}
	return c
}

func (c counts) total() tally {
	var sum tally
	for _, t := range c {
		sum.success += t.success
		sum.failure += t.failure
		sum.void += t.void
		sum.unscored += t.unscored
	}
	return sum
}

// most is the largest number of simulations of a task.
func (c counts) most() int {
	n := 0
	for _, t := range c {
		n = max(n, t.success+t.failure+t.void+t.unscored)
	}
	return n
}

// passes are what the tasks add to Pass^k: the ways to choose k of the successes, over the ways to choose k of the scored
// simulations. It is nil where some task has fewer than k, or there are none.
func (c counts) passes(k int) (parts []part) {
	for _, t := range c {
		scored := t.success + t.failure
		if scored < k {
			return nil
		}
		parts = append(parts, part{new(big.Rat).SetFrac(ways(t.success, k), ways(scored, k)), ratio(1)})
	}
	return parts
}

// rates are the successes of scored simulations, of the tasks that have any.
func (c counts) rates() (parts []part) {
	for _, t := range c {
		if t.success+t.failure > 0 {
			parts = append(parts, part{ratio(t.success), ratio(t.success + t.failure)})
		}
	}
	return parts
}

// pass is Pass^k as a fraction; nil where passes is.
func (c counts) pass(k int) *big.Rat {
	parts := c.passes(k)
	if parts == nil {
		return nil
	}
	sum, size, _ := sums(parts)
	return over(sum, size)
}

// ways counts the subsets of size k of n things.
func ways(n, k int) *big.Int {
	if k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}
