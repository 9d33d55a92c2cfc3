package view_test

import (
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// What a reader meets first on the page of a trial is there at a glance, at every size.
func TestTrialAtAGlance(t *testing.T) {
	s := serve(t, smallRun(t))
	const trial = "/small/trial/retail/Guided/cancel-one-return-one/1/"
	for _, look := range browsertest.Looks() {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			b.Open(s.url + trial)
			b.Until(`document.querySelector(".scripted")`)
			for what, holds := range map[string]string{
				"outcomes of other trials are told by more than colour": `[...document.querySelectorAll(".between [rel=next], .between [rel=prev], .brief .quick a")].every(a => /[✓✗]/.test(getComputedStyle(a, "::before").content + getComputedStyle(a, "::after").content))`,
				"links to other trials are not squeezed":                `[...document.querySelectorAll(".between a")].every(a => a.getBoundingClientRect().height < 60)`,
				"the conversation begins in the upper half":             `innerWidth < 1100 || document.querySelector(".bench").getBoundingClientRect().top < innerHeight / 4`,
				"the picture has a legend":                              `/thick frame/.test(document.querySelector(".request:not([hidden]) .legend").innerText)`,
			} {
				if !browsertest.Eval[bool](b, holds) {
					t.Errorf("not so: %s", what)
				}
			}
			b.Click(".tabs a[href='#tab-calls']")
			if look.Width == browsertest.Wide.Width && browsertest.Eval[bool](b, `(s => s.scrollWidth > s.clientWidth)(document.querySelector("#tab-calls .scroll"))`) {
				t.Error("a part of the calls by role is out of sight")
			}
		})
	}
}

// The picture is that of the request that the selected firing moved, and what was last said of another request stays drawn.
func TestRequestThatMoved(t *testing.T) {
	s := serve(t, smallRun(t))
	b := browsertest.New(t, browsertest.Wide)
	const trial = "/small/trial/retail/Guided/cancel-one-return-one/1/"
	b.Open(s.url + trial)
	b.Until(`document.querySelector(".scripted")`)
	requests := map[string]bool{}
	for _, moment := range []struct{ id, moved string }{{"moment-1", "0"}, {"moment-3", "1"}, {"moment-5", "1"}, {"moment-6", "2"}, {"moment-8", "2"}} {
		b.Open(s.url + trial + "?tab=workflow" + browsertest.Eval[string](b, `document.querySelector("#`+moment.id+` h3 a").hash`))
		b.Until(`document.querySelector("article[aria-current]")`)
		if got := browsertest.Eval[string](b, `document.querySelector(".request:not([hidden])").dataset.request`); got != moment.moved {
			t.Errorf("at %s the picture is of request %s, not %s, which moved", moment.id, got, moment.moved)
		}
		requests[moment.moved] = true
		for r := range requests {
			if n := browsertest.Eval[int](b, `document.querySelectorAll(".graph[data-request='`+r+`'] .satisfied").length`); n == 0 {
				t.Errorf("at %s nothing is drawn of request %s, of which the guide had spoken", moment.id, r)
			}
		}
	}
}
