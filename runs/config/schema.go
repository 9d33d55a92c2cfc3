package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed config.schema.json
var schemaText []byte

// Schema returns the JSON Schema of a config.
func Schema() []byte { return bytes.Clone(schemaText) }

// compiledSchema compiles the schema at its first use.
var compiledSchema = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		panic("runs: config.schema.json: " + err.Error())
	}
	c := jsonschema.NewCompiler()
	c.RegisterFormat(&jsonschema.Format{Name: "time span", Validate: validTimeSpan})
	c.AssertFormat()
	if err := c.AddResource("config.schema.json", doc); err != nil {
		panic("runs: config.schema.json: " + err.Error())
	}
	return c.MustCompile("config.schema.json")
})

func validTimeSpan(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil // the type is complained about already
	}
	if d, err := time.ParseDuration(s); err != nil || d < 0 {
		return errors.New("write it like 90s, 30m or 1h30m")
	}
	return nil
}

// maxComplaints bounds how much is said about one file.
const maxComplaints = 20

// validate checks a config's data against the schema. The error lists every complaint with its place, in the order of
// the file.
func validate(tree any, s *source) error {
	err := compiledSchema().Validate(tree)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &invalid):
		return fmt.Errorf("%s: %w", s.file, err)
	}
	v := validation{tree: tree, source: s}
	v.walk(invalid)
	return joined(v.complaints)
}

// joined orders complaints by place and makes them one error.
func joined(list []error) error {
	place := func(err error) position {
		var c *configError
		if errors.As(err, &c) {
			return c.pos
		}
		return position{}
	}
	slices.SortStableFunc(list, func(a, b error) int {
		x, y := place(a), place(b)
		if x.line != y.line {
			return x.line - y.line
		}
		if x.column != y.column {
			return x.column - y.column
		}
		return strings.Compare(a.Error(), b.Error())
	})
	if len(list) > maxComplaints {
		list = append(list[:maxComplaints:maxComplaints], fmt.Errorf("… and %d more", len(list)-maxComplaints))
	}
	return errors.Join(list...)
}

type validation struct {
	tree       any
	source     *source
	complaints []error
}

func (v *validation) walk(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			v.walk(c)
		}
		return
	}
	path := v.path(e.InstanceLocation)
	add := func(at, format string, args ...any) {
		v.complaints = append(v.complaints, v.source.errorf(at, format, args...))
	}
	name := path
	if name == "" {
		name = "the config"
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, key := range k.Properties {
			add(join(path, key), "unknown key %q %s%s", key, in(path), suggestion(key, keysAt(e.InstanceLocation)))
		}
	case *kind.Required:
		for _, key := range k.Missing {
			add(path, "%s is missing %s%s", key, in(path), because(key))
		}
	case *kind.Type:
		value := v.at(e.InstanceLocation)
		add(path, "%s: want %s, got %s%s", name, words(k.Want), shown(k.Got, v.written(path, value)), hint(path, k, v.written(path, value)))
	case *kind.Enum:
		add(path, "%s: unknown value %q%s", name, fmt.Sprint(k.Got), suggestion(fmt.Sprint(k.Got), texts(k.Want)))
	case *kind.Minimum:
		add(path, "%s: %s is too little: give at least %s", name, v.written(path, decimal(k.Got)), decimal(k.Want))
	case *kind.Maximum:
		add(path, "%s: %s is too much: give at most %s", name, v.written(path, decimal(k.Got)), decimal(k.Want))
	case *kind.Format:
		add(path, "%s: %q is not a %s: %v", name, fmt.Sprint(k.Got), k.Want, k.Err)
	case *kind.MinLength:
		add(path, "%s is empty%s", name, because(path))
	case *kind.MaxLength:
		add(path, "%s has %d characters: use at most %d", name, k.Got, k.Want)
	case *kind.MinItems, *kind.MinProperties:
		add(path, "%s is empty: give at least one", name)
	case *kind.MaxProperties:
		add(path, "%s: one overlay has one name: start each with its own dash", name)
	case *kind.Pattern:
		add(path, "%s: %q cannot name a folder: use up to 100 letters, digits, dots, dashes and underscores", name, k.Got)
	default:
		add(path, "%s: %s", name, e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
}

func in(path string) string {
	if path == "" {
		return "at the top level"
	}
	return "in " + path
}

// because says why a field is wanted, where that is not plain.
func because(key string) string {
	switch key {
	case "note":
		return ": say in a sentence what the experiment is for"
	case "user":
		return ": name the model that plays the customer, as in user: {model: gpt-4.1}"
	}
	return ""
}

func word(jsonType string) string {
	switch jsonType {
	case "string":
		return "a text"
	case "integer":
		return "a whole number"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "a map"
	case "null":
		return "nothing"
	}
	return jsonType
}

func words(types []string) string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = word(t)
	}
	return strings.Join(out, " or ")
}

// shown is a value in a complaint: as it is, where it is short.
func shown(jsonType string, value any) string {
	switch value := value.(type) {
	case json.Number, bool:
		return fmt.Sprint(value)
	case string:
		if len(value) <= 40 {
			return fmt.Sprintf("the text %q", value)
		}
	}
	return word(jsonType)
}

// written is a number as the file has it, and any other value as it is.
func (v *validation) written(path string, value any) any {
	if text, ok := v.source.numbers[path]; ok {
		return json.Number(text)
	}
	return value
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// hint tells how to mend a number that should be a text, and the reverse.
func hint(path string, k *kind.Type, value any) string {
	switch value := value.(type) {
	case json.Number, bool:
		switch {
		case strings.HasSuffix(path, "timeout"), strings.HasSuffix(path, "max_wall"):
			return fmt.Sprintf(": give it a unit, like %vs or %vm", value, value)
		case slices.Contains(k.Want, "string"):
			return fmt.Sprintf(": write %q, with the quotes", fmt.Sprint(value))
		}
	case string:
		if _, err := strconv.ParseFloat(value, 64); err == nil && !slices.Contains(k.Want, "boolean") {
			return fmt.Sprintf(": write %s, without quotes", value)
		}
	}
	return ""
}

func texts(list []any) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// at returns the value at a location of the data.
func (v *validation) at(loc []string) any {
	now := v.tree
	for _, step := range loc {
		switch x := now.(type) {
		case map[string]any:
			now = x[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(x) {
				return nil
			}
			now = x[i]
		}
	}
	return now
}

// path writes a location as people do: systems[1].name.
func (v *validation) path(loc []string) string {
	out := ""
	for i, step := range loc {
		if _, list := v.at(loc[:i]).([]any); list {
			out += "[" + step + "]"
		} else {
			out = join(out, step)
		}
	}
	return out
}

// keysAt returns the keys that the schema knows at a location of the data.
func keysAt(loc []string) []string {
	s := compiledSchema()
	for _, step := range loc {
		for s != nil && s.Ref != nil {
			s = s.Ref
		}
		if s == nil {
			return nil
		}
		next := s.Properties[step]
		if next == nil {
			next, _ = s.AdditionalProperties.(*jsonschema.Schema)
		}
		if next == nil {
			next = s.Items2020
		}
		s = next
	}
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.Properties))
}
