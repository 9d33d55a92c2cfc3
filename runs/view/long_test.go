package view_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
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
