package llm

import (
	"math"
	"time"
)

const (
	// countFor is how long starts are counted before the older half is forgotten.
	countFor = 10 * time.Second
	// apart is how long a pace has to hold before a rate limit if it was right on
	// the whole.
	apart = 5 * time.Second
	// paceSlack is what a start may be late without delaying the next: timers
	// are coarse.
	paceSlack = 50 * time.Millisecond
	// doubling is how long the pace takes to about double without a refusal, in
	// seconds; unsureDoubling the same after a guess from fewer than sure starts;
	// chanceDoubling where some refusals are known to come by chance, so that the
	// next bound is found by their share; freedDoubling once the pace was found
	// not to be their cause.
	doubling       = 60.0
	unsureDoubling = 12.0
	chanceDoubling = 20.0
	freedDoubling  = 3.0
	sure           = 5
	// slowest is the lowest pace, in starts per second: below that a run would
	// stand still for all practical purposes.
	slowest = 0.1
)

// What tells refusals by chance from those of a limit; see pace.
const (
	// slowly is the share of what an endpoint took below which no limit on the
	// rate can be why it refuses.
	slowly = 0.75
	// enough refusals of slow starts make a share. One above mostChance is never
	// held for chance: it would cost many calls all their attempts.
	enough     = 4
	mostChance = 0.3
	// slack is how many refusals more than expected are still chance.
	slack = 5
	// A pace is proven when it has grown by this much and so many starts at it
	// were not refused.
	grown  = 1.04
	proved = 100
	// clean is how many refusals by chance have to fail to come before chance is
	// forgotten: that happens by luck once in 400 times.
	clean = 6.0
)

// pace spaces the starts of requests at what an endpoint was seen to take. It
// knows no bound until the first rate limit. After one, the accepted starts of
// the last 10 to 20 seconds, waits included, give a rate that the endpoint
// bears; from there the pace creeps up, faster with every second, until the next
// rate limit. Concurrency alone cannot do this: one worker asking a quick
// endpoint again and again exceeds ten requests per second.
//
// Some endpoints refuse a share of the requests however slowly they are asked.
// The two are told apart by what slowing down does. A limit stops refusing once
// it is asked for less than it took. So starts at less than three quarters of
// that are counted apart, with their refusals: four of these or more, and hardly
// more than 30 % of the starts, are chance. From then on a refusal makes only its
// own call wait, and the pace grows quickly until more is refused than twice that
// share. Then there is a limit as well, and the pace is set by what it takes,
// with refusals by chance allowed for. Chance is forgotten when as many starts
// are accepted in a row as it could hardly let pass. A mistake costs little
// either way: a limit held for chance shows as soon as the pace grows over it,
// chance held for a limit as soon as the pace is low.
type pace struct {
	counts    [2]counted // the present window and the one before
	base      float64    // starts per second when it was last set, 0 for no bound
	set       time.Time
	doubling  float64   // seconds
	next      time.Time // earliest next start
	last      time.Time // the last rate limit
	unsettled bool      // a rate limit whose wait is not over

	epoch  counted // since the pace was set
	proven bool    // the endpoint takes what it was set to
	taken  float64 // starts per second that the endpoint took at best, since a pace was proven
	slow   counted // starts at clearly less than taken
}

// counted are starts, and how many of them were refused.
type counted struct {
	since            time.Time
	started, refused int
}

// at returns the present bound in starts per second, 0 for none.
func (p *pace) at(now time.Time) float64 {
	if p.base == 0 {
		return 0
	}
	t := max(now.Sub(p.set).Seconds(), 0)
	return p.base * (1 + 0.001*t + math.Pow(t/p.doubling, 3))
}

// freed tells whether the pace was found not to be the cause of refusals.
func (p *pace) freed() bool { return p.doubling == freedDoubling }

