package view_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view/browsertest"
)

// twoWrites is a trial of the small run that cancels an order in message 10 and returns an item after that.
const twoWrites = "/small/trial/retail/Guided/cancel-one-return-one/0/"

// TestDatabaseTab: the tab follows the selected turn; without the script it has all states.
func TestDatabaseTab(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, look := range []browsertest.Look{browsertest.Wide, browsertest.Narrow} {
		t.Run(look.String(), func(t *testing.T) {
			b := browsertest.New(t, look)
			b.Open(s.url + twoWrites)
			b.Click(`.tabs a[href="#tab-database"]`)
			for _, at := range []struct{ turn, has, lacks string }{
				{"#m1", "Before any write", "Since message"},
				{"#m11", `orders.#T8817323.status as wanted before "pending" after "cancelled"`, "Before any write"},
			} {
				b.Click(`.turns a[href="` + at.turn + `"]`)
				b.Until(`document.querySelector('article[aria-current]')?.id === ` + `"` + at.turn[1:] + `"`)
				got := strings.Join(strings.Fields(b.Text("#tab-database")), " ")
				if !strings.Contains(got, at.has) || strings.Contains(got, at.lacks) {
					t.Errorf("%s: %s", at.turn, got)
				}
			}
			b.Fits()
			look.NoScript = true
			plain := browsertest.New(t, look)
			plain.Open(s.url + twoWrites)
			plain.Fits()
			for _, part := range []string{"Before any write", "Since message 10", "Since message 16", "All is as it is wanted at the end"} {
				if got := plain.Text("#tab-database"); !strings.Contains(got, part) {
					t.Errorf("without a script, no %q in %s", part, got)
				}
			}
		})
	}
}
