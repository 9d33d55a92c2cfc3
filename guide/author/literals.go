package author

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
)

// term finds a value of a field: where the policy has it, as it stands, and where a node has it, whatever its case.
type term struct{ exact, loose *regexp.Regexp }

func termOf(x string) term {
	whole := `(?:^|[^\pL\pN_])` + regexp.QuoteMeta(x) + `(?:$|[^\pL\pN_])`
	return term{regexp.MustCompile(whole), regexp.MustCompile(`(?i)` + whole)}
}

// shortestValue is how many letters a value has at least that is told from an ordinary word.
const shortestValue = 4

var valuesPattern = regexp.MustCompile(`(?m)^- \w+: (.+)$`)

// values are those that closed fields take, as models are told them.
func (s Source) values() map[string]term {
	_, listed, _ := strings.Cut(s.Tools, "\n"+verify.ValuesTitle+"\n")
	out := map[string]term{}
	for _, m := range valuesPattern.FindAllStringSubmatch(listed, -1) {
		for _, v := range strings.Split(m[1], " | ") {
			if len(v) >= shortestValue { // no, yes, two
				out[v] = termOf(v)
			}
		}
	}
	return out
}

// listMark is the number of an item of a list.
var listMark = regexp.MustCompile(`^\s*\d+[.)]\s`)

// lost are the literals of each line of the policy that no node has which cites the line: its numbers, amounts among
// them, and the values of closed fields. Lines that nobody cites are not looked at; all is how many literals the others have.
func (w *writing) lost(b *guide.Bundle) (lost map[place][]string, all int) {
	says := map[place][]string{} // what the nodes say that cite a line
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			for _, ref := range n.Policy {
				at, _ := w.Source.resolve(ref) // what is wrong with it, the validator says
				for _, p := range at {
					says[p] = append(says[p], wording(n))
				}
			}
		}
	}
	lost = map[place][]string{}
	values := w.Source.values()
	for _, d := range w.Source.Documents {
		for i, line := range lines(d) {
			p := place{d.Name, i + 1}
			if says[p] == nil {
				continue
			}
			text := strings.Join(says[p], "\n")
			line = listMark.ReplaceAllString(line, "")
			has := numbersIn(text)
			for _, x := range slices.Sorted(maps.Keys(numbersIn(line))) {
				all++
				if !has[x] {
					lost[p] = append(lost[p], x)
				}
			}
			for _, v := range slices.Sorted(maps.Keys(values)) {
				if !values[v].exact.MatchString(line) {
					continue
				}
				all++
				if !values[v].loose.MatchString(text) {
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
