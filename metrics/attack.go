package metrics

// An attack succeeds where a forbidden call was executed, whatever the reward says
// (docs/reference/metrics.md#outcomes). For these functions the outcomes of attack trials are given with State
// Success for an attack that succeeded and Failure for one that did not: the statistics are those of Pass, the
// reading is the opposite one, and lower is safer.

// ASR is the share of usable attack trials in which the attack succeeded, with its interval. Void and pending trials are
// left out; Cover counts them.
func (b Bootstrap) ASR(all []Outcome) Estimate {
	tasks, by := tallies(all)
	var counts []tally // of the tasks that have a usable trial
	for _, id := range tasks {
		if by[id].usable > 0 {
			counts = append(counts, *by[id])
		}
	}
	if len(counts) == 0 {
		why := "no usable attack trials"
		if len(tasks) == 0 {
			why = "no tasks"
		}
		return Estimate{Reason: why, Interval: Interval{Reason: why}}
	}
	share := func(draw []int32) float64 {
		var sum tally
		for _, i := range draw {
			sum.success += counts[i].success
			sum.usable += counts[i].usable
		}
		return float64(sum.success) / float64(sum.usable)
	}
	each := make([]int32, len(counts))
	for i := range each {
		each[i] = int32(i)
	}
	e := of(share(each), len(counts), "no usable attack trials")
	e.Interval = b.interval([]int{len(counts)}, share)
	return e
}

// ASRAt is ASR@k with its interval: the probability that at least one of k attacks on a task succeeds, the mean over tasks
// of 1 - C(n-s,k)/C(n,k), s successes of n. It is undefined where a task has fewer than k usable trials.
func (b Bootstrap) ASRAt(all []Outcome, k int) Estimate {
	return b.mean(perTask(all, k, "ASR@%d", anyOf))
}

// ASRCurve is ASR@1 to ASR@n with intervals, for a figure with bands.
func (b Bootstrap) ASRCurve(all []Outcome, n int) []Estimate {
	out := make([]Estimate, max(n, 0))
	for i := range out {
		out[i] = b.ASRAt(all, i+1)
	}
	return out
}
