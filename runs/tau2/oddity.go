package tau2

import (
	"fmt"
	"slices"
	"strings"
)

// Oddity is one kind of thing that is not as the reference writes it, and what was made of it.
type Oddity struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	Made  string `json:"made"` // what became of it
	// Example names the simulation, or the value, where it was first met.
	Example string `json:"example,omitempty"`
}

// String is a line for people.
func (o Oddity) String() string {
	s := fmt.Sprintf("%d × %s: %s", o.Count, o.Kind, o.Made)
	if o.Example != "" {
		s += " (first in " + o.Example + ")"
	}
	return s
}

// oddities count kinds.
type oddities struct {
	list  []Oddity
	where string // what is being read
}

func (o *oddities) add(kind, made string) { o.addN(kind, made, 1) }

func (o *oddities) addN(kind, made string, n int) {
	if n == 0 {
		return
	}
	i := slices.IndexFunc(o.list, func(x Oddity) bool { return x.Kind == kind && x.Made == made })
	if i < 0 {
		o.list = append(o.list, Oddity{Kind: kind, Made: made, Example: o.where})
		i = len(o.list) - 1
	}
	o.list[i].Count += n
}

// sorted lists the kinds by name.
func (o *oddities) sorted() []Oddity {
	out := slices.Clone(o.list)
	slices.SortFunc(out, func(a, b Oddity) int { return strings.Compare(a.Kind+a.Made, b.Kind+b.Made) })
	return out
}
