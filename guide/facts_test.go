package guide_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide"
)

// The parts of a check are those that say something by themselves, as they are written; what was not looked at, or failed,
// is left out.
func TestFacts(t *testing.T) {
	k := newTalk(t).user("I am user_1. Add 'Buy bread'").call("get_users", `{}`)
	for _, tt := range []struct{ check, want string }{
		{`facts.calls == 1 && request.intent == "add"`, `facts.calls = 1; request.intent = "add"`},
		{`facts.calls > 1 && request.intent == "add"`, `facts.calls = 1`},
		{`!(calls_of("get_users") == 0)`, `calls_of("get_users") = 1`},
		{`user_said(r"bread")`, `user_said("bread") = true`},
		{`said_by_user.exists(m, m.text.contains("bread"))`, `said_by_user.exists(m, m.text.contains("bread")) = true`},
		{`request.target in facts.tasks || facts.tasks["a"] == 1`, `request.target = "t"; facts.tasks = {}`},
		{``, ``},
	} {
		t.Run(tt.check, func(t *testing.T) {
			g := oneNode(tt.check, guide.AgentAction)
			c, err := guide.NewChecker(g, guide.InventoryOf(mockWorld(t)), vocabulary())
			if err != nil {
				t.Fatal(err)
			}
			n, _ := g.Node("n")
			for range 2 { // the second time it is compiled already
				var got []string
				for _, f := range c.Facts(guide.NewTrace(k.msgs...), guide.Request{Intent: "add", Target: "t"}, n) {
					got = append(got, fmt.Sprintf("%s = %s", f.Expression, f.Value))
				}
				if d := cmp.Diff(tt.want, strings.Join(got, "; ")); d != "" {
					t.Error(d)
				}
			}
		})
	}
}
