package record_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// The models that the recorded coercions aim at, with the fields that occur.
type (
	payment struct {
		ID     string
		Amount value.Value
	}
	certificate struct{ Amount float64 }
	apn         struct {
		Name, URL  string
		Reset      bool
		MMS, Proxy *string
		Port       *value.Value
	}
	passenger   struct{ First, Last, Birth string }
	reservation struct {
		Passengers []passenger
		Insurance  string
	}
	entry struct{ Description *string }
)

var (
	paymentType = record.Struct(record.Model{Name: "Payment"},
		record.F("payment_id", record.String, func(p *payment) *string { return &p.ID }),
		record.F("amount", record.AnyInt, func(p *payment) *value.Value { return &p.Amount }))

	certificateType = record.Struct(record.Model{Name: "Certificate"},
		record.F("amount", record.Float, func(c *certificate) *float64 { return &c.Amount }))

	apnType = record.Struct(record.Model{Name: "APNSettings", Closed: true},
		record.Opt("apn_name", record.NamedEnum("APNNames", "internet", "broken"), func(a *apn) *string { return &a.Name },
			func() string { return "internet" }),
		record.Opt("reset_at_reboot", record.Bool, func(a *apn) *bool { return &a.Reset }, func() bool { return false }),
		record.Opt("mms_apn", record.Nullable(record.String), func(a *apn) **string { return &a.MMS },
			func() *string { s := "mms"; return &s }),
		record.Opt("mmsc_url", record.String, func(a *apn) *string { return &a.URL },
			func() string { return "http://mms.carrier.com/mms/wapenc" }),
		record.OrNull("mms_proxy", record.String, func(a *apn) **string { return &a.Proxy }),
		record.OrNull("mms_port", record.AnyInt, func(a *apn) **value.Value { return &a.Port }))

	passengerType = record.Struct(record.Model{Name: "Passenger"},
		record.F("first_name", record.String, func(p *passenger) *string { return &p.First }),
		record.F("last_name", record.String, func(p *passenger) *string { return &p.Last }),
		record.F("dob", record.String, func(p *passenger) *string { return &p.Birth }))

	reservationType = record.Struct(record.Model{Name: "Reservation"},
		record.F("passengers", record.ListOf(passengerType), func(r *reservation) *[]passenger { return &r.Passengers }),
		record.F("insurance", record.Enum("yes", "no"), func(r *reservation) *string { return &r.Insurance }))

	entryType = record.Struct(record.Model{Name: "Task"},
		record.OrNull("description", record.String, func(e *entry) **string { return &e.Description }))
)

// target loads an input as the recorded cases of one name did: as one field of an otherwise valid record, of which
// that field is shown; or as the whole record.
type target struct {
	rest  string // the other fields, a JSON object
	field string // "" for the whole
	load  func(v value.Value) (value.Value, error)
}

func loading[T any](t record.Type[T]) func(value.Value) (value.Value, error) {
	return func(v value.Value) (value.Value, error) {
		x, err := t.Load(v)
		if err != nil {
			return value.Value{}, err
		}
		return t.Value(&x), nil
	}
}

var targets = map[string]target{
	"Payment.amount(int)":                   {`{"payment_id": "p"}`, "amount", loading(paymentType)},
	"Payment.payment_id(str)":               {`{"amount": 1}`, "payment_id", loading(paymentType)},
	"Certificate.amount(float)":             {`{}`, "amount", loading(certificateType)},
	"APNSettings.reset_at_reboot(bool)":     {`{}`, "reset_at_reboot", loading(apnType)},
	"APNSettings.mms_port(optional int)":    {`{}`, "mms_port", loading(apnType)},
	"APNSettings.mms_apn(optional str)":     {`{}`, "mms_apn", loading(apnType)},
	"APNSettings.apn_name(enum)":            {`{}`, "apn_name", loading(apnType)},
	"Reservation.insurance(literal)":        {`{"passengers": []}`, "insurance", loading(reservationType)},
	"Reservation.passengers(list of model)": {`{"insurance": "no"}`, "passengers", loading(reservationType)},
	"Reservation.passengers[0](model)":      {`{"insurance": "no"}`, "passengers", loading(reservationType)},
	"Task.description(optional str)":        {`{}`, "description", loading(entryType)},
	"Passenger(**input)":                    {load: loading(passengerType)},
	"APNSettings(**input)":                  {load: loading(apnType)},
}

func (g target) run(t *testing.T, name string, in value.Value) (value.Value, error) {
	t.Helper()
	if g.field == "" {
		return g.load(in)
	}
	if strings.HasSuffix(name, "[0](model)") {
		in = value.OfList([]value.Value{in, parse(t, `{"first_name": "A", "last_name": "B", "dob": "C"}`)})
	}
	whole := value.Merge(parse(t, g.rest), value.OfMap(value.MapOf(value.Pair{Key: g.field, Value: in})))
	out, err := g.load(whole)
	if err != nil {
		return out, err
	}
	m, _ := out.Map()
	field, _ := m.Get(g.field)
	return field, nil
}

