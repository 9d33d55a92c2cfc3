package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
)

// Loader collects what is wrong with a value while it is loaded, with the path to each fault.
type Loader struct {
	path     []string
	problems []Problem
}

// Fail records what is wrong with v, at the present path.
func (l *Loader) Fail(v value.Value, f Fault) {
	l.problems = append(l.problems, Problem{Path: strings.Join(l.path, "."), Fault: f, Input: v, at: slices.Clone(l.path)})
}

func (l *Loader) enter(key string) { l.path = append(l.path, key) }
func (l *Loader) enterIndex(i int) { l.path = append(l.path, strconv.Itoa(i)) }
func (l *Loader) leave()           { l.path = l.path[:len(l.path)-1] }

// err is everything that was found, nil if that is nothing.
func (l *Loader) err(model string) error {
	if len(l.problems) == 0 {
		return nil
	}
	return &InvalidError{Model: model, Problems: l.problems}
}

// describe shows a value in an error text, cut to a readable length.
func describe(v value.Value) string {
	text := v.Repr()
	if r := []rune(text); len(r) > 60 {
		text = string(r[:40]) + "..." + string(r[len(r)-15:])
	}
	return fmt.Sprintf("%s (%s)", text, v.TypeName())
}

// InvalidError lists everything that keeps a value from being a record of the model.
type InvalidError struct {
	Model    string
	Problems []Problem
}

// Error names the model and each fault with its path.
func (e *InvalidError) Error() string {
	var b strings.Builder
	model := e.Model
	if model == "" {
		model = "value"
	}
	fmt.Fprintf(&b, "invalid %s: ", model)
	for i, p := range e.Problems {
		if i == 8 {
			fmt.Fprintf(&b, "; and %d more", len(e.Problems)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		if p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		got := "nothing: the key is missing"
		if p.Fault != faultMissing {
			got = describe(p.Input)
		}
		fmt.Fprintf(&b, "want %s, got %s", p.Fault.Want, got)
	}
	return b.String()
}

func quotedList(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + w + "'"
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " or " + out[n-1]
	}
	return strings.Join(out, "")
}
