package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains/yamlfile"
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
	var given, has map[string]json.RawMessage
	if err := json.Unmarshal(p, &given); err != nil {
		return fmt.Errorf("parameters: %.60s is no mapping\nhint: write them as {name: value}", p)
	}
	own, err := json.Marshal(into)
	if err == nil {
		err = json.Unmarshal(own, &has)
	}
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := has[name]; ok {
			continue
		}
		if len(has) == 0 {
			return fmt.Errorf("parameters: unknown parameter %q\nhint: remove it, there are none here", name)
		}
		return fmt.Errorf("parameters: unknown parameter %q\nhint: %s", name, yamlfile.Suggest(name, slices.Collect(maps.Keys(has))))
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(p, into); {
	case errors.As(err, &wrong):
		return fmt.Errorf("parameters: %s does not accept this value (%s)\nhint: write %s", wrong.Field, wrong.Value, forms[wrong.Type.Kind()])
	case err != nil:
		return fmt.Errorf("parameters: %w", err)
	}
	return nil
}

// forms say how parameters of each kind are written.
var forms = map[reflect.Kind]string{
	reflect.String: "a text, in quotes where it looks like something else",
	reflect.Bool:   "true or false",
	reflect.Int:    "a number within reason, without quotes",
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

// verifierParams are the parameters that all overlays with a verifier have.
type verifierParams struct {
	Model       string `json:"model"`
	Timeout     string `json:"timeout"`
	MaxRefusals int    `json:"max_refusals"`

	timeout time.Duration
}

func defaultVerifier() verifierParams { return verifierParams{Timeout: "3m", MaxRefusals: maxRefusals} }

// check reads the timeout and reports the first parameter that makes no sense.
func (p *verifierParams) check() error {
	var err error
	if p.timeout, err = time.ParseDuration(p.Timeout); err != nil || p.timeout < 0 {
		return fmt.Errorf("parameters: timeout is %q\nhint: write it like 90s or 3m, or 0s for none", p.Timeout)
	}
	return atLeast("max_refusals", p.MaxRefusals, 1)
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
	return model.Verifier(role), nil
}
