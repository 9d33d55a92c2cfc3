package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/sim"
)

// Params are parameters of a system as JSON, empty if it has none.
type Params json.RawMessage

// Decode fills a struct with the parameters. What the struct holds already are the defaults. A parameter that it does
// not have, or has in other letters, is an error that lists those that it has.
func (p Params) Decode(into any) error {
	if len(bytes.TrimSpace(p)) == 0 {
		return nil
	}
	if err := p.known(into); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(p))
	if err := d.Decode(into); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return fmt.Errorf("parameters: %s is %s: %s", kind.Field, article(kind.Value), wanted(kind.Type.Kind().String()))
		}
		return fmt.Errorf("parameters: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("parameters: text after the JSON value: give one object")
	}
	return nil
}

// known checks the names of the parameters against those that the struct writes itself.
func (p Params) known(into any) error {
	given, has := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.NewDecoder(bytes.NewReader(p)).Decode(&given); err != nil {
		return fmt.Errorf("%.60s is no mapping: write them as {name: value}", p)
	}
	own, err := json.Marshal(into)
	if err == nil {
		err = json.Unmarshal(own, &has)
	}
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := has[name]; ok {
			continue
		}
		if len(has) == 0 {
			return fmt.Errorf("unknown parameter %q: there are none here", name)
		}
		return fmt.Errorf("unknown parameter %q: choose of %s", name, strings.Join(slices.Sorted(maps.Keys(has)), ", "))
	}
	return nil
}

// article puts the name of a JSON type, or a number that does not fit, into a sentence.
func article(value string) string {
	switch value {
	case "string", "number", "bool":
		return "a " + value
	case "array", "object":
		return "an " + value
	}
	return "a " + strings.Replace(value, "number ", "number, ", 1)
}

func wanted(kind string) string {
	switch kind {
	case "string":
		return "write a text, in quotes where it looks like something else"
	case "bool":
		return "write true or false"
	case "int", "int64", "float64":
		return "write a number within reason, without quotes"
	}
	return "write " + kind
}

// verifierModel names the model that an overlay's parameters ask for under model.
func verifierModel(p Params) []string {
	var in struct {
		Model string `json:"model"`
	}
	if len(p) == 0 || json.Unmarshal(p, &in) != nil || in.Model == "" {
		return nil // what is wrong with them is said when the agent is made
	}
	return []string{in.Model}
}

// readTimeout reads the parameter timeout.
func readTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("parameters: timeout is %q: write it like 90s or 3m, or 0s for none", text)
	}
	return d, nil
}

// oneOf checks a parameter with a few values.
func oneOf[T ~string](name string, got T, choices ...T) error {
	if slices.Contains(choices, got) {
		return nil
	}
	list := make([]string, len(choices))
	for i, c := range choices {
		list[i] = string(c)
	}
	return fmt.Errorf("parameters: %s is %q\nhint: choose one of %s", name, got, strings.Join(list, ", "))
}

// atLeast checks a parameter that is a number.
func atLeast(name string, got, least int) error {
	if got >= least {
		return nil
	}
	return fmt.Errorf("parameters: %s is %d\nhint: give at least %d", name, got, least)
}

// verifierModel is the model that a parameter names, or the agent's own without a name, in the role of a verifier and at
// temperature 0.
func (s Setup) verifierModel(name, role string) (*sim.Model, error) {
	model := s.Model
	if name != "" {
		if s.Models == nil {
			return nil, fmt.Errorf("parameters: model is %q, but there are no models to choose from here\nhint: leave it out", name)
		}
		if model = s.Models(name); model == nil {
			return nil, fmt.Errorf("parameters: there is no model %q\nhint: add it under models", name)
		}
	}
	if model == nil {
		return nil, errors.New("a verifier needs a model\nhint: add model to its parameters or to the system")
	}
	model = model.With(role)
	zero := 0.0
	model.Base.Temperature = &zero
	return model, nil
}
