package llm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// conversation is a request of about 60 kB: a policy, fifteen tools and forty
// messages.
func conversation() llm.Request {
	policy := strings.Repeat("A parcel may be rerouted once, before it has left the depot. ", 200)
	req := llm.Request{Messages: []llm.Message{{Role: llm.System, Content: &policy}}, Temperature: ptr(0.0), Seed: ptr(int64(300))}
	for i := range 15 {
		req.Tools = append(req.Tools, llm.Tool{Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("Does something. ", 20),
			Parameters: raw(`{"type":"object","properties":{"id":{"type":"string","description":"the parcel"},"n":{"type":"integer"}},"required":["id"]}`)})
	}
	for i := range 20 {
		id := fmt.Sprintf("call_%d", i)
		result := `{"id":"P-1","events":[` + strings.TrimSuffix(strings.Repeat(`{"at":"2026-01-01","what":"scanned"},`, 50), ",") + `]}`
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: id, Name: "tool_1", Arguments: `{"id":"P-1"}`}}},
			llm.Message{Role: llm.ToolRole, ToolCallID: id, Content: &result})
	}
	return req
}

// BenchmarkCall is one whole call over loopback, server included.
func BenchmarkCall(b *testing.B) {
	for _, bc := range []struct {
		name string
		req  llm.Request
	}{{"short", hello()}, {"60kB", conversation()}} {
		b.Run(bc.name, func(b *testing.B) {
			srv := faultserver.NewFunc(b, func(int, faultserver.Request) faultserver.Reply {
				return faultserver.Calls(faultserver.Call{ID: "c1", Name: "tool_1", Arguments: `{"id":"P-1"}`})
			})
			c := once(b, srv)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Complete(context.Background(), bc.req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncode is the writing of a request body alone.
func BenchmarkEncode(b *testing.B) {
	req, m := conversation(), models(b)
	e := llm.Endpoint{Name: "bench", Model: "gpt-4.1"}
	b.ReportAllocs()
	for b.Loop() {
		body, _, err := llm.EncodeRequest(e, m, req)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(body)))
	}
}

// BenchmarkReadAnswer is the reading of a reply alone.
func BenchmarkReadAnswer(b *testing.B) {
	body := []byte(faultserver.TextAndCalls("One moment.", faultserver.Call{ID: "c1", Name: "tool_1", Arguments: `{"id":"P-1"}`}).Body)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, e := llm.ReadAnswer(200, body); e != nil {
			b.Fatal(e)
		}
	}
}

// TestAllocations bounds what reading and writing take from memory: decoding a reply level by level into maps took ten
// times as much.
func TestAllocations(t *testing.T) {
	body := []byte(faultserver.TextAndCalls("One moment.", faultserver.Call{ID: "c1", Name: "tool_1", Arguments: `{"id":"P-1"}`}).Body)
	if n := testing.AllocsPerRun(50, func() { llm.ReadAnswer(200, body) }); n > 40 {
		t.Errorf("reading an answer allocates %v times, want at most 40", n)
	}
	req, m := conversation(), models(t)
	if n := testing.AllocsPerRun(10, func() { llm.EncodeRequest(llm.Endpoint{Model: "gpt-4.1"}, m, req) }); n > 90 {
		t.Errorf("writing a request allocates %v times, want at most 90", n)
	}
}
