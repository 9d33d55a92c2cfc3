package config

import "gonum.org/v1/gonum/mathext/prng"

// maxTrialSeed is the largest seed that a trial can get.
const maxTrialSeed = 1_000_000

// TrialSeeds returns the seeds of the first n trials, the reference's for the same run seed: whole numbers drawn
// uniformly from 0 to 1,000,000 by CPython's generator (docs/reference/tau2.md#seeds). All tasks and systems of a trial
// share its seed, and raising n never changes the first ones.
func TrialSeeds(runSeed int64, n int) []int64 {
	magnitude := uint64(runSeed)
	if runSeed < 0 {
		magnitude = -magnitude
	}
	keys := []uint32{uint32(magnitude)}
	if high := uint32(magnitude >> 32); high != 0 {
		keys = append(keys, high)
	}
	mt := prng.NewMT19937()
	mt.SeedFromKeys(keys)
	out := make([]int64, 0, n)
	for len(out) < n {
		if candidate := int64(mt.Uint32() >> 12); candidate <= maxTrialSeed {
			out = append(out, candidate)
		}
	}
	return out
}
