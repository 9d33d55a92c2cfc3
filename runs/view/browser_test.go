package view_test

import (
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/view/browsertest"
)

const inShop = "/shop/trial/retail/PolicyGuide/cancel-gift-card-order/1/"

// kinds has a page of each kind.
var kinds = []struct{ name, path string }{
	{"runs", "/"},
	{"run", "/shop/"},
	{"trials", "/shop/trials/"},
	{"search", "/shop/trials/?q=card&sort=-steps"},
	{"matrix", "/shop/matrix/"},
	{"trial", inShop},
	{"database", inShop + "?tab=database#m12"},
	{"score", inShop + "?tab=score"},
	{"calls", inShop + "?tab=calls"},
	{"call", inShop + "a0/calls/guide/1/"},
	{"workflow", inShop + "a0/workflow/"},
	{"no guide", "/shop/trial/retail/ReAct/cancel-gift-card-order/1/"},
	{"guard", "/shop/trial/retail/PolicyGuard/cancel-gift-card-order/1/"},
	{"side by side", inShop + "beside/shop/ReAct/1/"},
}

// TestPagesForAll opens a page of each kind at every size, in both themes: none is wider than its window, and those who
// see badly or not at all have all of it.
func TestPagesForAll(t *testing.T) {
	s := serve(t, shopRun(t, config.Options{Only: []string{"task=cancel-gift-card-order"}}))
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
