package llm

import "time"

const (
	// tolerated is the share of refused starts that does not lower the pace: some endpoints refuse one request in ten
	// however slowly they are asked.
	tolerated = 0.2
	// faster is what a round without too many refusals makes of the pace.
	faster = 1.1
	// A round lasts at least shortestRound, and fewStarts without refusals or manyStarts with some.
	shortestRound         = time.Second
	fewStarts, manyStarts = 5, 20
	// holdAfter refusals that are most of a round, nobody starts for a while.
	holdAfter = 10
	// slowest is the lowest pace in starts per second; one above fastest is none.
	slowest, fastest = 0.01, 1000
)

// pace is the rate of starts that an endpoint takes, learnt from its refusals. Time is cut into rounds of at least a
// second and two round trips of a refusal. After a round in which more than a fifth of the starts were refused, the pace
// becomes the rate of those that were not, but at least half of what it was; after any other it grows by a tenth. A limit
// is thus asked for a little more than it takes, and an endpoint that refuses now and then for no reason is not slowed
// down. docs/decisions/010-pacing.md says why.
type pace struct {
	rate             float64 // starts per second, 0 for no bound
	round            int
	since            time.Time // beginning of the round
	started, refused int       // in this round
	trip             time.Duration
}

// start counts a start. It returns whether the pace has changed, as it may at the end of a round.
func (p *pace) start(now time.Time) (changed bool) {
	if p.since.IsZero() {
		p.since = now
	}
	enough := manyStarts
	if p.refused == 0 {
		enough = fewStarts
	}
	if lasted := now.Sub(p.since); p.started >= enough && lasted >= max(shortestRound, 2*p.trip) {
		*p = pace{rate: p.next(lasted.Seconds()), round: p.round + 1, since: now, trip: p.trip}
		changed = true
	}
	p.started++
	return changed
}

// next is the pace after a round of so many seconds.
func (p *pace) next(seconds float64) float64 {
	rate := faster * p.rate
	if float64(p.refused) > tolerated*float64(p.started) {
		rate = max(float64(p.started-p.refused)/seconds, p.rate/2, slowest)
	}
	if rate > fastest {
		return 0
	}
	return rate
}

// refuse notes that the endpoint refused, after a while, what was started in a round: of an earlier round, it says nothing
// new. It returns whether the endpoint refuses most of what it is asked, so that nobody should start for a while.
func (p *pace) refuse(round int, took time.Duration) (most bool) {
	p.trip = took
	if round != p.round {
		return false
	}
	p.refused++
	return p.refused >= holdAfter && 2*p.refused > p.started
}
