package telecom

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Every evaluation compares the databases of two trials, of which nearly all records are equal. So records are compared
// one by one, first by their Go fields; only what differs is worth a dump, and what still differs a dynamic form.

// comparison collects the differences between two databases; its buffers serve one record after the other.
type comparison struct {
	a, b    []byte
	changes []record.Change
}

func newComparison() *comparison {
	const largest = 1 << 10 // bytes of a record
	return &comparison{a: make([]byte, 0, largest), b: make([]byte, 0, largest)}
}

// compare adds the differences between two records at a path.
func compare[T any](c *comparison, path string, t record.Type[T], a, b *T) {
	c.a = t.Dump(c.a[:0], a, value.Sorted)
	c.b = t.Dump(c.b[:0], b, value.Sorted)
	if string(c.a) != string(c.b) {
		c.changes = record.DiffValues(path, t.Value(a), t.Value(b), c.changes)
	}
}

// compareLists compares by position; lists of different lengths are compared whole. same may say no to records that
// are equal, never yes to records that dump differently.
func compareLists[T any](c *comparison, path string, t record.Type[T], same func(a, b *T) bool, a, b []T) {
	if len(a) != len(b) {
		l := record.ListOf(t)
		c.changes = record.DiffValues(path, l.Value(&a), l.Value(&b), c.changes)
		return
	}
	for i := range a {
		if !same(&a[i], &b[i]) {
			compare(c, path+"."+strconv.Itoa(i), t, &a[i], &b[i])
		}
	}
}

// Diff lists where another database of the agent's side (got) differs from d (wanted), by path.
func (d *AgentDB) Diff(other domains.Database) []record.Change {
	o, ok := other.(*AgentDB)
	if !ok {
		return record.OtherClass(d.Class(), other.Class())
	}
	c := newComparison()
	compareLists(c, "bills", billType, sameBill, d.Root.Bills, o.Root.Bills)
	compareLists(c, "customers", customerType, sameCustomer, d.Root.Customers, o.Root.Customers)
	compareLists(c, "devices", deviceType, sameDevice, d.Root.Devices, o.Root.Devices)
	compareLists(c, "lines", lineType, sameLine, d.Root.Lines, o.Root.Lines)
	compareLists(c, "plans", planType, samePlan, d.Root.Plans, o.Root.Plans)
	return c.changes
}

// apart makes a type of each field of a record, so that a difference does not cost the dynamic form of them all.
func apart[T any](fields []record.Field[T]) []record.Type[T] {
	out := make([]record.Type[T], len(fields))
	for i, f := range fields {
		out[i] = record.Struct(record.Model{}, f)
	}
	return out
}

var (
	phoneParts        = apart(phoneFields)
	surroundingsParts = apart(surroundingsFields)
)

// Diff lists where another database of the user's side (got) differs from d (wanted), by path.
func (d *UserDB) Diff(other domains.Database) []record.Change {
	o, ok := other.(*UserDB)
	if !ok {
		return record.OtherClass(d.Class(), other.Class())
	}
	c := newComparison()
	for _, part := range phoneParts {
		compare(c, "device", part, &d.Root.Device, &o.Root.Device)
	}
	for _, part := range surroundingsParts {
		compare(c, "surroundings", part, &d.Root.Surroundings, &o.Root.Surroundings)
	}
	slices.SortFunc(c.changes, func(x, y record.Change) int { return strings.Compare(x.Path, y.Path) })
	return c.changes
}

func sameFloat(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func samePlan(a, b *Plan) bool {
	return a.ID == b.ID && a.Name == b.Name && sameFloat(a.DataLimit, b.DataLimit) && sameFloat(a.Price, b.Price) &&
		sameFloat(a.PricePerFuel, b.PricePerFuel)
}

func sameCustomer(a, b *Customer) bool {
	return a.ID == b.ID && a.FullName == b.FullName && a.DateOfBirth == b.DateOfBirth && a.Email == b.Email && a.Phone == b.Phone &&
		a.Address == b.Address && a.Status == b.Status && slices.Equal(a.PaymentMethods, b.PaymentMethods) &&
		slices.Equal(a.LineIDs, b.LineIDs) && slices.Equal(a.BillIDs, b.BillIDs) && a.CreatedAt == b.CreatedAt &&
		sameText(a.LastExtension, b.LastExtension) && sameFloat(a.GoodwillCredit, b.GoodwillCredit)
}

func sameLine(a, b *Line) bool {
	return a.ID == b.ID && a.Phone == b.Phone && a.Status == b.Status && a.PlanID == b.PlanID && sameText(a.DeviceID, b.DeviceID) &&
		sameUsage(a.DataUsed, b.DataUsed) && sameFloat(a.DataRefueled, b.DataRefueled) && a.Roaming == b.Roaming &&
		sameText(a.ContractEnd, b.ContractEnd) && sameText(a.PlanChanged, b.PlanChanged) && sameText(a.SIMReplaced, b.SIMReplaced) &&
		sameText(a.SuspendedSince, b.SuspendedSince)
}

// sameUsage leaves all but floats to the dump.
func sameUsage(a, b value.Value) bool {
	x, _ := a.Float64()
	y, _ := b.Float64()
	return a.Kind() == value.Float && b.Kind() == value.Float && sameFloat(x, y)
}

func sameBill(a, b *Bill) bool {
	return a.ID == b.ID && a.CustomerID == b.CustomerID && a.PeriodStart == b.PeriodStart && a.PeriodEnd == b.PeriodEnd &&
		a.IssuedOn == b.IssuedOn && sameFloat(a.Total, b.Total) && a.DueOn == b.DueOn && a.Status == b.Status &&
		slices.EqualFunc(a.Items, b.Items, sameItem)
}

func sameItem(a, b LineItem) bool {
	return a.Description == b.Description && sameFloat(a.Amount, b.Amount) && a.Date == b.Date && a.Kind == b.Kind
}

func sameDevice(a, b *Device) bool {
	return a.ID == b.ID && a.Kind == b.Kind && a.Model == b.Model && sameText(a.IMEI, b.IMEI) && a.ESIM == b.ESIM &&
		a.Activated == b.Activated && sameText(a.ActivatedAt, b.ActivatedAt) && sameText(a.TransferredAt, b.TransferredAt)
}
