package telecom

import (
	"math"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The questions that a task asks of the end state (docs/reference/domains.md#set-up-functions). Expectations are
// compared as the reference compares: 1 equals true.

// refuelTolerance is how far a refueled amount may be off, in gigabytes.
const refuelTolerance = 1e-6

var agentAssertions = []agentFunc{
	{Name: "assert_data_refueling_amount", Params: given("customer_id", "line_id", "expected_amount"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		_, l, err := db.targetLine(a)
		if err != nil {
			return value.Value{}, err
		}
		off, err := value.Sub(value.OfFloat(l.DataRefueled), a.Get("expected_amount"), "-")
		if err != nil {
			return value.Value{}, err
		}
		f, _ := off.Float64()
		return value.OfBool(math.Abs(f) < refuelTolerance), nil
	}},
	{Name: "assert_line_status", Params: given("customer_id", "line_id", "expected_status"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		_, l, err := db.targetLine(a)
		if err != nil {
			return value.Value{}, err
		}
		return equals(a, value.OfString(l.Status)), nil
	}},
	{Name: "assert_overdue_bill_exists", Params: given("customer_id", "overdue_bill_id"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		c, err := db.customer(a.Get("customer_id"))
		if err != nil {
			return value.Value{}, err
		}
		id := a.Get("overdue_bill_id")
		if s, ok := id.Text(); !ok || !slices.Contains(c.BillIDs, s) {
			return value.Value{}, domains.Refuse("Overdue bill %s not found", id.Str())
		}
		b, err := db.bill(id)
		if err != nil {
			return value.Value{}, err
		}
		if b.Status != billOverdue {
			return value.Value{}, domains.Refuse("Overdue bill %s is not overdue", id.Str())
		}
		return value.OfBool(true), nil
	}},
	{Name: "assert_no_overdue_bill", Params: given("overdue_bill_id"), Run: func(db *AgentDB, a toolkit.Args) (value.Value, error) {
		b, err := db.bill(a.Get("overdue_bill_id"))
		return value.OfBool(err != nil || b.Status == billPaid), nil
	}},
}

// equals compares with the argument expected_status.
func equals(a toolkit.Args, got value.Value) value.Value {
	return value.OfBool(value.Equal(got, a.Get("expected_status")))
}

// asserts declares the assertion that a fact about the phone is as expected.
func asserts(name string, fact func(*UserDB) (bool, error)) userFunc {
	return userFunc{Name: name, Params: given("expected_status"), Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
		is, err := fact(db)
		if err != nil {
			return value.Value{}, err
		}
		return equals(a, value.OfBool(is)), nil
	}}
}

var userAssertions = []userFunc{
	asserts("assert_airplane_mode_status", func(db *UserDB) (bool, error) { return db.Root.Device.Airplane, nil }),
	{Name: "assert_service_status", Params: given("expected_status"), Run: func(db *UserDB, a toolkit.Args) (value.Value, error) {
		want := a.Get("expected_status")
		if s, ok := want.Text(); !ok || !slices.Contains(statuses, s) {
			return value.Value{}, domains.Refuse("%s is not a valid NetworkStatus", want.Repr())
		}
		return equals(a, value.OfString(db.Root.Device.Status)), nil
	}},
	asserts("assert_mobile_data_status", func(db *UserDB) (bool, error) { return db.dataWorks(), nil }),
	asserts("assert_mobile_roaming_status", func(db *UserDB) (bool, error) { return db.Root.Device.Roaming, nil }),
	asserts("assert_mobile_data_saver_mode_status", func(db *UserDB) (bool, error) { return db.Root.Device.DataSaver, nil }),
	{Name: "assert_internet_speed", Params: append(given("expected_speed"), toolkit.Text("expected_desc", "").Or(value.Value{})), Run: assertSpeed},
	{Name: "assert_internet_not_excellent", Run: func(db *UserDB, _ toolkit.Args) (value.Value, error) {
		_, grade, _ := db.speed()
		return value.OfBool(grade != "Excellent"), nil
	}},
	asserts("assert_can_send_mms", (*UserDB).canSendMMS),
	asserts("assert_mobile_data_usage_exceeded", func(db *UserDB) (bool, error) { return db.Root.Surroundings.UsageExceeded, nil }),
}

func assertSpeed(db *UserDB, a toolkit.Args) (value.Value, error) {
	mbps, grade, _ := db.speed()
	c, ok, err := value.Compare(value.OfFloat(mbps), a.Get("expected_speed"), ">=")
	if err != nil {
		return value.Value{}, err
	}
	fast := ok && c >= 0
	if desc := a.Get("expected_desc"); fast && !desc.IsNull() {
		want, err := toolkit.Lower(desc)
		if err != nil {
			return value.Value{}, err
		}
		return value.OfBool(value.Lower(grade) == want), nil
	}
	return value.OfBool(fast), nil
}
