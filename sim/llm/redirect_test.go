package llm_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestRedirectsCarryNothing: no redirect is followed, to this host or another,
// whatever would become of the POST. The error names the address, without what is
// secret in it, and the request is not repeated.
func TestRedirectsCarryNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		for _, auth := range []string{"bearer", "api-key"} {
			for _, where := range []string{"same host", "other host", "other host with the key", "scheme and user", "unreadable", "none"} {
				t.Run(fmt.Sprintf("%d %s %s", status, auth, where), func(t *testing.T) {
					t.Parallel()
					other := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply { return faultserver.Text("stolen") })
					srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply {
						reply := faultserver.Status(status, "moved, your key is "+hostileKey)
						switch where {
						case "same host":
							return reply.With("Location", "/v1/other/chat/completions")
						case "other host":
							return reply.With("Location", other.URL+"/chat/completions")
						case "other host with the key":
							return reply.With("Location", other.URL+"/chat/completions?key="+hostileKey+"&h="+hostileHeader)
						case "scheme and user":
							return reply.With("Location", "ftp://"+hostileKey+"@127.0.0.1/x")
						case "unreadable":
							return reply.With("Location", "http://[::1/"+hostileKey)
						}
						return reply
					})
					e := redirected(t, srv, auth)
					if n := len(srv.Requests()); n != 1 {
						t.Errorf("%d requests at the endpoint, want 1", n)
					}
					if stolen := other.Requests(); len(stolen) != 0 {
						t.Errorf("the other host was sent %+v", stolen[0].Header)
					}
					if e.Kind != llm.KindBadRequest || e.Status != status || e.Retryable() || e.Attempts != 1 || !strings.Contains(e.Message, "set base_url") {
						t.Errorf("got %v", e)
					}
					noSecrets(t, e)
				})
			}
		}
	}
}

// redirected asks once, with the key in Authorization or, at an address of Azure,
// in its own header, and returns the failure.
func redirected(t *testing.T, srv *faultserver.Server, auth string) *llm.Error {
	t.Helper()
	e := llm.Endpoint{
		Name: "test", BaseURL: srv.URL, Model: "local-model", Key: hostileKey, Headers: map[string]string{"X-Api-Key": hostileHeader},
		Retry: llm.RetryPolicy{Attempts: 3, FirstWait: time.Millisecond},
	}
	d := &llm.Dialer{Models: models(t)}
	if auth == "api-key" {
		e.BaseURL = "http://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21"
		own := srv.Transport()
		elsewhere := &net.Dialer{}
		dial := own.DialContext
		own.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "x.openai.azure.com") {
				return dial(ctx, network, address)
			}
			return elsewhere.DialContext(ctx, network, address)
		}
		d.Transport = own
	}
	c, err := d.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	failure := refuse(t, c)
	sent := srv.Last(t).Header
	if auth == "api-key" && (sent.Get("Api-Key") != hostileKey || sent.Get("Authorization") != "") {
		t.Errorf("sent %v, want the key in api-key alone", sent)
	}
	if auth == "bearer" && sent.Get("Authorization") != "Bearer "+hostileKey {
		t.Errorf("sent %v, want the key in Authorization", sent)
	}
	return failure
}
