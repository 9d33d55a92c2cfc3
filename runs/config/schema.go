package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

//go:embed config.schema.json
var schemaText []byte

// Schema returns the JSON Schema of a config.
func Schema() []byte { return bytes.Clone(schemaText) }

// schema is config.schema.json, compiled at its first use.
var schema = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		panic("config.schema.json: " + err.Error())
	}
	c := jsonschema.NewCompiler()
	c.RegisterFormat(&jsonschema.Format{Name: "time span", Validate: atLeast(0)})
	c.RegisterFormat(&jsonschema.Format{Name: "time span above zero", Validate: atLeast(1)})
	c.AssertFormat()
	if err := c.AddResource("config.schema.json", doc); err != nil {
		panic("config.schema.json: " + err.Error())
	}
	return c.MustCompile("config.schema.json")
})

func atLeast(least time.Duration) func(any) error {
	return func(v any) error {
		s, ok := v.(string)
		if !ok {
			return nil // the type is wrong already
		}
		if d, err := time.ParseDuration(s); err != nil || d < least {
			return errors.New("no time span")
		}
		return nil
	}
}

// validate checks a config's data against the schema. The error lists everything that is wrong with its place, in the
// order of the file.
func (s *source) validate(tree any) error {
	err := schema().Validate(tree)
	var invalid *jsonschema.ValidationError
	if err != nil && !errors.As(err, &invalid) {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	if err == nil {
		return nil
	}
	return joined(s.explain(invalid, nil))
}

func (s *source) explain(e *jsonschema.ValidationError, found []error) []error {
	for _, cause := range e.Causes {
		found = s.explain(cause, found)
	}
	if len(e.Causes) > 0 {
		return found
	}
	path := s.path(e.InstanceLocation)
	name, within := path, "in "+path
	if path == "" {
		name, within = "the config", "at the top level"
	}
	add := func(at, format string, args ...any) { found = append(found, s.errorf(at, format, args...)) }
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		known := keysOf(e.SchemaURL)
		for _, key := range k.Properties {
			add(yamlfile.Join(path, key), "unknown key %q %s\nhint: %s", key, within, yamlfile.Suggest(key, known))
		}
	case *kind.Required:
		for _, key := range k.Missing {
			add(path, "%s is missing %s%s", key, within, purpose(key))
		}
	case *kind.Type:
		add(path, "%s: want %s, got %s%s", name, kinds(k.Want), s.shown(path), s.otherKind(path, k.Want))
	case *kind.Enum:
		add(path, "%s: unknown value %q\nhint: %s", name, fmt.Sprint(k.Got), yamlfile.Suggest(fmt.Sprint(k.Got), texts(k.Want)))
	case *kind.Minimum:
		add(path, "%s: %s is too little\nhint: give at least %s", name, s.shown(path), decimal(k.Want))
	case *kind.Maximum:
		add(path, "%s: %s is too much\nhint: give at most %s", name, s.shown(path), decimal(k.Want))
	case *kind.Format:
		add(path, "%s: %q is no %s\nhint: write it like 90s, 30m or 1h30m", name, fmt.Sprint(k.Got), k.Want)
	case *kind.MinLength:
		add(path, "%s is empty%s", name, purpose(path))
	case *kind.MaxLength:
		add(path, "%s has %d characters\nhint: use at most %d", name, k.Got, k.Want)
	case *kind.MinItems, *kind.MinProperties:
		add(path, "%s is empty\nhint: give at least one", name)
	case *kind.MaxProperties:
		add(path, "%s: one overlay has several names\nhint: start each with its own dash", name)
	case *kind.Pattern:
		add(path, "%s: %q cannot name a folder\nhint: use up to 100 letters, digits, dots, dashes and underscores", name, k.Got)
	default:
		add(path, "%s: %s", name, e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
	return found
}

// path writes a location as people do: systems[1].name.
func (s *source) path(location []string) string {
	out := ""
	for _, step := range location {
		if item := out + "[" + step + "]"; s.values[item].node != nil {
			out = item
		} else {
			out = yamlfile.Join(out, step)
		}
	}
	return out
}

// keysOf returns the keys that the schema at an address of the compiled schema knows.
func keysOf(address string) []string {
	var at map[string]any
	if json.Unmarshal(schemaText, &at) != nil {
		return nil
	}
	_, pointer, _ := strings.Cut(address, "#/")
	for step := range strings.SplitSeq(pointer, "/") {
		if next, ok := at[step].(map[string]any); ok {
			at = next
		}
	}
	known, _ := at["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(known))
}

// purpose is the hint of what is mandatory, where that says more than its name.
func purpose(key string) string {
	switch key {
	case "note":
		return "\nhint: say in a sentence what the experiment is for"
	case "user":
		return "\nhint: name the model that plays the customer, as in user: {model: gpt-4.1}"
	}
	return ""
}

var kindNames = map[string]string{"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "a map", "null": "nothing"}

func kinds(types []string) string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = kindNames[t]
	}
	return strings.Join(out, " or ")
}

// secret matches the paths of values that no error repeats.
var secret = regexp.MustCompile(`^models\..*\.(key|headers\..*)$`)

// shown is a value as the file has it, where it is short.
func (s *source) shown(path string) string {
	n := s.values[path].node
	switch {
	case n == nil || n.Kind == yamlfile.Null:
		return "nothing"
	case secret.MatchString(path):
		return n.Kind.String()
	case n.Kind == yamlfile.Number || n.Kind == yamlfile.Bool:
		return n.Text
	case n.Kind == yamlfile.Text && len(n.Text) <= 40:
		return fmt.Sprintf("the text %q", n.Text)
	}
	return n.Kind.String()
}

// otherKind is the hint for a number that should be a text, and the reverse.
func (s *source) otherKind(path string, want []string) string {
	n := s.values[path].node
	switch {
	case n == nil:
	case secret.MatchString(path):
		return "\nhint: write it in quotes, or as $VAR"
	case n.Kind == yamlfile.Number && (strings.HasSuffix(path, "timeout") || strings.HasSuffix(path, "max_wall") || strings.HasSuffix(path, "max_wait")):
		return fmt.Sprintf("\nhint: give it a unit, like %ss or %sm", n.Text, n.Text)
	case (n.Kind == yamlfile.Number || n.Kind == yamlfile.Bool) && slices.Contains(want, "string"):
		return fmt.Sprintf("\nhint: write %q, with the quotes", n.Text)
	case n.Kind == yamlfile.Text && !slices.Contains(want, "boolean"):
		if _, err := strconv.ParseFloat(n.Text, 64); err == nil {
			return fmt.Sprintf("\nhint: write %s, without quotes", n.Text)
		}
	}
	return ""
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func texts(list []any) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = fmt.Sprint(v)
	}
	return out
}
