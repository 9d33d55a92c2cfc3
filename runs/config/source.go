package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// source is a config file with the place of everything in it, so that every error can name its own.
type source struct {
	file   string
	values map[string]placed // by path, such as systems[1].name
	unset  map[string]string // path of a value → the variables in it that are not set
	raw    map[string]string // path of a value → its text before variables were replaced
	broken []error           // variables that do not end
}

type placed struct {
	yamlfile.Place // of the key, or of the item
	node           *yamlfile.Node
}

// readSource reads a file into data like JSON's.
func readSource(file string, text []byte) (any, *source, error) {
	root, err := yamlfile.Parse(file, text)
	if err != nil {
		return nil, nil, err
	}
	s := newSource(file)
	root.Walk("", root.Place, func(path string, at yamlfile.Place, n *yamlfile.Node) { s.values[path] = placed{at, n} })
	return root.JSON(), s, nil
}

func newSource(file string) *source {
	return &source{file: file, values: map[string]placed{}, unset: map[string]string{}, raw: map[string]string{}}
}

// errorf makes an error about the value at path, at the place of the closest value around it that is in the file.
func (s *source) errorf(path, format string, args ...any) error {
	return s.positioned(path, fmt.Errorf(format, args...))
}

func (s *source) positioned(path string, err error) error {
	if s == nil {
		return err
	}
	v, ok := s.values[path]
	for !ok && path != "" {
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
		v, ok = s.values[path]
	}
	if !ok {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	return &fileError{s.file, v.Place, err}
}

// fileError is what is wrong at one place of a config.
type fileError struct {
	file string
	at   yamlfile.Place
	err  error
}

func (e *fileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.file, e.at.Line, e.at.Column, e.err)
}
func (e *fileError) Unwrap() error { return e.err }

// maxErrors bounds how much is said about one file.
const maxErrors = 20

// joined makes one error of many, in the order of the file.
func joined(list []error) error {
	place := func(err error) (at yamlfile.Place) {
		var f *fileError
		if errors.As(err, &f) {
			at = f.at
		}
		return at
	}
	slices.SortFunc(list, func(a, b error) int {
		x, y := place(a), place(b)
		return cmp.Or(x.Line-y.Line, x.Column-y.Column, strings.Compare(a.Error(), b.Error()))
	})
	list = slices.CompactFunc(list, func(a, b error) bool { return a.Error() == b.Error() })
	if len(list) > maxErrors {
		list = append(list[:maxErrors:maxErrors], fmt.Errorf("… and %d more", len(list)-maxErrors))
	}
	return errors.Join(list...)
}

// variable matches $NAME, ${NAME}, ${NAME:-default} and $$.
var variable = regexp.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}|\$([A-Za-z_][A-Za-z0-9_]*)`)

// expandAll replaces environment variables where configs may name them. One that is not set is noted: it is an error
// only if its value turns out to be needed.
func (s *source) expandAll(tree any, env func(string) string) {
	top, _ := tree.(map[string]any)
	s.expand(top, "", "data", env)
	if m, ok := top["cassette"].(map[string]any); ok {
		s.expand(m, "cassette", "path", env)
	}
	if m, ok := top["prompts"].(map[string]any); ok {
		for _, role := range []string{RoleAgent, RoleUser, RoleJudge} {
			s.expand(m, "prompts", role, env)
		}
	}
	systems, _ := top["systems"].([]any)
	for i, m := range systems {
		if m, ok := m.(map[string]any); ok {
			s.expand(m, fmt.Sprintf("systems[%d]", i), "prompt", env)
		}
	}
	models, _ := top["models"].(map[string]any)
	for name, m := range models {
		if m, ok := m.(map[string]any); ok {
			for _, key := range []string{"base_url", "key", "model"} {
				s.expand(m, modelPath(name), key, env)
			}
			headers, _ := m["headers"].(map[string]any)
			for header := range headers {
				s.expand(headers, modelPath(name)+".headers", header, env)
			}
		}
	}
}

func (s *source) expand(m map[string]any, path, key string, env func(string) string) {
	text, ok := m[key].(string)
	if !ok || !strings.Contains(text, "$") {
		return
	}
	path = yamlfile.Join(path, key)
	if strings.Contains(variable.ReplaceAllString(text, " "), "${") {
		s.broken = append(s.broken, s.errorf(path, "%s: ${ begins a variable here that has no name or no end\nhint: write ${NAME} or ${NAME:-default}; $${ is the text itself", path))
	}
	s.raw[path] = text
	m[key] = variable.ReplaceAllStringFunc(text, func(match string) string {
		name, otherwise, optional := strings.Cut(strings.TrimSuffix(strings.TrimLeft(match, "${"), "}"), ":-")
		if name == "" {
			return "$"
		}
		value := env(name)
		if value == "" && optional {
			return otherwise
		}
		if value == "" && !slices.Contains(strings.Split(s.unset[path], ", "), name) {
			s.unset[path] = strings.TrimPrefix(s.unset[path]+", "+name, ", ")
		}
		return value
	})
}

// needed returns an error if a value that is about to be used names a variable that is not set. or is what else helps.
func (s *source) needed(path, or string) error {
	if s == nil {
		return nil
	}
	name, unset := s.unset[path]
	switch {
	case !unset:
		return nil
	case strings.Contains(name, ","):
		return s.errorf(path, "%s: environment variables %s are not set\nhint: export them%s", path, name, or)
	}
	return s.errorf(path, "%s: environment variable %s is not set\nhint: export it%s", path, name, or)
}

// silent reports whether a config file says nothing at a path. Without a file, all is said.
func (s *source) silent(path string) bool {
	if s == nil {
		return false
	}
	_, ok := s.values[path]
	return !ok
}

// modelPath is where a model is in a config.
func modelPath(name string) string { return yamlfile.Join("models", name) }

// original is a value as the file has it, if variables were replaced in it.
func (s *source) original(path string) string {
	if s == nil {
		return ""
	}
	return s.raw[path]
}
