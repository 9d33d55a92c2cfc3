package telecom

import (
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// The databases of two trials are compared record by record over two small buffers: nearly all records are equal, and
// only those that are not are worth a dynamic form. Sections go in alphabetical order, as record.DiffValues has them.

type comparison struct {
	a, b    []byte
	changes []record.Change
}

// compare adds the differences between two records at a path.
func compare[T any](c *comparison, path string, t record.Type[T], a, b *T) {
	c.a = t.Dump(c.a[:0], a, value.Sorted)
	c.b = t.Dump(c.b[:0], b, value.Sorted)
	if string(c.a) != string(c.b) {
		c.changes = record.DiffValues(path, t.Value(a), t.Value(b), c.changes)
	}
}

// compareLists compares by position; lists of different lengths are compared whole.
func compareLists[T any](c *comparison, path string, t record.Type[T], a, b []T) {
	if len(a) != len(b) {
		l := record.ListOf(t)
		c.changes = record.DiffValues(path, l.Value(&a), l.Value(&b), c.changes)
		return
	}
	for i := range a {
		compare(c, path+"."+strconv.Itoa(i), t, &a[i], &b[i])
	}
}

// Diff lists where another database of the agent's side (got) differs from d (wanted).
func (d *AgentDB) Diff(other domains.Database) []record.Change {
	o, ok := other.(*AgentDB)
	if !ok {
		return record.OtherClass(d.Class(), other.Class())
	}
	c := newComparison()
	compareLists(c, "bills", billType, d.Root.Bills, o.Root.Bills)
	compareLists(c, "customers", customerType, d.Root.Customers, o.Root.Customers)
	compareLists(c, "devices", deviceType, d.Root.Devices, o.Root.Devices)
	compareLists(c, "lines", lineType, d.Root.Lines, o.Root.Lines)
	compareLists(c, "plans", planType, d.Root.Plans, o.Root.Plans)
	return c.changes
}

// Diff lists where another database of the user's side (got) differs from d (wanted).
func (d *UserDB) Diff(other domains.Database) []record.Change {
	o, ok := other.(*UserDB)
	if !ok {
		return record.OtherClass(d.Class(), other.Class())
	}
	c := newComparison()
	compare(c, "device", phoneType, &d.Root.Device, &o.Root.Device)
	compare(c, "surroundings", surroundingsType, &d.Root.Surroundings, &o.Root.Surroundings)
	return c.changes
}

func newComparison() *comparison {
	const largest = 1 << 10 // bytes of a record
	return &comparison{a: make([]byte, 0, largest), b: make([]byte, 0, largest)}
}
