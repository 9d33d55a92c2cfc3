package telecom

import (
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Accounts is the agent's database: what the company knows (docs/reference/domains.md#accounts). Days and moments are
// texts in the form in which they are dumped.
type Accounts struct {
	Plans     []Plan
	Customers []Customer
	Lines     []Line
	Bills     []Bill
	Devices   []Device
}

// Plan is a tariff: gigabytes and dollars per month, dollars per refueled gigabyte.
type Plan struct {
	ID, Name                       string
	DataLimit, Price, PricePerFuel float64
}

// Customer is an account with its lines and bills.
type Customer struct {
	ID, FullName, DateOfBirth string
	Email, Phone              string
	Address                   Address
	Status                    string
	PaymentMethods            []PaymentMethod
	LineIDs, BillIDs          []string
	CreatedAt                 string
	LastExtension             *string
	GoodwillCredit            float64
}

// Address is a postal address.
type Address struct{ Street, City, State, Zip string }

// PaymentMethod is a card or account that the customer pays with.
type PaymentMethod struct{ Kind, LastFour, Expires string }

// Line is a phone line. DataUsed holds whatever set_data_usage was given, unchecked.
type Line struct {
	ID, Phone      string
	Status         string
	PlanID         string
	DeviceID       *string
	DataUsed       value.Value
	DataRefueled   float64
	Roaming        bool
	ContractEnd    *string
	PlanChanged    *string
	SIMReplaced    *string
	SuspendedSince *string
}

// Bill is one month's bill of a customer.
type Bill struct {
	ID, CustomerID                   string
	PeriodStart, PeriodEnd, IssuedOn string
	Total                            float64
	DueOn                            string
	Items                            []LineItem
	Status                           string
}

// LineItem is one position of a bill.
type LineItem struct {
	Description string
	Amount      float64
	Date, Kind  string
}

// Device is a device that a line is used with.
type Device struct {
	ID, Kind, Model string
	IMEI            *string
	ESIM, Activated bool
	ActivatedAt     *string
	TransferredAt   *string
}

// The states that the tools ask for or set.
const (
	lineActive    = "Active"
	lineSuspended = "Suspended"
	linePending   = "Pending Activation"

	billDraft    = "Draft"
	billAwaiting = "Awaiting Payment"
	billPaid     = "Paid"
	billOverdue  = "Overdue"
)

// always is the default of an optional field.
func always[T any](v T) func() T { return func() T { return v } }

func none[T any]() []T { return []T{} }

func null() *string { return nil }

var planType = record.Struct(record.Model{Name: "Plan", Closed: true},
	record.F("plan_id", record.String, func(p *Plan) *string { return &p.ID }),
	record.F("name", record.String, func(p *Plan) *string { return &p.Name }),
	record.F("data_limit_gb", record.Float, func(p *Plan) *float64 { return &p.DataLimit }),
	record.F("price_per_month", record.Float, func(p *Plan) *float64 { return &p.Price }),
	record.F("data_refueling_price_per_gb", record.Float, func(p *Plan) *float64 { return &p.PricePerFuel }),
)

var addressType = record.Struct(record.Model{Name: "Address", Closed: true},
	record.F("street", record.String, func(a *Address) *string { return &a.Street }),
	record.F("city", record.String, func(a *Address) *string { return &a.City }),
	record.F("state", record.String, func(a *Address) *string { return &a.State }),
	record.F("zip_code", record.String, func(a *Address) *string { return &a.Zip }),
)

var paymentMethodType = record.Struct(record.Model{Name: "PaymentMethod", Closed: true},
	record.F("method_type", record.Enum("Credit Card", "Debit Card", "PayPal"), func(m *PaymentMethod) *string { return &m.Kind }),
	record.F("account_number_last_4", record.String, func(m *PaymentMethod) *string { return &m.LastFour }),
	record.F("expiration_date", record.String, func(m *PaymentMethod) *string { return &m.Expires }),
)

var customerType = record.Struct(record.Model{Name: "Customer", Closed: true},
	record.F("customer_id", record.String, func(c *Customer) *string { return &c.ID }),
	record.F("full_name", record.String, func(c *Customer) *string { return &c.FullName }),
	record.F("date_of_birth", record.String, func(c *Customer) *string { return &c.DateOfBirth }),
	record.F("email", record.String, func(c *Customer) *string { return &c.Email }),
	record.F("phone_number", record.String, func(c *Customer) *string { return &c.Phone }),
	record.F("address", addressType, func(c *Customer) *Address { return &c.Address }),
	record.Opt("account_status", record.Enum("Active", "Suspended", "Pending Verification", "Closed"),
		func(c *Customer) *string { return &c.Status }, always("Pending Verification")),
	record.Opt("payment_methods", record.ListOf(paymentMethodType), func(c *Customer) *[]PaymentMethod { return &c.PaymentMethods },
		none[PaymentMethod]),
	record.Opt("line_ids", record.ListOf(record.String), func(c *Customer) *[]string { return &c.LineIDs }, none[string]),
	record.Opt("bill_ids", record.ListOf(record.String), func(c *Customer) *[]string { return &c.BillIDs }, none[string]),
	// The reference's default is a day where it means a moment, and dumps as one.
	record.Opt("created_at", dateTimeType, func(c *Customer) *string { return &c.CreatedAt }, always("2025-01-01")),
	record.Opt("last_extension_date", dateOrNull, func(c *Customer) **string { return &c.LastExtension }, null),
	record.Opt("goodwill_credit_used_this_year", record.Float, func(c *Customer) *float64 { return &c.GoodwillCredit }, always(0.0)),
)

var lineType = record.Struct(record.Model{Name: "Line", Closed: true},
	record.F("line_id", record.String, func(l *Line) *string { return &l.ID }),
	record.F("phone_number", record.String, func(l *Line) *string { return &l.Phone }),
	record.Opt("status", record.Enum(lineActive, lineSuspended, linePending, "Closed"), func(l *Line) *string { return &l.Status },
		always(linePending)),
	record.F("plan_id", record.String, func(l *Line) *string { return &l.PlanID }),
	record.Opt("device_id", textOrNull, func(l *Line) **string { return &l.DeviceID }, null),
	record.Opt("data_used_gb", record.Raw(record.Float), func(l *Line) *value.Value { return &l.DataUsed }, always(value.OfFloat(0))),
	record.Opt("data_refueling_gb", record.Float, func(l *Line) *float64 { return &l.DataRefueled }, always(0.0)),
	record.Opt("roaming_enabled", record.Bool, func(l *Line) *bool { return &l.Roaming }, always(false)),
	record.Opt("contract_end_date", dateOrNull, func(l *Line) **string { return &l.ContractEnd }, null),
	record.Opt("last_plan_change_date", dateOrNull, func(l *Line) **string { return &l.PlanChanged }, null),
	record.Opt("last_sim_replacement_date", dateOrNull, func(l *Line) **string { return &l.SIMReplaced }, null),
	record.Opt("suspension_start_date", dateOrNull, func(l *Line) **string { return &l.SuspendedSince }, null),
)

var lineItemType = record.Struct(record.Model{Name: "LineItem", Closed: true},
	record.F("description", record.String, func(i *LineItem) *string { return &i.Description }),
	record.F("amount", record.Float, func(i *LineItem) *float64 { return &i.Amount }),
	record.F("date", dateType, func(i *LineItem) *string { return &i.Date }),
	record.F("item_type", record.String, func(i *LineItem) *string { return &i.Kind }),
)

var billType = record.Struct(record.Model{Name: "Bill", Closed: true},
	record.F("bill_id", record.String, func(b *Bill) *string { return &b.ID }),
	record.F("customer_id", record.String, func(b *Bill) *string { return &b.CustomerID }),
	record.F("period_start", dateType, func(b *Bill) *string { return &b.PeriodStart }),
	record.F("period_end", dateType, func(b *Bill) *string { return &b.PeriodEnd }),
	record.F("issue_date", dateType, func(b *Bill) *string { return &b.IssuedOn }),
	record.F("total_due", record.Float, func(b *Bill) *float64 { return &b.Total }),
	record.F("due_date", dateType, func(b *Bill) *string { return &b.DueOn }),
	record.Opt("line_items", record.ListOf(lineItemType), func(b *Bill) *[]LineItem { return &b.Items }, none[LineItem]),
	record.Opt("status", record.Enum(billDraft, "Issued", billAwaiting, billPaid, billOverdue, "Disputed"),
		func(b *Bill) *string { return &b.Status }, always(billDraft)),
)

var deviceType = record.Struct(record.Model{Name: "Device", Closed: true},
	record.F("device_id", record.String, func(d *Device) *string { return &d.ID }),
	record.F("device_type", record.Enum("phone", "router", "tablet", "watch", "other"), func(d *Device) *string { return &d.Kind }),
	record.F("model", record.String, func(d *Device) *string { return &d.Model }),
	record.Opt("imei", textOrNull, func(d *Device) **string { return &d.IMEI }, null),
	record.F("is_esim_capable", record.Bool, func(d *Device) *bool { return &d.ESIM }),
	record.Opt("activated", record.Bool, func(d *Device) *bool { return &d.Activated }, always(false)),
	record.Opt("activation_date", dateTimeOrNull, func(d *Device) **string { return &d.ActivatedAt }, null),
	record.Opt("last_esim_transfer_date", dateTimeOrNull, func(d *Device) **string { return &d.TransferredAt }, null),
)

var accountsType = record.Struct(record.Model{Name: "TelecomDB", Closed: true},
	record.Opt("plans", record.ListOf(planType), func(a *Accounts) *[]Plan { return &a.Plans }, none[Plan]),
	record.Opt("customers", record.ListOf(customerType), func(a *Accounts) *[]Customer { return &a.Customers }, none[Customer]),
	record.Opt("lines", record.ListOf(lineType), func(a *Accounts) *[]Line { return &a.Lines }, none[Line]),
	record.Opt("bills", record.ListOf(billType), func(a *Accounts) *[]Bill { return &a.Bills }, none[Bill]),
	record.Opt("devices", record.ListOf(deviceType), func(a *Accounts) *[]Device { return &a.Devices }, none[Device]),
)

// AgentDB is a trial's copy of the agent's database.
type AgentDB struct {
	record.Tree[Accounts]
	drafts int // bills that were drafted so far, of which their ids are made
}

func newAgentDB(a *Accounts) *AgentDB { return &AgentDB{Tree: record.NewTree(accountsType, a)} }
