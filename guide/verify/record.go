package verify

import (
	"encoding/json"
	"fmt"

	"github.com/tauguide/tauguide/domains/value"
)

// Record is what a verifier answers: the contract's JSON object (docs/reference/guide.md#verifiers).
type Record struct {
	Reconcile Reconcile   `json:"reconcile"`
	Traverse  []Traversal `json:"traverse"`
	Transfer  bool        `json:"transfer"`
	Summary   string      `json:"summary"`
	// Coerced says what of a model's answer was not in the contract's form and was read by its meaning.
	Coerced []string `json:"-"`
}

// Reconcile is the roster of requests.
type Reconcile struct {
	Reasoning string   `json:"reasoning"`
	Intents   []Intent `json:"intents"`
}

// Intent is one entry of the roster.
type Intent struct {
	ID      string `json:"id"`
	Request string `json:"request"`
	Intent  string `json:"intent"` // label of a classifier branch, "" while it is not known
}

// Status says whether a request is settled.
type Status string

// The two states of a request.
const (
	Open Status = "open"
	Done Status = "done"
)

// Traversal is where one request is.
type Traversal struct {
	ID          string    `json:"id"`
	Plan        string    `json:"plan"`
	Walk        []Visit   `json:"walk"`
	Node        string    `json:"node"`
	Status      Status    `json:"status"`
	Authorize   *string   `json:"authorize_tool"`
	Selection   Selection `json:"selection"`
	Grounded    Grounded  `json:"grounded_values"`
	Remediation string    `json:"remediation"`
}

// Visit is one judged node.
type Visit struct {
	Node      string `json:"node"`
	Reasoning string `json:"reasoning"`
	Satisfied bool   `json:"satisfied"`
}

// Selection remembers which record a request is about.
type Selection struct {
	Target   string   `json:"target"`
	RuledOut []string `json:"ruled_out"`
}

// Grounded are the arguments whose source is known, in the order given.
type Grounded []GroundedValue

// GroundedValue is one argument with where it comes from.
type GroundedValue struct {
	Arg    string
	Value  value.Value
	Source string
}

// Map returns the values alone.
func (g Grounded) Map() *value.Map {
	out := &value.Map{}
	for _, v := range g {
		out.Set(v.Arg, v.Value)
	}
	return out
}

// MarshalJSON writes an object by argument name.
func (g Grounded) MarshalJSON() ([]byte, error) {
	out := &value.Map{}
	for _, v := range g {
		out.Set(v.Arg, value.OfMap(value.MapOf(value.Pair{Key: "value", Value: v.Value}, value.Pair{Key: "source", Value: value.OfString(v.Source)})))
	}
	return value.OfMap(out).MarshalJSON()
}

// UnmarshalJSON reads the object; an argument may also be given as its bare value, without a source.
func (g *Grounded) UnmarshalJSON(text []byte) error {
	*g = nil
	v, err := value.Parse(text)
	if err != nil || v.IsNull() {
		return err
	}
	m, ok := v.Map()
	if !ok {
		return fmt.Errorf("grounded_values: want an object by argument, not a %s", v.TypeName())
	}
	for name, x := range m.All() {
		entry := GroundedValue{Arg: name, Value: x}
		if inner, ok := x.Map(); ok {
			if val, has := inner.Get("value"); has {
				entry.Value = val
				source, _ := inner.Get("source")
				entry.Source, _ = source.Text()
			}
		}
		*g = append(*g, entry)
	}
	return nil
}

// Text writes the record as the fenced block of the contract, without the reasoning before it.
func (r Record) Text() (string, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("guide record: %w", err)
	}
	return "```json\n" + string(body) + "\n```", nil
}
