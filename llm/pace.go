package llm

import (
	"math"
	"time"
)

const (
	// countFor is how long starts are counted before the older half is forgotten.
	countFor = 10 * time.Second
	// apart is how far two rate limits lie apart if the pace between them was
	// right on the whole.
	apart = 5 * time.Second
	// paceSlack is what a start may be late without delaying the next: timers
	// are coarse.
	paceSlack = 50 * time.Millisecond
	// doubling is how long the pace takes to about double without a refusal, in
	// seconds; unsureDoubling the same after a guess from fewer than sure starts.
	doubling       = 60.0
	unsureDoubling = 12.0
	sure           = 5
)

// pace spaces the starts of requests at what an endpoint was seen to take. It
// knows no bound until the first rate limit. After one, the accepted starts of
// the last 10 to 20 seconds, waits included, give a rate that the endpoint
// bears; from there the pace creeps up, faster with every second, until the next
// rate limit. Concurrency alone cannot do this: one worker asking a quick
// endpoint again and again exceeds ten requests per second.
type pace struct {
	counts    [2]counted // the present window and the one before
	base      float64    // starts per second when it was last set, 0 for no bound
	set       time.Time
	doubling  float64   // seconds
	next      time.Time // earliest next start
	last      time.Time // the last rate limit
	previous  time.Time // the one before
	unsettled bool      // a rate limit whose wait is not over
}

// counted are starts that were not refused.
type counted struct {
	since    time.Time
	accepted int
}

// at returns the present bound in starts per second, 0 for none.
func (p *pace) at(now time.Time) float64 {
	if p.base == 0 {
		return 0
	}
	t := max(now.Sub(p.set).Seconds(), 0)
	return p.base * (1 + 0.001*t + math.Pow(t/p.doubling, 3))
}

// follows tells whether the pace has been right for a while.
func (p *pace) follows(now time.Time) bool { return p.base > 0 && now.Sub(p.last) >= apart }

// wait returns how long the next start has to wait.
func (p *pace) wait(now time.Time) time.Duration {
	if p.base == 0 {
		return 0
	}
	return max(p.next.Sub(now), 0)
}

func (p *pace) started(now time.Time) {
	if now.Sub(p.counts[0].since) > countFor {
		p.counts[1], p.counts[0] = p.counts[0], counted{since: now}
	}
	p.counts[0].accepted++
	if rate := p.at(now); rate > 0 {
		from := p.next
		if late := now.Add(-paceSlack); from.Before(late) {
			from = late
		}
		p.next = from.Add(time.Duration(float64(time.Second) / rate))
	}
}

// unsent takes back a start whose request was never made.
func (p *pace) unsent() { p.counts[0].accepted-- }

// refused takes back a start that the endpoint refused.
func (p *pace) refused() { p.counts[0].accepted-- }

// struck notes a rate limit that tells something new. How the pace changes is
// decided when the wait is over: then it is known what else was refused.
func (p *pace) struck(now time.Time) {
	p.previous, p.last, p.unsettled = p.last, now, true
}

// settle sets the pace after a rate limit.
func (p *pace) settle(now time.Time) {
	if !p.unsettled {
		return
	}
	p.unsettled = false
	was := p.at(p.last)
	measured, starts := p.measured(now)
	p.doubling = doubling
	switch {
	case was > 0 && p.last.Sub(p.previous) >= apart:
		p.base = max(measured, 0.96*was)
	case measured > 0:
		p.base = 0.95 * measured
		if starts < sure {
			p.doubling = unsureDoubling
		}
	case was > 0:
		p.base = 0.7 * was
	default:
		return // nothing is known but that it was too much
	}
	p.set, p.next = now, now
	p.counts = [2]counted{{since: now}}
}

// measured is the rate of accepted starts of late, 0 if there were none, and how
// many it rests on.
func (p *pace) measured(now time.Time) (rate float64, starts int) {
	since, n := p.counts[0].since, p.counts[0].accepted
	if c := p.counts[1]; !c.since.IsZero() {
		since, n = c.since, n+c.accepted
	}
	took := now.Sub(since).Seconds()
	if n <= 0 || took <= 0 {
		return 0, 0
	}
	return float64(n) / took, n
}