// isSlow tells whether a start at this rate counts as slow. One at a pace that has
// grown does not: it may have found the limit anew.
func (p *pace) isSlow(rate float64) bool {
	return rate > 0 && rate < slowly*p.taken && (p.freed() || rate <= grown*p.base)
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

// started counts a start and tells whether it was a slow one.
func (p *pace) started(now time.Time) (slow bool) {
	if now.Sub(p.counts[0].since) > countFor {
		p.counts[1], p.counts[0] = p.counts[0], counted{since: now}
	}
	p.counts[0].started++
	p.epoch.started++
	rate := p.at(now)
	if rate == 0 {
		return false
	}
	from := p.next
	if late := now.Add(-paceSlack); from.Before(late) {
		from = late
	}
	p.next = from.Add(time.Duration(float64(time.Second) / rate))
	p.prove(rate)
	if slow = p.isSlow(rate); slow {
		p.slow.started++
	}
	return slow
}

// prove draws conclusions from starts that were not refused.
func (p *pace) prove(rate float64) {
	c := p.chance()
	if !p.proven && rate > grown*p.base && p.epoch.started >= proved {
		p.proven, p.taken = true, rate
		if c == 0 {
			p.slow = counted{}
		}
	}
	if c > 0 && p.epoch.refused == 0 && c*float64(p.epoch.started) > clean {
		p.slow = counted{}
	}
}

// unsent takes back a start whose request was never made.
func (p *pace) unsent(slow bool) {
	p.counts[0].started--
	p.epoch.started--
	if slow {
		p.slow.started--
	}
}

// refused notes that the endpoint refused a start.
func (p *pace) refused(slow bool) {
	p.counts[0].refused++
	p.epoch.refused++
	if !slow {
		return
	}
	if p.slow.refused++; p.slow.refused >= 10*enough {
		p.slow.started, p.slow.refused = p.slow.started/2, p.slow.refused/2
	}
}

// likely tells whether so many slow starts were refused as chance may, two more
// by bad luck.
func (p *pace) likely() bool {
	return float64(p.slow.refused) <= mostChance*float64(p.slow.started)+2
}

// chance is the share of refusals that comes whatever the pace, 0 if none is
// known.
func (p *pace) chance() float64 {
	if p.slow.refused < enough || !p.likely() {
		return 0
	}
	return min(float64(p.slow.refused)/float64(p.slow.started), mostChance)
}

// byChance tells whether the refusals of late are no more than chance makes.
func (p *pace) byChance() bool {
	c := p.chance()
	n, r := p.recent()
	return c > 0 && float64(r) <= min(2*c, 0.5)*float64(n)+slack
}

// free lets the pace grow quickly, if it is low although refusals come by
// chance. It returns whether it is so for the first time.
func (p *pace) free(now time.Time) bool {
	if p.freed() || p.base == 0 || p.at(now) > slowly*p.taken {
		return false
	}
	p.base, p.set, p.doubling, p.proven = p.at(now), now, freedDoubling, true
	p.counts, p.epoch = [2]counted{{since: now}}, counted{}
	return true
}

// struck notes a rate limit that tells something new. How the pace changes is
// decided when the wait is over: then it is known what else was refused.
func (p *pace) struck(now time.Time) { p.last, p.unsettled = now, true }

// settle sets the pace after a rate limit.
func (p *pace) settle(now time.Time) {
	if !p.unsettled {
		return
	}
	p.unsettled = false
	was, held := p.at(p.last), p.last.Sub(p.set)
	measured, starts := p.measured(now)
	c := p.chance()
	if p.taken = max(p.taken, measured); p.freed() && c > 0 {
		p.taken = measured // there is a limit as well
	}
	p.doubling = doubling
	switch {
	case c > 0 && measured > 0:
		p.base, p.doubling = 0.95*measured/(1-c), chanceDoubling
	case was > 0 && held >= apart:
		p.base = max(measured, 0.96*was)
	case measured > 0:
		p.base = max(0.95*measured, 0.5*was)
		if p.likely() {
			p.base = max(p.base, min(was, p.taken/4)) // low enough to tell chance from a limit
		} else {
			p.slow = counted{} // at the lower pace it is seen anew
		}
		if starts < sure {
			p.doubling = unsureDoubling
		}
	case was > 0:
		p.base = 0.5 * was
	default: // nothing is known but that it was too much
		p.counts = [2]counted{{since: now}}
		return
	}
	p.base = max(p.base, slowest)
	p.set, p.next, p.proven = now, now, false
	p.counts, p.epoch = [2]counted{{since: now}}, counted{}
}

// measured is the rate of accepted starts of late, 0 if there were none, and how
// many it rests on.
func (p *pace) measured(now time.Time) (rate float64, starts int) {
	since := p.counts[0].since
	if c := p.counts[1]; !c.since.IsZero() {
		since = c.since
	}
	n, r := p.recent()
	took := now.Sub(since).Seconds()
	if n -= r; n <= 0 || took <= 0 {
		return 0, 0
	}
	return float64(n) / took, n
}

// recent counts the starts of the last 10 to 20 seconds.
func (p *pace) recent() (started, refused int) {
	return p.counts[0].started + p.counts[1].started, p.counts[0].refused + p.counts[1].refused
}
