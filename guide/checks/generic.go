package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// genericVocabulary is that of a domain of which nothing is known but its tools: there are no facts and no clock. Results are
// asked for by tool and id, and what was said by the values that it names.
func genericVocabulary(in guide.Inventory) guide.Vocabulary {
	values := []*cel.Type{cel.DynType}
	add := func(name string, gives *cel.Type, run func(t *guide.Trace, v any) ref.Val) []cel.EnvOption {
		return guide.TraceFunction(name, values, gives, func(t *guide.Trace, args []ref.Val) ref.Val { return run(t, args[0].Value()) })
	}
	return guide.Vocabulary{
		Facts:   func(*guide.Trace) map[string]any { return nil },
		Targets: targets(in),
		Helpers: slices.Concat(
			add("summarised", cel.BoolType, func(t *guide.Trace, v any) ref.Val { return types.Bool(anyNames(t.Agent, v)) }),
			add("stated", cel.BoolType, func(t *guide.Trace, v any) ref.Val { return types.Bool(anyNames(t.User, v)) }),
			add("agreed", cel.BoolType, func(t *guide.Trace, v any) ref.Val {
				return types.Bool(t.ConsentIndex(func(offer, _ guide.Said) bool { return fold(offer.Text).names(v) }) >= 0)
			}),
			[]cel.EnvOption{cel.Function("number", cel.Overload("number_dyn", values, cel.DoubleType, cel.UnaryBinding(number)))},
		),
	}
}

// targets finds for each mutating tool the argument with the id of the record that it changes: of the arguments that are
// ids, the one whose record the tool's name speaks of, or else the last that a reading tool takes too, or the last.
func targets(in guide.Inventory) map[string]string {
	read := map[string]bool{}
	for _, t := range in.Agent.Specs() {
		for _, id := range ids(t) {
			read[id] = read[id] || !in.Agent.Mutates(t.Name)
		}
	}
	out := map[string]string{}
	for _, t := range in.Agent.Specs() {
		if !in.Agent.Mutates(t.Name) {
			continue
		}
		best := 0
		for _, id := range ids(t) {
			rank := 1
			if read[id] {
				rank = 2
			}
			if record, _ := recordOf(id); record != "" && strings.Contains(strings.ToLower(t.Name), record) {
				rank = 3
			}
			if rank >= best {
				best, out[t.Name] = rank, id
			}
		}
	}
	return out
}

// ids are the required arguments of a tool that are ids by their names, in the schema's order.
func ids(t domains.ToolSpec) (out []string) {
	schema, err := value.Parse(t.Parameters)
	if err != nil {
		return nil
	}
	m, _ := schema.Map()
	list, _ := m.Get("required")
	required, _ := list.Items()
	for _, v := range required {
		name, _ := v.Text()
		if _, is := recordOf(name); is {
			out = append(out, name)
		}
	}
	return out
}

// recordOf is the record that an argument such as order_id, orderId or invoice_number is the id of. It is "" where the name
// says no more than id.
func recordOf(argument string) (record string, is bool) {
	for _, mark := range []string{"_id", "Id", "ID", "_number", "Number", "_no", "No"} {
		if record, is := strings.CutSuffix(argument, mark); is {
			return strings.ToLower(record), true
		}
	}
	return "", slices.Contains([]string{"id", "number", "no"}, argument)
}

// What commas in a number stand for: "1,250.00", "12,50".
var (
	thousands = regexp.MustCompile(`^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$`)
	fraction  = regexp.MustCompile(`^[-+]?\d+,\d{1,2}$`)
)

// number reads a number, or a text that is one: "1,250.00", "12,50", "$5", "20 %".
func number(v ref.Val) ref.Val {
	switch n := v.(type) {
	case types.Int:
		return types.Double(n)
	case types.Double:
		return n
	case types.String:
		text := strings.Trim(string(n), "$€£¥% ")
		switch {
		case thousands.MatchString(text):
			text = strings.ReplaceAll(text, ",", "")
		case fraction.MatchString(text):
			text = strings.Replace(text, ",", ".", 1)
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return types.Double(f)
		}
	}
	return types.NewErr("%v is no number", v.Value())
}

// anyNames reports whether one of the texts names the values.
func anyNames(texts []guide.Said, v any) bool {
	return slices.ContainsFunc(texts, func(s guide.Said) bool { return fold(s.Text).names(v) })
}

// folded is a text as words in lower case with one space around each. Numbers lose thousands separators and final zeros.
type folded string

func fold(text string) folded {
	runes := []rune(strings.ToLower(text))
	digit := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsDigit(runes[i]) }
	words := []string{}
	word := strings.Builder{}
	end := func() {
		if word.Len() > 0 {
			words = append(words, plain(word.String()))
			word.Reset()
		}
	}
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' && digit(i-1) && digit(i+1):
			word.WriteRune(r)
		case r == ',' && digit(i-1) && digit(i+1) && digit(i+2) && digit(i+3) && !digit(i+4):
		default:
			end()
		}
	}
	end()
	return folded(" " + strings.Join(words, " ") + " ")
}

// plain is a word, without the final zeros of a fraction.
func plain(word string) string {
	if strings.Count(word, ".") == 1 && strings.Trim(word, "0123456789.") == "" {
		word = strings.TrimRight(strings.TrimRight(word, "0"), ".")
	}
	return word
}

// names reports whether a text has a value word for word; of a list or a map, every value in it. Truth values and null are
// left out, for people do not speak of them so. Where nothing is left, it is never named.
func (w folded) names(v any) bool {
	all, some := true, false
	var visit func(v any)
	visit = func(v any) {
		switch x := v.(type) {
		case types.Null:
		case ref.Val:
			visit(x.Value())
		case []any:
			for _, item := range x {
				visit(item)
			}
		case []ref.Val:
			for _, item := range x {
				visit(item)
			}
		case map[string]any:
			for _, item := range x {
				visit(item)
			}
		case map[ref.Val]ref.Val:
			for _, item := range x {
				visit(item)
			}
		case bool, nil:
		case float64:
			visit(strconv.FormatFloat(x, 'f', -1, 64))
		default:
			want := fold(fmt.Sprint(x))
			some = true
			all = all && strings.TrimSpace(string(want)) != "" && strings.Contains(string(w), string(want))
		}
	}
	visit(v)
	return all && some
}
