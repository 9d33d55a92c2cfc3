package view_test

import (
	"strings"
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

// TestTrialByKeys goes through a trial with keys and clicks: the address names what is selected, and brings it back.
func TestTrialByKeys(t *testing.T) {
	s := serve(t, smallRun(t))
	b := browsertest.New(t, browsertest.Wide)
	b.Open(s.url + aTrial)
	selected := func(id string) {
		t.Helper()
		b.Until(`document.querySelector("article[aria-current]")?.id === "` + id + `" && location.hash === "#` + id + `" &&
			document.querySelector(".turns [aria-current]")?.hash === "#` + id + `"`)
	}
	b.Press("jj")
	selected("m1")
	b.Until(`document.activeElement.id === "m1"`)
	b.Press("jk")
	selected("m1")
	b.Click(".turns a[href='#m7']")
	selected("m7")
	b.Until(`document.querySelector("#tab-workflow").checkVisibility()`)
	b.Click(".tabs a[href='#tab-score']")
	b.Until(`document.querySelector("#tab-score").checkVisibility() && !document.querySelector("#tab-workflow").checkVisibility() &&
		document.querySelector(".tabs [aria-selected=true]").hash === "#tab-score"`)
	at := browsertest.Eval[string](b, "location.href")
	b.Open(s.url + "/")
	b.Open(at) // the address holds the whole state
	selected("m7")
	b.Until(`document.querySelector("#tab-score").checkVisibility()`)

	b.Press("?")
	b.Until(`document.querySelector("dialog").open`)
	b.Press("j" + browsertest.Escape) // which the dialog keeps to itself
	b.Until(`!document.querySelector("dialog")`)
	selected("m7")
	b.Press("/")
	b.Until(`document.activeElement.matches("input[type=search]")`)
	b.Press("jk")
	b.Until(`document.querySelector("input[type=search]").value.endsWith("jk")`)
	b.Press(browsertest.Escape)
	b.Until(`document.activeElement === document.body`)
	selected("m7")

	b.Click("#talk h2 button") // expand all
	b.Until(`[...document.querySelectorAll("#talk details")].every(d => d.open)`)
	b.Click("#talk h2 button + button")
	b.Until(`![...document.querySelectorAll("#talk details")].some(d => d.open)`)

	b.Press("n")
	b.Until(`location.pathname === "/small/trial/retail/Guided/cancel-gift-card-order/1/" && location.search === "?tab=score" && document.querySelector(".scripted")`)
	b.Press("p")
	b.Until(`location.pathname === "` + aTrial + `" && document.querySelector(".scripted")`)
}

// TestLinksOpenWhatIsFolded follows an address to a place within a part that is folded and in another tab.
func TestLinksOpenWhatIsFolded(t *testing.T) {
	s := serve(t, smallRun(t))
	b := browsertest.New(t, browsertest.Wide)
	b.Open(s.url + aTrial + "?tab=calls#attempts")
	b.Until(`document.querySelector("#attempts").checkVisibility()`)
	b.Open(s.url + aTrial + "?tab=calls#w0d1") // a node of the workflow
	b.Until(`document.querySelector("#w0d1").checkVisibility() && document.querySelector("#w0d1").closest("details").open`)
}

// TestTrialBegins: before a turn is selected the tabs say what was true at the first one, and in a narrow window they can be
// gone to without the whole conversation.
func TestTrialBegins(t *testing.T) {
	s := serve(t, smallRun(t))
	b := browsertest.New(t, browsertest.Narrow)
	b.Open(s.url + aTrial)
	b.Click(`.jump a[href="#tab-database"]`)
	b.Until(`document.querySelector("#tab-database .state:not([hidden]) h3")?.textContent === "Before any write"`)
	b.Until(`document.querySelectorAll(".request:not([hidden])").length === 1`)
	if got := browsertest.Eval[string](b, `getComputedStyle(document.querySelector(".walks"), "::before").content`); !strings.Contains(got, "select a turn") {
		t.Errorf("before the first firing the tab of the workflow says %s", got)
	}
	b.Click(`.jump a[href="#tab-score"]`)
	b.Until(`(({ top }) => top > 0 && top < innerHeight / 2)(document.querySelector("#tab-score").getBoundingClientRect())`)
	b.Fits()
}
