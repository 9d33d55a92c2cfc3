package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// contrasts lists the texts of a page that are too faint.
//
//go:embed contrast.js
var contrasts string

// part is an element as assistive technology is told of it.
type part struct {
	Role, Name string
	Level      int
	Focusable  bool
}

// parts asks the browser for its accessibility tree, in the order of the page.
func (b *Tab) parts() []part {
	b.t.Helper()
	tree, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	if err != nil {
		b.t.Fatal(err)
	}
	known := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		known[n.NodeID] = n
	}
	var all []part
	var walk func(n *accessibility.Node)
	walk = func(n *accessibility.Node) {
		if n == nil {
			return
		}
		if !n.Ignored {
			p := part{}
			read(n.Role, &p.Role)
			read(n.Name, &p.Name)
			for _, a := range n.Properties {
				switch a.Name {
				case accessibility.PropertyNameLevel:
					read(a.Value, &p.Level)
				case accessibility.PropertyNameFocusable:
					read(a.Value, &p.Focusable)
				}
			}
			all = append(all, p)
		}
		for _, id := range n.ChildIDs {
			walk(known[id])
		}
	}
	if len(tree.Nodes) > 0 {
		walk(tree.Nodes[0])
	}
	return all
}

// read takes a value of the tree, which may be absent.
func read(v *accessibility.Value, into any) {
	if v != nil {
		_ = json.Unmarshal(v.Value, into)
	}
}

// landmarks are the roles that screen readers list. Of each that can be there several times, every one needs a name of its own.
var landmarks = []string{"banner", "main", "navigation", "complementary", "region", "search", "form", "contentinfo"}

// Accessible fails the test for what a page keeps from those who cannot see it, or see it badly: landmarks without a name,
// headings out of order, controls and pictures without a name, and texts whose contrast is below that of WCAG's level AA.
func (b *Tab) Accessible() {
	b.t.Helper()
	at := Eval[string](b, "location.pathname + location.hash")
	seen, level := map[part]int{}, 0
	say := func(format string, args ...any) { b.t.Helper(); b.t.Errorf("%s: %s", at, fmt.Sprintf(format, args...)) }
	for _, p := range b.parts() {
		if slices.Contains(landmarks, p.Role) {
			mark := part{Role: p.Role, Name: p.Name}
			if seen[mark]++; seen[mark] == 2 {
				say("two landmarks are %s %q", p.Role, p.Name)
			}
			if p.Name == "" && p.Role != "main" && p.Role != "banner" {
				say("a landmark without a name: %s", p.Role)
			}
		}
		switch {
		case p.Role == "heading":
			if p.Level > level+1 {
				say("heading %q has level %d after %d", p.Name, p.Level, level)
			}
			if level = p.Level; level == 1 {
				seen[part{Role: "heading"}]++
			}
		case p.Name == "" && (p.Role == "image" || p.Role == "img" || p.Role == "table" || p.Focusable && p.Role != "RootWebArea" && p.Role != "generic"):
			say("without a name: %s", p.Role)
		}
	}
	for _, once := range []part{{Role: "main"}, {Role: "banner"}, {Role: "heading"}} {
		if seen[once] != 1 {
			say("%d of %s, want 1 (of headings: of level 1)", seen[once], once.Role)
		}
	}
	for _, faint := range Eval[[]string](b, contrasts) {
		say("%s", faint)
	}
}
