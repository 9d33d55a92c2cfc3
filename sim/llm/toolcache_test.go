package llm_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestToolsThatChange: a list that a caller writes to is sent as it is then, and not as it was.
func TestToolsThatChange(t *testing.T) {
	var bodies [][]byte
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		bodies = append(bodies, r.Body)
		return faultserver.Text("yes")
	})
	c := once(t, srv)
	req := hello()
	req.Tools = []llm.Tool{{Name: "first", Description: "one", Parameters: raw(`{"type": "object"}`)}, {Name: "second"}}
	send := func() string {
		t.Helper()
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		return string(bodies[len(bodies)-1])
	}
	const list = `"tools":[{"type":"function","function":{"name":"first","description":"one","parameters":{"type":"object"}}},` +
		`{"type":"function","function":{"name":"second","parameters":{"type":"object","properties":{}}}}]`
	was := send()
	if again := send(); !strings.Contains(was, list) || again != was {
		t.Errorf("sent\n%s\nthen\n%s\nwant both with\n%s", was, again, list)
	}
	copy(req.Tools[0].Parameters, `{"type": "string"}`)
	if got, want := send(), strings.Replace(was, `{"type":"object"}`, `{"type":"string"}`, 1); got != want {
		t.Errorf("after a change of the parameters in place: sent\n%s\nwant\n%s", got, want)
	}
	req.Tools[1].Description = "two"
	if got := send(); !strings.Contains(got, `"second","description":"two"`) {
		t.Errorf("after a change of the description in place: sent\n%s", got)
	}
	for i := range 40 { // more lists than are kept
		req.Tools[1].Name = strings.Repeat("n", i+1)
		if got := send(); !strings.Contains(got, `"name":"`+req.Tools[1].Name+`"`) {
			t.Errorf("list %d: sent\n%s", i, got)
		}
	}
}
