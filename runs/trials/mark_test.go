package trials_test

import (
	"testing"

	"github.com/tauguide/tauguide/runs/trials"
)

// TestMarked marks across tags and character references, within articles alone, and opens what a mark is folded into.
func TestMarked(t *testing.T) {
	find := trials.NewWords(`"one <two>" three`).Pattern()
	for page, want := range map[string]string{
		`<p>three</p>`: `<p>three</p>`,
		`<article id="m0"><p>Three</p></article>`:   `<article id="m0"><p><mark>Three</mark></p></article>`,
		`<article>a <b>one</b> &lt;TWO&gt; c`:       `<article>a <b><mark>one</mark></b><mark> &lt;TWO&gt;</mark> c`,
		`<article>one &lt;two&gt;x three</article>`: `<article><mark>one &lt;two&gt;</mark>x <mark>three</mark></article>`,
		`<article><details class="a"><summary>s</summary><details>three</details></details><details>four</details></article>`: `<article><details class="a" open><summary>s</summary><details open><mark>three</mark></details></details><details>four</details></article>`,
	} {
		if got := string(trials.Marked([]byte(page), find)); got != want {
			t.Errorf("%s: got\n%s, want\n%s", page, got, want)
		}
	}
}
