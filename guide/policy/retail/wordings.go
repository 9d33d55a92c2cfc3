package retail

import (
	"slices"
	"strings"
)

// folded is a text made comparable: lower case, one space around words, nothing but letters, digits and what holds
// numbers, mail addresses and hyphenated words together.
type folded string

// joints hold a word together inside it.
const joints = ".@+-"

func fold(s string) folded {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune(joints, r)
	})
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	for _, w := range words {
		if w = strings.Trim(w, joints); w != "" {
			b.WriteString(w)
			b.WriteByte(' ')
		}
	}
	return folded(b.String())
}

// has reports whether the words of s are in the text one after the other. An empty s is never there. Hyphens may take the
// place of spaces.
func (w folded) has(s string) bool {
	want := fold(s)
	if want == " " {
		return false
	}
	return strings.Contains(string(w), string(want)) ||
		strings.Contains(strings.ReplaceAll(string(w), "-", " "), strings.ReplaceAll(string(want), "-", " "))
}

// hasAll reports whether every word of s is somewhere in the text, in singular or plural.
func (w folded) hasAll(s string) bool {
	have, want := w.singulars(), fold(s).singulars()
	return len(want) > 0 && !slices.ContainsFunc(want, func(x string) bool { return !slices.Contains(have, x) })
}

func (w folded) singulars() []string {
	words := strings.Fields(strings.ReplaceAll(string(w), "-", " "))
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "s")
	}
	return words
}

// hasOption reports whether a text holds an option's value; a value that says nothing by itself goes by the option's
// name.
func (w folded) hasOption(key, value string) bool {
	switch strings.ToLower(value) {
	case "yes", "no", "none", "true", "false", "":
		return w.hasAll(key)
	}
	return w.has(value)
}
