package verify

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kaptinlin/jsonrepair"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/tauguide/tauguide/domains/value"
)

//go:embed contract.schema.json
var contractText []byte

// contract compiles the schema of answers at its first use.
var contract = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(contractText))
	if err != nil {
		panic("verify: contract.schema.json: " + err.Error())
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("contract.schema.json", doc); err != nil {
		panic("verify: contract.schema.json: " + err.Error())
	}
	return c.MustCompile("contract.schema.json")
})

// ParseError means that an answer holds no usable record. Its text tells the model what to fix.
type ParseError struct{ Reason string }

func (e *ParseError) Error() string { return "the answer holds no usable state record: " + e.Reason }

// maxAnswer bounds how much of an answer is looked at, in bytes from its end: the record comes last.
const maxAnswer = 1 << 20

var fence = regexp.MustCompile("(?m)^[ \t]*```[ \t]*([A-Za-z0-9_+-]*)[ \t]*$")

// Parse finds the record in a model's answer. The last fenced block that holds one wins, else the last object that
// stands in the text; both may be cut off, or written with the usual slips (trailing commas, single quotes, comments).
// Values in another form than the contract's are read by their meaning, and noted in Coerced.
// The error is a *ParseError.
func Parse(answer string) (Record, error) {
	if len(answer) > maxAnswer {
		answer = answer[len(answer)-maxAnswer:]
	}
	var first error
	for _, text := range candidates(answer) {
		r, err := read(text)
		if err == nil {
			return r, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = errors.New("there is no JSON object in it; end the answer with one fenced json block")
	}
	return Record{}, &ParseError{first.Error()}
}

// candidates lists the texts that may be the record, the likeliest first.
func candidates(answer string) []string {
	var out []string
	add := func(text string) {
		if i := strings.IndexByte(text, '{'); i >= 0 && !slices.Contains(out, text[i:]) {
			out = append(out, text[i:])
		}
	}
	marks := fence.FindAllStringIndex(answer, -1)
	// Marks are paired from the front, so that those of even number open blocks; one without a partner opens a block
	// that was cut off.
	for i := (len(marks) - 1) &^ 1; i >= 0; i -= 2 {
		end := len(answer)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		add(answer[marks[i][1]:end])
	}
	for _, key := range []string{`"reconcile"`, `'reconcile'`, `"traverse"`, `'traverse'`} {
		if i := strings.LastIndex(answer, key); i >= 0 {
			add(answer[max(0, strings.LastIndexByte(answer[:i], '{')):])
			break
		}
	}
	add(answer)
	return out
}

// read makes a record of a text that starts with its brace. What follows the object is ignored. What a record that was
// cut off says last may not be what was meant: it authorizes nothing.
func read(text string) (Record, error) {
	raw, cut, err := object(text)
	if err != nil {
		return Record{}, err
	}
	answer, err := value.Parse(raw)
	if err != nil {
		return Record{}, fmt.Errorf("the JSON cannot be read: %w", err)
	}
	var r reading
	if raw, err = r.record(answer).MarshalJSON(); err != nil {
		return Record{}, fmt.Errorf("the JSON cannot be read: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return Record{}, fmt.Errorf("the JSON cannot be read: %w", err)
	}
	if err := contract().Validate(doc); err != nil {
		return Record{}, complaints(err)
	}
	out := Record{Coerced: r.notes}
	if err := json.Unmarshal(raw, &out); err != nil {
		return Record{}, fmt.Errorf("the JSON does not follow the output contract: %w", err)
	}
	if n := len(out.Traverse); cut && n > 0 {
		out.Traverse[n-1].Authorize = nil
	}
	return out, nil
}

// object reads the first JSON value of the text as it is, or else after repair; cut says that its end is missing.
func object(text string) (raw json.RawMessage, cut bool, err error) {
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&raw); err == nil {
		return raw, false, nil
	}
	text, whole := balanced(text)
	fixed, err := jsonrepair.Repair(text)
	if err != nil {
		return nil, false, fmt.Errorf("the JSON is broken beyond repair: %w", err)
	}
	if err := json.Unmarshal([]byte(fixed), &raw); err != nil || len(fixed) == 0 || fixed[0] != '{' {
		return nil, false, errors.New("the JSON is broken beyond repair: it is no object")
	}
	return raw, !whole, nil
}

// balanced cuts the text behind the brace that closes its first one, if there is such a brace; quotes of either kind
// hide braces.
func balanced(text string) (object string, whole bool) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote && closes(text[i+1:]) {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return text[:i+1], true
			}
		}
	}
	return text, false
}

// closes reports whether a quote before the text ends a string: only then does a sign of structure follow. It tells an
// apostrophe from a closing single quote.
func closes(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || strings.IndexByte(",:]}", rest[0]) >= 0
}

// maxComplaints bounds what a model is told about one answer.
const maxComplaints = 5

func complaints(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var list []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) == 0 && len(list) < maxComplaints {
			list = append(list, "/"+strings.Join(e.InstanceLocation, "/")+": "+e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
		}
	}
	walk(invalid)
	return errors.New("the JSON does not follow the output contract: " + strings.Join(list, "; "))
}
