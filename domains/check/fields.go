package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// UnknownFields finds what a task's criteria and initial state say in fields that nothing reads, such as misspelt ones.
// Fields of the task itself are for whoever writes them, unless they look like a slip.
func UnknownFields(t *domains.Task) []Lint {
	l := linter{task: t}
	l.unknown("", t.Raw, reflect.TypeFor[domains.Task]())
	return l.found
}

func (l *linter) unknown(path string, raw json.RawMessage, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items) // null, and the bytes of a raw value, have none
		for i, item := range items {
			l.unknown(fmt.Sprintf("%s[%d]", path, i), item, t.Elem())
		}
	case reflect.Struct:
		known := map[string]reflect.Type{}
		fields(t, known)
		if len(known) == 0 || t == reflect.TypeFor[domains.Message]() { // a type that reads itself; whatever a model said
			return
		}
		var o map[string]json.RawMessage
		_ = json.Unmarshal(raw, &o) // null has none
		for _, key := range slices.Sorted(maps.Keys(o)) {
			field, ok := known[key]
			names := slices.Sorted(maps.Keys(known))
			switch {
			case ok:
				l.unknown(yamlfile.Join(path, key), o[key], field)
			case path != "" || yamlfile.Nearest(key, names) != "":
				l.add(LintField, yamlfile.Join(path, key), "nothing reads a field of this name: %s", yamlfile.Suggest(key, names))
			}
		}
	}
}

// fields lists the fields of a struct as JSON names them, those of embedded ones too.
func fields(t reflect.Type, known map[string]reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields(f.Type, known)
		case name != "" && name != "-":
			known[name] = f.Type
		}
	}
}
