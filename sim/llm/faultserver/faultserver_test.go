package faultserver_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

func post(t *testing.T, ctx context.Context, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(req)
}

// TestScript gives the replies in order and records the requests.
func TestScript(t *testing.T) {
	srv := faultserver.New(t,
		faultserver.Text(`quote " and <tag>`).After(time.Millisecond),
		faultserver.Error(429, "requests", "", "", "slow").With("Retry-After", "1").With("Retry-After", "2"),
		faultserver.TextAndCalls("x", faultserver.Call{ID: "a", Name: "b", Arguments: "{"}),
		faultserver.Cut("hello", 20))
	for i, want := range []struct {
		status int
		after  string
		part   string
	}{{200, "", `"content":"quote \" and <tag>"`}, {429, "2", `"code":null`}, {200, "", `"arguments":"{"`}} {
		resp, err := post(t, t.Context(), srv.URL+"/chat/completions")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !json.Valid(body) || resp.StatusCode != want.status || resp.Header.Get("Retry-After") != want.after || !strings.Contains(string(body), want.part) {
			t.Errorf("reply %d: status %d, header %v, error %v, body %s", i, resp.StatusCode, resp.Header, err, body)
		}
	}
	resp, err := post(t, t.Context(), srv.URL+"/chat/completions")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil || len(body) != 20 {
		t.Errorf("cut reply: %d bytes, error %v", len(body), err)
	}
	if n := len(srv.Requests()); n != 4 {
		t.Errorf("%d requests recorded, want 4", n)
	}
	if m := srv.Last(t).JSON(t); m["model"] != "m" {
		t.Errorf("last body %v", m)
	}
}

// TestHang answers nothing, not even when the test ends.
func TestHang(t *testing.T) {
	srv := faultserver.New(t, faultserver.Hang())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if resp, err := post(t, ctx, srv.URL+"/chat/completions"); err == nil {
		resp.Body.Close()
		t.Error("a hanging reply came")
	}
}

// TestOtherRoutes are refused and do not use up the script.
func TestOtherRoutes(t *testing.T) {
	srv := faultserver.New(t)
	resp, err := post(t, t.Context(), srv.URL+"/models")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("status %d, want 404", resp.StatusCode)
	}
}
