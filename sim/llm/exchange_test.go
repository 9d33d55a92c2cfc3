package llm_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

const exchangeKey = "sk-exchange-0123456789"

// TestExchangesAreWhatWasSentAndCame compares what a caller is told of each request with what the server received and
// answered, failed tries included.
func TestExchangesAreWhatWasSentAndCame(t *testing.T) {
	good := faultserver.TextAndCalls("One moment, ü.", faultserver.Call{ID: "c1", Name: "tool_1", Arguments: `{"id":"P-1"}`})
	broken := good
	broken.CutAfter = 40
	replies := []faultserver.Reply{
		faultserver.Status(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`).With("Retry-After-Ms", "1"),
		faultserver.Status(http.StatusInternalServerError, "<html>\xff down</html>"),
		broken,
		faultserver.Raw("data: {\"choices\":[]}\n\ndata: [DONE]\n\n"),
		faultserver.Raw(`{"choices":[{"message":{"content":"a ` + "\xfe" + ` b"}}],"note":"` + exchangeKey + `"}`),
	}
	srv := faultserver.New(t, replies...)
	c := once(t, srv, func(e *llm.Endpoint) {
		e.Key = exchangeKey
		e.Retry = llm.RetryPolicy{Attempts: 9, RateLimited: 9, FirstWait: time.Millisecond}
	})
	var got []llm.Exchange
	ctx := llm.WithExchanges(context.Background(), func(x llm.Exchange) { got = append(got, x) })
	req := conversation()
	req.Tag = llm.Tag{Role: "agent", Ordinal: 3}
	if _, err := c.Complete(ctx, req); err != nil {
		t.Fatal(err)
	}
	seen := srv.Requests()
	if len(got) != len(replies) || len(seen) != len(replies) {
		t.Fatalf("%d exchanges of %d requests, want %d", len(got), len(seen), len(replies))
	}
	for i, x := range got {
		want := replies[i].Body
		if n := replies[i].CutAfter; n > 0 {
			want = want[:n]
		}
		want = strings.ReplaceAll(want, exchangeKey, "[redacted]")
		if !bytes.Equal(x.Request, seen[i].Body) {
			t.Errorf("request %d: told\n%.200q\nsent\n%.200q", i, x.Request, seen[i].Body)
		}
		if string(x.Answer) != want || x.Cut || x.Status != max(replies[i].Status, http.StatusOK) {
			t.Errorf("answer %d: status %d, cut %v\n%q\nwant\n%q", i, x.Status, x.Cut, x.Answer, want)
		}
		if last := i == len(got)-1; (x.Error == "") != last || x.Tag != req.Tag {
			t.Errorf("exchange %d: error %q, tag %+v", i, x.Error, x.Tag)
		}
		var common []string
		for _, c := range x.Common {
			common = append(common, string(x.Request[c[0]:c[0]+9]), string(x.Request[c[1]-1:c[1]+1]))
		}
		if want := []string{`{"role":"`, "},", `[{"type":`, "],"}; !slices.Equal(common, want) {
			t.Errorf("exchange %d: common texts begin and end with %q, want %q", i, common, want)
		}
	}
}

// TestExchangesAreBounded: endless error pages and answers leave their beginning, requests without an answer themselves.
func TestExchangesAreBounded(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply faultserver.Reply
		kept  int
		cut   bool
	}{
		{"error page", faultserver.Status(http.StatusBadRequest, strings.Repeat("x", 70<<10)), 64 << 10, true},
		{"endless answer", faultserver.Raw(strings.Repeat(" ", 9<<20)), 64 << 10, true},
		{"endless error page", faultserver.Status(http.StatusBadGateway, strings.Repeat("x", 9<<20)), 64 << 10, true},
		{"redirect", faultserver.Status(http.StatusFound, "moved").With("Location", "/other"), 5, false},
		{"no answer in time", faultserver.Reply{Hang: true}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := faultserver.New(t, c.reply)
			client := once(t, srv, func(e *llm.Endpoint) {
				if c.reply.Hang {
					e.Timeout = 50 * time.Millisecond
				}
			})
			var got []llm.Exchange
			ctx := llm.WithExchanges(context.Background(), func(x llm.Exchange) { got = append(got, x) })
			_, err := client.Complete(ctx, hello())
			if len(got) != 1 || err == nil {
				t.Fatalf("%d exchanges, error %v", len(got), err)
			}
			if x := got[0]; len(x.Answer) != c.kept || x.Cut != c.cut || x.Error == "" || !strings.Contains(string(x.Request), `"hello"`) {
				t.Errorf("kept %d bytes, cut %v, error %q, request %s", len(x.Answer), x.Cut, x.Error, x.Request)
			}
		})
	}
}

// TestCommonPlacesFit: where invalid text changes the length of a body, no place is told rather than a wrong one.
func TestCommonPlacesFit(t *testing.T) {
	srv := faultserver.New(t, faultserver.Text("hi"), faultserver.Text("hi"))
	c := once(t, srv)
	var got []llm.Exchange
	ctx := llm.WithExchanges(context.Background(), func(x llm.Exchange) { got = append(got, x) })
	for _, description := range []string{"plain", "odd \xff"} {
		req := hello()
		req.Tools = []llm.Tool{{Name: "t", Parameters: raw(fmt.Sprintf(`{"type":"object","description":%q}`, "x"))}}
		if description != "plain" {
			req.Tools[0].Parameters = raw("{\"type\":\"object\",\"description\":\"" + description + "\"}")
		}
		if _, err := c.Complete(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	if len(got[0].Common) != 1 || got[1].Common != nil {
		t.Errorf("places %v and %v, want one and none", got[0].Common, got[1].Common)
	}
}