// TestCoercionVectors replays the recorded coercions: what is accepted becomes the same value, and what is refused has
// the recorded error.
func TestCoercionVectors(t *testing.T) {
	var file struct {
		Cases []struct {
			Target string      `json:"target"`
			Input  value.Value `json:"input"`
			Dump   *string     `json:"json_dumps"`
			Error  *string     `json:"error"`
		} `json:"cases"`
	}
	domaintest.Vectors(t, "coerce.json", &file)
	ok, failed := 0, 0
	for _, c := range file.Cases {
		g, known := targets[c.Target]
		if !known {
			t.Fatalf("no model for %s", c.Target)
		}
		got, err := g.run(t, c.Target, c.Input)
		switch {
		case c.Error != nil && err == nil:
			t.Errorf("%s of %s: got %s, recorded an error:\n%s", c.Target, c.Input.Repr(), dump(got), *c.Error)
		case c.Error != nil:
			failed++
			if diff := cmp.Diff(*c.Error, reference(err)); diff != "" {
				t.Errorf("%s of %s: error (-recorded +got):\n%s", c.Target, c.Input.Repr(), diff)
			}
		case err != nil:
			t.Errorf("%s of %s: %v; recorded %s", c.Target, c.Input.Repr(), err, *c.Dump)
		case dump(got) != *c.Dump:
			t.Errorf("%s of %s: got %s, recorded %s", c.Target, c.Input.Repr(), dump(got), *c.Dump)
		default:
			ok++
		}
	}
	if len(file.Cases) != 1109 || !t.Failed() && ok+failed != 1109 {
		t.Errorf("compared %d cases (%d accepted, %d refused), want 1109", len(file.Cases), ok, failed)
	}
}

// reference is the error as the reference words it.
func reference(err error) string {
	var invalid *record.InvalidError
	if !errors.As(err, &invalid) {
		return ""
	}
	return invalid.Reference()
}

// TestNumerals holds the texts of numbers that are accepted against a list of all short ones.
func TestNumerals(t *testing.T) {
	facts, err := os.ReadFile("testdata/numerals.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(facts)) {
		if kind, rest, _ := strings.Cut(strings.TrimSpace(line), ` "`); !strings.HasPrefix(line, "#") {
			text, dumped, _ := strings.Cut(rest, `" `)
			want[kind+" "+text] = dumped
		}
	}
	kinds := map[string]func(value.Value) (value.Value, error){"int": loading(record.AnyInt), "float": loading(record.Float)}
	texts := []string{""}
	for range 4 {
		var longer []string
		for _, s := range texts {
			for _, c := range "1_.+-0e " {
				longer = append(longer, s+string(c))
			}
		}
		texts = longer
		for _, s := range texts {
			for kind, load := range kinds {
				v, err := load(value.OfString(s))
				switch dumped, ok := want[kind+" "+s]; {
				case ok != (err == nil):
					t.Errorf("%s of %q: accepted %v, want %v", kind, s, err == nil, ok)
				case ok && dump(v) != dumped:
					t.Errorf("%s of %q: got %s, want %s", kind, s, dump(v), dumped)
				}
				delete(want, kind+" "+s)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not tried: %v", want)
	}
}

func TestCoercionsBesideTheVectors(t *testing.T) {
	integers, floats := loading(record.Int), loading(record.Float)
	for _, tt := range []struct {
		name string
		load func(value.Value) (value.Value, error)
		in   string
		want string // dump, or what the error says
	}{
		{"two signs", integers, `"+-5"`, "want an integer, got '+-5'"},
		{"minus and plus", integers, `"-+5"`, "want an integer"},
		{"sign alone", integers, `"+"`, "want an integer"},
		{"sign within", integers, `"1-"`, "want an integer"},
		{"blank within", integers, `"1 2"`, "want an integer"},
		{"zeros behind the point", integers, `"-7.000"`, "-7"},
		{"bound of 64 bits", integers, `-9223372036854775808`, "-9223372036854775808"},
		{"beyond 64 bits", integers, `9223372036854775808`, "want an integer of at most 64 bits"},
		{"text beyond 64 bits", integers, `"9223372036854775808"`, "want an integer of at most 64 bits"},
		{"float at the bound", integers, `-9223372036854775808.0`, "want an integer of at most 64 bits"},
		{"signed infinity", floats, `"+inf"`, "Infinity"},
		{"signed nan", floats, `"-nan"`, "NaN"},
		{"infinity spelled out", floats, `" -InFiNiTy "`, "-Infinity"},
		{"underscore in the exponent", floats, `"1e1_0"`, "10000000000.0"},
		{"hexadecimal", floats, `"0x1p-2"`, "want a number"},
		{"two signs of a float", floats, `"--1"`, "want a number"},
		{"exponent alone", floats, `"e5"`, "want a number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := tt.load(parse(t, tt.in))
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %q does not say %q", err, tt.want)
				}
				return
			}
			if dump(v) != tt.want {
				t.Errorf("got %s, want %s", dump(v), tt.want)
			}
		})
	}
}
