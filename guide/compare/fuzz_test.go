package compare

import (
	"testing"

	"github.com/tauguide/tauguide/guide"
)

// Whatever a model answers, a reading that is accepted has a grade for every rule, and a node of the graph with every
// grade but none.
func FuzzParseReading(f *testing.F) {
	for _, s := range []string{`[{"rule": "a", "node": "look", "grade": "full"}]`, `so: [{"rule": "a", "grade": "none"}].`, `[{]`, `]][[{`, `[{"rule": "a", "node": "", "grade": "full"}]`} {
		f.Add(s)
	}
	g := guide.NewGraph("d", "look", nil, []*guide.Node{{ID: "look", Type: guide.Entry}})
	f.Fuzz(func(t *testing.T, answer string) {
		out, err := parseReading(answer, g, []guide.Row{{ID: "a"}})
		if err != nil {
			return
		}
		if r, ok := out["a"]; len(out) != 1 || !ok || (r.Grade == None) != (r.Node == "") {
			t.Errorf("accepted as %v", out)
		}
	})
}
