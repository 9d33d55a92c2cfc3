package view_test

import (
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// TestPagesFit opens a page of each kind at every size, in both themes.
func TestPagesFit(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, look := range browsertest.Looks() {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			for _, path := range []string{"/", "/small/", "/small/trials/", "/small/matrix/", "/small/trial/retail/Guided/cancel-gift-card-order/0/",
				"/small/trial/retail/Guided/cancel-gift-card-order/0/beside/small/ReAct/0/", "/small/trial/mock/ReAct/finish_task/0/"} {
				b.Open(s.url + path)
				b.Fits()
			}
		})
	}
}
