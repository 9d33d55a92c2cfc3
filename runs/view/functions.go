package view

import (
	"cmp"
	"encoding/json"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// placed is a part of a conversation with the prefix of its anchors: two conversations may be on one page.
type placed struct {
	Prefix string
	Texts  map[string]string // the pages of what is too long for this one, by places
	Of     any
}

// What of the databases a page shows at once: the differences of a state, and the characters of a value that is not folded.
const (
	mostDifferences = 50
	mostValue       = 100
)

// With is another part at the same place.
func (p placed) With(of any) placed { p.Of = of; return p }

// functions are what templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"shown": shown, "safe": transcript.Safe, "laidOut": laidOut, "mark": transcript.Mark,
		"reward": reward, "cost": transcript.Cost, "tokens": transcript.Tokens, "seconds": transcript.Seconds, "purpose": transcript.Purpose,
		"heading": func(t report.Table) string { return strings.ReplaceAll(t.Heading(), "*", "") },
		"at":      func(prefix string, of any) placed { return placed{Prefix: prefix, Of: of} },
		"within":  func(texts map[string]string, of any) placed { return placed{Texts: texts, Of: of} },
		"signs":   transcript.Signs, "toolOf": toolOf,
		"tally": tally, "shade": shade,
		"clip": func(s string) string { return transcript.Clipped(s, 300) },
		"nth":  func(of any, i, k int) nth { return nth{of, i, k} },
		"effectClass": func(e transcript.Effect) string {
			return map[transcript.Effect]string{transcript.Reached: "reached", transcript.Away: "away"}[e]
		},
		"few":   func(d []transcript.Difference) []transcript.Difference { return d[:min(len(d), mostDifferences)] },
		"brief": func(s string) string { return excerpt(s, mostValue) },
		"long":  func(s string) bool { return utf8.RuneCountInString(s) > mostValue },
		"data": func(data map[string]any) string {
			text, _ := json.Marshal(data) // it came from JSON
			return string(text)
		},
		"passed": func(ok bool) trials.Outcome {
			if ok {
				return trials.Passed
			}
			return trials.Failed
		},
		"stateClass": func(s sim.State) trials.Outcome {
			return cmp.Or(map[sim.State]trials.Outcome{sim.Pass: trials.Passed, sim.Fail: trials.Failed}[s], trials.Pending)
		},
	}
}

// toolOf names the tool of a result.
func toolOf(m *transcript.Message) string { return cmp.Or(excerpt(m.Tool, 80), "a call") }
