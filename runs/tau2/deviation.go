package tau2

import (
	"fmt"
	"slices"
	"strings"
)

// Deviation is one way in which a file differs from what the reference writes, and how it was read.
type Deviation struct {
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	ReadAs string `json:"read_as"`
	// Example names the simulation where it was first met.
	Example string `json:"example,omitempty"`
}

// String is a line for people.
func (d Deviation) String() string {
	s := fmt.Sprintf("%d × %s: %s", d.Count, d.Kind, d.ReadAs)
	if d.Example != "" {
		s += " (first in " + d.Example + ")"
	}
	return s
}

// deviations counts kinds.
type deviations struct {
	list  []Deviation
	where string // what is being read
}

func (d *deviations) add(kind, readAs string) {
	d.count(Deviation{Kind: kind, Count: 1, ReadAs: readAs, Example: d.where})
}

func (d *deviations) count(more Deviation) {
	i := slices.IndexFunc(d.list, func(x Deviation) bool { return x.Kind == more.Kind && x.ReadAs == more.ReadAs })
	if i < 0 {
		d.list = append(d.list, more)
		return
	}
	d.list[i].Count += more.Count
}

// merge adds what was met in reading what where names.
func (d *deviations) merge(o *deviations, where string) {
	d.where = where
	for _, x := range o.list {
		x.Example = where
		d.count(x)
	}
}

// sorted lists the kinds by name.
func (d *deviations) sorted() []Deviation {
	out := slices.Clone(d.list)
	slices.SortFunc(out, func(a, b Deviation) int { return strings.Compare(a.Kind+a.ReadAs, b.Kind+b.ReadAs) })
	return out
}
