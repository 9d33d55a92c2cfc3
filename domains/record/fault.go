package record

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains/value"
)

// Fault is one way in which a value is not what a field takes: in our words, and as the reference's validation library
// types and words it for the models that its tools build (docs/decisions/003-error-texts.md).
type Fault struct {
	Want    string // such as "an integer"
	Type    string // such as int_type
	Message string
}

// The faults of the types of this package.
var (
	faultText       = Fault{"a string", "string_type", "Input should be a valid string"}
	faultUnicode    = Fault{"a string of whole characters", "string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string"}
	faultInt        = Fault{"an integer", "int_type", "Input should be a valid integer"}
	faultIntText    = Fault{"an integer", "int_parsing", "Input should be a valid integer, unable to parse string as an integer"}
	faultIntPart    = Fault{"an integer, not a number with a fraction", "int_from_float", "Input should be a valid integer, got a number with a fractional part"}
	faultIntSize    = Fault{"an integer of at most 64 bits", "int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size"}
	faultFinite     = Fault{"a finite number", "finite_number", "Input should be a finite number"}
	faultNumber     = Fault{"a number", "float_type", "Input should be a valid number"}
	faultNumberText = Fault{"a number", "float_parsing", "Input should be a valid number, unable to parse string as a number"}
	faultBool       = Fault{"true or false", "bool_type", "Input should be a valid boolean"}
	faultBoolText   = Fault{"true or false", "bool_parsing", "Input should be a valid boolean, unable to interpret input"}
	faultList       = Fault{"a list", "list_type", "Input should be a valid list"}
	faultDict       = Fault{"an object", "dict_type", "Input should be a valid dictionary"}
	faultMissing    = Fault{"a value", "missing", "Field required"}
	faultExtra      = Fault{"no such key", "extra_forbidden", "Extra inputs are not permitted"}
)

func faultModel(name string) Fault {
	return Fault{"an object (" + name + ")", "model_type", "Input should be a valid dictionary or instance of " + name}
}

// faultMember is the fault of what is none of a few texts; kind is literal_error or enum, by how the model declares them.
func faultMember(kind string, members []string) Fault {
	list := quotedList(members)
	return Fault{"one of " + list, kind, "Input should be " + list}
}

// Reference is the error as the reference's validation library prints it.
func (e *InvalidError) Reference() string {
	var b strings.Builder
	plural := "s"
	if len(e.Problems) == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "%d validation error%s for %s", len(e.Problems), plural, e.Model)
	for _, p := range e.Problems {
		for i, key := range p.at {
			if strings.Contains(key, ".") {
				key = "`" + key + "`"
			}
			b.WriteString([]string{"\n", "."}[min(i, 1)] + key)
		}
		fmt.Fprintf(&b, "\n  %s [type=%s, input_value=%s, input_type=%s]\n    For further information visit https://errors.pydantic.dev/2.12/v/%s",
			p.Fault.Message, p.Fault.Type, middleOut(p.Input.Repr()), p.Input.TypeName(), p.Fault.Type)
	}
	return b.String()
}

// middleOut shortens a text of more than 50 bytes to its first 25 and last 24, without the halves of characters.
func middleOut(s string) string {
	if len(s) <= 50 {
		return s
	}
	head, tail := 25, len(s)-24
	for !utf8.RuneStart(s[head]) {
		head--
	}
	for !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "..." + s[tail:]
}

// Problem is one fault: where, what is wrong, what was there.
type Problem struct {
	Path  string // dotted, e.g. passengers.0.dob
	Fault Fault
	Input value.Value // of a key that is missing, the object
	at    []string
}
