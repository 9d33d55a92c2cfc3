package author

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
)

// says reports whether a text has a value as whole words.
func says(text, value string) bool {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
	for from := 0; ; {
		at := strings.Index(text[from:], value)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+at])
		after, _ := utf8.DecodeRuneInString(text[from+at+len(value):])
		if !part(before) && !part(after) {
			return true
		}
		from += at + len(value)
	}
}

// shortestValue is how many letters a value has at least that is told from an ordinary word.
const shortestValue = 4

var valuesPattern = regexp.MustCompile(`(?m)^- \w+: (.+)$`)

// values are those that closed fields take, as models are told them, sorted.
func (s Source) values() (out []string) {
	_, listed, _ := strings.Cut(s.Tools, "\n"+verify.ValuesTitle+"\n")
	for _, m := range valuesPattern.FindAllStringSubmatch(listed, -1) {
		for _, v := range strings.Split(m[1], " | ") {
			if len(v) >= shortestValue { // no, yes, two
				out = append(out, v)
			}
		}
	}
	return sorted(out)
}

// listMark is the number of an item of a list.
var listMark = regexp.MustCompile(`^\s*\d+[.)]\s`)

// lost are the literals of each line of the policy that no node has which cites the line: its numbers, amounts among
// them, and the values of closed fields. Lines that nobody cites are not looked at; all is how many literals the others have.
func (w *writing) lost(b *guide.Bundle) (lost map[place][]string, all int) {
	said := map[place][]string{} // what the nodes say that cite a line
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			for _, ref := range n.Policy {
				at, _ := w.Source.resolve(ref) // what is wrong with it, the validator says
				for _, p := range at {
					said[p] = append(said[p], wording(n))
				}
			}
		}
	}
	lost = map[place][]string{}
	values := w.Source.values()
	for _, d := range w.Source.Documents {
		for i, line := range lines(d) {
			p := place{d.Name, i + 1}
			if said[p] == nil {
				continue
			}
			text := strings.Join(said[p], "\n")
			line = listMark.ReplaceAllString(line, "")
			has := numbersIn(text)
			for _, x := range slices.Sorted(maps.Keys(numbersIn(line))) {
				all++
				if !has[x] {
					lost[p] = append(lost[p], x)
				}
			}
			text = strings.ToLower(text)
			for _, v := range values {
				if !says(line, v) {
					continue
				}
				all++
				if !says(text, strings.ToLower(v)) {
					lost[p] = append(lost[p], v)
				}
			}
		}
	}
	return lost, all
}

// missing are warnings of literals that are lost.
func (w *writing) missing(b *guide.Bundle) (found guide.Findings) {
	lost, _ := w.lost(b)
	for _, p := range w.Source.statements() {
		if list := lost[p]; list != nil {
			found = append(found, guide.Finding{Code: "lost-literal", Severity: guide.Warning, File: p.file, Line: p.line,
				Text: fmt.Sprintf("no node that cites this line says %s, as it does", strings.Join(list, ", ")),
				Mend: "say it where it is enforced, or leave it if the line only mentions it"})
		}
	}
	return found
}
