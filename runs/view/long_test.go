package view_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/sim"
)

// long is a record of so many messages and about so many bytes: the user asks, the agent looks up long records, a guide
// speaks in between.
func long(messages, bytes int) sim.Record {
	var r sim.Record
	each := 2 * bytes / messages
	for i := 0; i < messages; i += 4 {
		id := fmt.Sprintf("call-%d", i)
		args := value.OfMap(value.MapOf(value.Pair{Key: "order_id", Value: value.OfString(fmt.Sprintf("#W%07d", i))}))
		var items []string
		for k := 0; k*90 < each*2-200; k++ {
			items = append(items, fmt.Sprintf(`{"item_id": "%d-%d", "name": "Desk \"Lamp\" %d", "price": %d.5, "options": ["a", null]}`, i, k, k, k))
		}
		result := fmt.Sprintf(`{"order_id": "#W%07d", "items": [%s]}`, i, strings.Join(items, ", "))
		r.Messages = append(r.Messages, sim.Message{Role: domains.RoleUser, Content: domains.Text(fmt.Sprintf("And the order #W%07d?", i))},
			sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{{ID: id, Name: "get_order_details", Arguments: args, Requestor: domains.AgentSide}}},
			sim.Message{Role: domains.RoleTool, ID: id, Content: &result, Requestor: domains.AgentSide},
			sim.Message{Role: domains.RoleAssistant, Content: domains.Text("It is on its way.")})
		r.Events = append(r.Events, sim.Event{Kind: "guidance", Side: domains.AgentSide, Index: i + 1, Text: "[Policy guide]\n\nAuthenticate first."})
		for k := range 4 {
			r.Calls = append(r.Calls, sim.ModelCall{Role: "agent", Index: i + k, Model: "m"})
		}
	}
	r.Key = sim.Key{Domain: "mock", System: "A", Task: "t"}
	return r
}

// TestLongTrial goes through a conversation of several pages: each has its own turns and an index of all, and links lead to
// the page that has their place.
func TestLongTrial(t *testing.T) {
	r := long(500, 500_000)
	huge := strings.Repeat("word ", 30_000)
	r.Messages[1].Content = &huge
	s := serve(t, written(t, r))
	const base = "/made/trial/mock/A/t/0/"
	for path, want := range map[string][]string{
		base:                      {` id="m0"`, ` id="m199"`, `href="#m199"`, `href="/made/trial/mock/A/t/0/a0/?from=200#m200"`, "50000 more bytes"},
		base + "a0/?from=200":     {` id="m200"`, ` id="m399"`, `href="/made/trial/mock/A/t/0/a0/?from=0#m0"`, `href="/made/trial/mock/A/t/0/a0/?from=400#m499"`},
		base + "?from=499":        {` id="m499"`},
		base + "?from=x":          {` id="m0"`},
		base + "?from=9999999999": {` id="m499"`},
	} {
		body := s.page(path)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s lacks %s", path, w)
			}
		}
		if n := strings.Count(body, "<article"); n > 260 || strings.Count(body, `data-pos=`) < 500 {
			t.Errorf("%s has %d places", path, n)
		}
	}
	if body := s.page(base + "a0/text/m1/"); !strings.Contains(body, huge) {
		t.Error("the page of the whole text does not have it")
	}
	if status, _, _ := s.get(base + "a0/text/m9999/"); status != 404 {
		t.Errorf("a place that there is not: status %d", status)
	}
}

// TestPageSizes loads the longest pages of each domain of the quickstart: those of guided trials, up to five requests with a
// picture each.
func TestPageSizes(t *testing.T) {
	c, err := config.Load("quickstart", noEnv)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "quickstart")
	if _, err := runtest.Run(context.Background(), c, config.Options{Trials: 2, Out: dir,
		Only: []string{"system=PolicyGuide", "task=out-of-basic-with-bags,resize-and-drop-duplicate,two-unpaid-bills,pictures-after-suspension"}}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	const most = 300_000
	longest := map[string]int{}
	for _, to := range links(s.page("/quickstart/trials/")) {
		if parts := strings.Split(to, "/"); len(parts) > 6 && parts[2] == "trial" {
			n := len(s.page(to))
			if longest[parts[3]] = max(longest[parts[3]], n); n > most {
				t.Errorf("%s has %d bytes, more than %d", to, n, most)
			}
		}
	}
	if t.Logf("the longest pages: %v", longest); len(longest) != 3 || longest["telecom"] < most/2 {
		t.Errorf("the longest pages of domains are of %v bytes", longest)
	}
}

// BenchmarkLongTrial loads pages of one conversation of 5,000 messages and 100 MB.
func BenchmarkLongTrial(b *testing.B) {
	site, err := view.Open([]string{written(b, long(5000, 100_000_000))}, noEnv)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range []string{"/made/trial/mock/A/t/0/"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost"+path, nil)
				if site.Handler().ServeHTTP(w, r); w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
				b.ReportMetric(float64(w.Body.Len()), "bytes/page")
			}
		})
	}
}
