package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Pair is a task with what two systems made of it: whether all of the first k trials succeeded.
type Pair struct {
	Task          string
	First, Second bool
}

// Pairing sets two systems on one domain side by side, task by task (paper, appendix C). Reason says why there is no
// comparison; it is empty if there is one.
type Pairing struct {
	K      int
	Pairs  []Pair // the common tasks, sorted by id
	Reason string
	// OnlyFirst and OnlySecond are the tasks that the other side was not asked to do, sorted. They are in no figure.
	OnlyFirst, OnlySecond []string
	// ExtraFirst and ExtraSecond count the common tasks of which a side has more than k usable trials: the first k of
	// them count.
	ExtraFirst, ExtraSecond int
}

// PairUp pairs the outcomes of two systems on one domain by task. A task passes if its first k usable trials, in the
// order of trial numbers, all succeeded. Tasks of one side only are listed and left out. A common task with fewer than
// k usable trials on either side leaves the pairing without a comparison, as it leaves Pass^k undefined: which trials
// are lost need not be by chance.
func PairUp(first, second []Outcome, k int) Pairing {
	p := Pairing{K: k}
	if k < 1 {
		p.Reason = fmt.Sprintf("Pass^%d: k starts at 1", k)
		return p
	}
	a, b := attempts(first), attempts(second)
	short := 0
	for _, task := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[task]; !ok {
			p.OnlyFirst = append(p.OnlyFirst, task)
			continue
		}
		mine, theirs := a[task], b[task]
		if len(mine) < k || len(theirs) < k {
			short++
			continue
		}
		if len(mine) > k {
			p.ExtraFirst++
		}
		if len(theirs) > k {
			p.ExtraSecond++
		}
		p.Pairs = append(p.Pairs, Pair{task, allPass(mine[:k]), allPass(theirs[:k])})
	}
	for _, task := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[task]; !ok {
			p.OnlySecond = append(p.OnlySecond, task)
		}
	}
	switch {
	case short > 0:
		p.Reason = fmt.Sprintf("%d of %d common tasks have %s on a side", short, short+len(p.Pairs), tooFew(k))
		p.Pairs = nil
	case len(p.Pairs) == 0:
		p.Reason = "no common tasks"
	}
	return p
}

// attempts are the usable trials of each task in the order of trial numbers. Tasks without any are there, empty.
// Outcomes of one task and trial, of which a run has only one, are taken with failures first.
func attempts(all []Outcome) map[string][]Outcome {
	by := map[string][]Outcome{}
	for _, o := range all {
		if o.State == Success || o.State == Failure {
			by[o.Task] = append(by[o.Task], o)
		} else if by[o.Task] == nil {
			by[o.Task] = []Outcome{}
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(x, y Outcome) int {
			return cmp.Or(cmp.Compare(x.Trial, y.Trial), cmp.Compare(x.State, y.State))
		})
	}
	return by
}

func allPass(list []Outcome) bool {
	return !slices.ContainsFunc(list, func(o Outcome) bool { return o.State != Success })
}

// Discordant counts the tasks that only one side passed: a stratum of McNemar's test. It is 0, 0 without a comparison.
func (p Pairing) Discordant() Discordant {
	var d Discordant
	for _, x := range p.Pairs {
		switch {
		case x.First && !x.Second:
			d.First++
		case x.Second && !x.First:
			d.Second++
		}
	}
	return d
}

// differences are +1, 0 and -1 for the pairs in order.
func (p Pairing) differences() []float64 {
	out := make([]float64, len(p.Pairs))
	for i, x := range p.Pairs {
		switch {
		case x.First && !x.Second:
			out[i] = 1
		case x.Second && !x.First:
			out[i] = -1
		}
	}
	return out
}

// Difference estimates by how much the first system's Pass^k exceeds the second's, over the first k trials of each task:
// the mean over pairings, which are domains and count the same each, of the mean over their tasks. It is undefined where a
// pairing is. It assumes what Share does, and that both did the same tasks. The interval is that of Share between -1 and 1,
// with one pair added that only the first passes and one that only the second does (Bonett and Price 2012), over several
// domains divided among them as in MeanShare.
func Difference(domains ...Pairing) Estimate {
	strata := make([][]Part, len(domains))
	for i, p := range domains {
		if p.Reason != "" {
			return Estimate{Reason: p.Reason, Interval: Interval{Reason: p.Reason}}
		}
		for _, v := range p.differences() {
			strata[i] = append(strata[i], Part{v, 1})
		}
	}
	return bounded(strata, -1, 1, 1, "no common tasks")
}

// Both are the outcomes of two systems on one domain.
type Both struct{ First, Second []Outcome }

// PassDifference estimates by how much the first system's Pass^k exceeds the second's, over all usable trials of the tasks
// that both have, however many each has of a task: the mean over domains, which count the same each, of the mean over their
// tasks of the difference of PassHat. It is undefined where PairUp is without a comparison. Where tasks have k trials it is
// Difference, and it assumes and is bounded as that is.
func PassDifference(k int, domains ...Both) Estimate {
	strata := make([][]Part, len(domains))
	for i, d := range domains {
		pairs := PairUp(d.First, d.Second, k)
		if pairs.Reason != "" {
			return Estimate{Reason: pairs.Reason, Interval: Interval{Reason: pairs.Reason}}
		}
		a, b := tallies(d.First), tallies(d.Second)
		for _, x := range pairs.Pairs {
			strata[i] = append(strata[i], Part{a[x.Task].ratio(k) - b[x.Task].ratio(k), 1})
		}
	}
	return bounded(strata, -1, 1, 1, "no common tasks")
}

// Remarks says in sentences what of the two sides, under the names given, is not in the comparison.
func (p Pairing) Remarks(first, second string) []string {
	var out []string
	for _, side := range []struct {
		name, other string
		tasks       []string
		extra       int
	}{{first, second, p.OnlyFirst, p.ExtraFirst}, {second, first, p.OnlySecond, p.ExtraSecond}} {
		if n := len(side.tasks); n > 0 {
			out = append(out, fmt.Sprintf("%d tasks of %s have no counterpart in %s and are left out: %s", n, side.name, side.other, some(side.tasks)))
		}
		if side.extra > 0 {
			out = append(out, fmt.Sprintf("%s has more than %d usable trials of %d tasks: the first %d of each count", side.name, p.K, side.extra, p.K))
		}
	}
	return out
}

// some lists the first few names.
func some(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
