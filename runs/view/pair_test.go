package view_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/view/browsertest"
	"github.com/tauguide/tauguide/sim"
)

// TestSideBySide: messages that both have stand on one line though one side says more before; on a narrow screen they are
// there once.
func TestSideBySide(t *testing.T) {
	said := func(texts ...string) (out []sim.Message) {
		for i, s := range texts {
			out = append(out, sim.Message{Role: []domains.Role{domains.RoleAssistant, domains.RoleUser}[i%2], Content: domains.Text(s)})
		}
		return out
	}
	left, right := talk("t", said("Hi", "Cancel it", "Which one?", "This", "Done")...), talk("t", said("Hi", "Cancel it", "Done")...)
	right.System = "B"
	right.Events = []sim.Event{{Kind: "guidance", Index: 2, Text: "Cancel at once."}}
	s := serve(t, written(t, left, right))
	const at = "/made/trial/mock/A/t/0/beside/made/B/0/"
	body := words(s.page(at))
	for _, part := range []string{"2 messages to the user in common, 1 more on the left", "1 guidance on the right",
		`the first difference is at message 2: left asks "Which one?", right says "Done"`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %q in %s", part, body)
		}
	}
	for _, look := range []browsertest.Look{browsertest.Wide, browsertest.Narrow} {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			b.Open(s.url + at)
			b.Fits()
			type box struct{ Top, Left, Width float64 }
			boxOf := func(id string) box {
				return browsertest.Eval[box](b, `(b => ({Top: b.bottom, Left: b.left, Width: b.width}))(document.getElementById("`+id+`").getBoundingClientRect())`)
			}
			l, r := boxOf("am4"), boxOf("bm2") // Done, on both sides
			switch {
			case look == browsertest.Narrow && r.Width != 0:
				t.Errorf("the right message is shown again: %+v", r)
			case look == browsertest.Wide && (l.Top != r.Top || l.Left >= r.Left):
				t.Errorf("left %+v, right %+v", l, r)
			}
			b.Click(`a[href="#diverges"]`)
			b.Until(`location.hash === "#diverges" && document.getElementById("am2").getBoundingClientRect().top < innerHeight`)
		})
	}
}
