package report

import (
	"fmt"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
)

// whole is the comparison over all that is compared.
func (c *Comparison) whole() DomainComparison {
	if c.Mean != nil {
		return *c.Mean
	}
	return c.Domains[0]
}

// conclusion says what can be concluded: only what both the interval and the test say, since one of them alone is at its edge.
func (c *Comparison) conclusion() string {
	d := c.whole()
	if c.Pooled == nil || d.Low == nil {
		why := d.Undefined["low"]
		return fmt.Sprintf("nothing can be concluded: %s", why)
	}
	apart, small := *d.Low > 0 || *d.High < 0, below(c.Pooled.P)
	p := "exact p " + probability(c.Pooled.P).Text
	if c.Pooled.Family > 1 {
		p += fmt.Sprintf(", corrected for %d comparisons", c.Pooled.Family)
	}
	interval := fmt.Sprintf("[%s, %s]", Signed(*d.Low, 3).Text, Signed(*d.High, 3).Text)
	reserve := ""
	if len(c.Unlike) > 0 {
		reserve = "; the runs differ in more than their systems, which may be why"
	}
	better, worse := c.SystemA, c.SystemB
	if *d.Delta < 0 {
		better, worse = worse, better
	}
	switch {
	case apart && small && (*d.Delta > 0) == (c.Pooled.OnlyA > c.Pooled.OnlyB):
		return fmt.Sprintf("%s is better than %s on tasks like these: A − B in Pass^%d is %s %s, %s%s; nothing is said of other tasks, users or models",
			better, worse, c.K, Signed(*d.Delta, 3).Text, interval, p, reserve)
	case apart || small:
		return fmt.Sprintf("no finding: the interval of A − B, %s, and the test, %s, do not agree; more tasks would decide%s", interval, p, reserve)
	}
	return fmt.Sprintf("%s and %s cannot be told apart: A − B in Pass^%d may be anything in %s, %s; that is no evidence that they are equally good%s",
		c.SystemA, c.SystemB, c.K, interval, p, reserve)
}

// below reports whether a p is small enough for a finding.
func below(p float64) bool { return p < float64(100-metrics.Level)/100 }

// edge are the rows of which the interval and the test say different things.
func (c Comparison) edge() (out []string) {
	for _, d := range c.rows() {
		if d.Low != nil && (*d.Low > 0 || *d.High < 0) != below(*d.P) {
			out = append(out, d.Domain+" "+d.Slice)
		}
	}
	return out
}

// show are the commands that show a trial on both sides.
func (c *Comparison) show(x TaskChange) []string {
	a := sim.Key{Domain: x.Domain, System: c.SystemA, Task: x.Task, Trial: x.Trial}
	b := a
	b.System = c.SystemB
	line := func(dir string, k sim.Key) string {
		return "tauguide show " + config.ShellWord(dir) + " " + config.ShellWord(k.String())
	}
	if c.A.Dir == c.B.Dir {
		return []string{line(c.A.Dir, a) + " --beside " + config.ShellWord(c.SystemB)}
	}
	return []string{line(c.A.Dir, a), line(c.B.Dir, b)}
}
