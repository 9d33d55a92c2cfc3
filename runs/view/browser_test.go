package view_test

import (
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// kinds has a page of each kind, of the small run.
var kinds = []struct{ name, path string }{
	{"runs", "/"},
	{"run", "/small/"},
	{"trials", "/small/trials/"},
	{"matrix", "/small/matrix/"},
	{"trial", aTrial},
	{"no guide", "/small/trial/mock/ReAct/finish_task/0/"},
	{"side by side", aTrial + "beside/small/ReAct/0/"},
}

// TestPagesForAll opens a page of each kind at every size, in both themes: none is wider than its window, and those who
// see badly or not at all have all of it.
func TestPagesForAll(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, look := range browsertest.Looks() {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			for _, kind := range kinds {
				b.Open(s.url + kind.path)
				b.Fits()
				b.Accessible()
			}
		})
	}
}
