package yamlfile

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Decode reads a text of one document into a struct by its yaml tags (name, and inline for embedding). The error is an
// Errors with everything that does not fit, or an *Error of Parse. A type with a method UnmarshalYAML(read func(any)
// error) error reads itself.
func Decode(file string, text []byte, into any) error {
	n, err := Parse(file, text)
	if err != nil {
		return err
	}
	d := &decoder{file: file}
	d.value(n, "", reflect.ValueOf(into).Elem())
	return d.err()
}

// Words is a list of texts that may be written as one text; numbers are taken as they are written.
type Words []string

type unmarshaler interface {
	UnmarshalYAML(read func(into any) error) error
}

type decoder struct {
	file  string
	found Errors
}

func (d *decoder) err() error {
	if len(d.found) == 0 {
		return nil
	}
	return d.found
}

func (d *decoder) add(n *Node, path string, code Code, text, hint string) {
	d.found = append(d.found, &Error{Code: code, File: d.file, Place: n.Place, Path: path, Text: text, Hint: hint})
}

func (d *decoder) wrong(n *Node, path, want string) {
	hint := "write " + want
	switch {
	case n.Kind == Null:
		hint = "write it, or leave the key out"
	case want == "a text" && (n.Kind == Number || n.Kind == Bool):
		hint = fmt.Sprintf("write %q, with the quotes", n.Text)
	case n.Kind == Text && bareNumber.MatchString(n.Text) && strings.HasSuffix(want, "number"):
		hint = fmt.Sprintf("write %s, without quotes", n.Text)
	}
	d.add(n, path, WrongKind, fmt.Sprintf("this is %s, not %s", n.shown(), want), hint)
}

func (d *decoder) value(n *Node, path string, v reflect.Value) {
	switch into := v.Addr().Interface().(type) {
	case *Words:
		d.words(n, path, into)
		return
	case unmarshaler:
		d.itself(n, path, into)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if n.Kind != Null {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(n, path, v.Elem())
		}
	case reflect.Interface:
		if x := plain(n); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.String:
		if n.Kind != Text {
			d.wrong(n, path, "a text")
			return
		}
		v.SetString(n.Text)
	case reflect.Bool:
		if n.Kind != Bool {
			d.wrong(n, path, "true or false")
			return
		}
		v.SetBool(n.Text == "true")
	case reflect.Int, reflect.Int64, reflect.Float64:
		d.number(n, path, v)
	case reflect.Slice:
		d.list(n, path, v)
	case reflect.Map:
		d.mapping(n, path, v)
	case reflect.Struct:
		d.structure(n, path, v)
	default:
		panic("yamlfile: cannot read into " + v.Type().String())
	}
}

// itself lets a type read itself, by way of other types.
func (d *decoder) itself(n *Node, path string, into unmarshaler) {
	err := into.UnmarshalYAML(func(other any) error {
		sub := &decoder{file: d.file}
		sub.value(n, path, reflect.ValueOf(other).Elem())
		return sub.err()
	})
	var list Errors
	switch {
	case errors.As(err, &list):
		d.found = append(d.found, list...)
	case err != nil:
		text, hint, _ := strings.Cut(err.Error(), "\nhint: ")
		d.add(n, path, WrongKind, text, hint)
	}
}

func (d *decoder) words(n *Node, path string, into *Words) {
	items := []*Node{n}
	if n.Kind == List {
		items = n.Items
	}
	for i, item := range items {
		switch {
		case item.Kind == Text || item.Kind == Number:
			*into = append(*into, item.Text)
		case n.Kind == List:
			d.wrong(item, fmt.Sprintf("%s[%d]", path, i), "a text")
		default:
			d.wrong(item, path, "a text or a list of texts")
		}
	}
}

func (d *decoder) number(n *Node, path string, v reflect.Value) {
	want := "a whole number"
	if v.Kind() == reflect.Float64 {
		want = "a number"
	}
	if n.Kind != Number || v.Kind() != reflect.Float64 && !whole(n.number) {
		d.wrong(n, path, want)
		return
	}
	f, err := n.number.Float64()
	if v.Kind() == reflect.Float64 && err == nil {
		v.SetFloat(f)
		return
	}
	i, err := n.number.Int64()
	if err != nil {
		d.add(n, path, WrongKind, n.Text+" is out of range", "write a smaller number")
		return
	}
	v.SetInt(i)
}

func (d *decoder) list(n *Node, path string, v reflect.Value) {
	if n.Kind == Null {
		return
	}
	if n.Kind != List {
		d.wrong(n, path, "a list")
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items))
	for i, item := range n.Items {
		d.value(item, fmt.Sprintf("%s[%d]", path, i), out.Index(i))
	}
	v.Set(out)
}

func (d *decoder) mapping(n *Node, path string, v reflect.Value) {
	if n.Kind == Null {
		return
	}
	if n.Kind != Map {
		d.wrong(n, path, "a map")
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, e := range n.Entries {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(e.Value, Join(path, e.Key), item)
		out.SetMapIndex(reflect.ValueOf(e.Key).Convert(v.Type().Key()), item)
	}
	v.Set(out)
}

func (d *decoder) structure(n *Node, path string, v reflect.Value) {
	if n.Kind != Map {
		d.wrong(n, path, "a map")
		return
	}
	fields := map[string]reflect.Value{}
	var keys []string
	collect(v, fields, &keys)
	for _, e := range n.Entries {
		field, ok := fields[e.Key]
		if !ok {
			d.add(&Node{Place: e.At}, path, UnknownKey, fmt.Sprintf("unknown key %q", e.Key), Suggest(e.Key, keys))
			continue
		}
		d.value(e.Value, Join(path, e.Key), field)
	}
}

// collect lists the fields of a struct by key, those of inlined ones too.
func collect(v reflect.Value, fields map[string]reflect.Value, keys *[]string) {
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			collect(v.Field(i), fields, keys)
		case name != "" && name != "-":
			fields[name] = v.Field(i)
			*keys = append(*keys, name)
		}
	}
}

// plain is a value for an any: numbers are int64 where they are whole and fit, and float64 otherwise.
func plain(n *Node) any {
	switch n.Kind {
	case Number:
		if i, err := strconv.ParseInt(string(n.number), 10, 64); err == nil {
			return i
		}
		f, _ := n.number.Float64()
		return f
	case List:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = plain(item)
		}
		return out
	case Map:
		out := map[string]any{}
		for _, e := range n.Entries {
			out[e.Key] = plain(e.Value)
		}
		return out
	}
	return n.JSON()
}
