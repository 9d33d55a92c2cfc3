package runs_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// TestSecretsAreNeverWritten has the endpoint repeat the key and what the address holds, in content, in arguments of calls
// and in errors, in each spelling that llm.Redactor promises to mask: nothing that the run leaves behind or shows has it.
func TestSecretsAreNeverWritten(t *testing.T) {
	t.Parallel()
	const key, query, password = "sk-planted+0/123456789=", "SECRETQ+1", "SECRETPW"
	spellings := []func(string) string{
		func(s string) string { return s },
		url.QueryEscape,
		html.EscapeString,
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	}
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("api_key") != query || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("asked %s with %q", r.RequestURI, r.Header.Get("Authorization"))
		}
		var echo strings.Builder
		for _, secret := range []string{key, query, password} {
			for _, spell := range spellings {
				echo.WriteString(spell(secret) + " and ")
			}
		}
		switch calls.Add(1) % 4 {
		case 0:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q,"param":%[1]q}}`, "not liked: "+echo.String())
		case 1:
			fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%q,"reasoning_content":%[1]q},"finish_reason":"stop"}]}`, echo.String())
		default:
			fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":%q,"function":{"name":"get_order_details","arguments":%q}}]},"finish_reason":"tool_calls"}]}`,
				key, fmt.Sprintf(`{"order_id":%q}`, echo.String()))
		}
	}))
	defer srv.Close()
	address := strings.Replace(srv.URL, "://", "://user:"+password+"@", 1) + "/v1?api_key=" + url.QueryEscape(query)
	for name, text := range attempt(t, address, key, 4) {
		for _, secret := range []string{key, query, password} {
			for _, spell := range spellings {
				if i := strings.Index(text, spell(secret)); i >= 0 {
					t.Errorf("%s has %q: …%s", name, spell(secret), text[max(0, i-80):min(len(text), i+80)])
				}
			}
		}
	}
	// Nobody listens: the address is in the errors.
	for name, text := range attempt(t, "http://user:"+password+"@127.0.0.1:1/v1?api_key=SECRETQ", key, 1) {
		if strings.Contains(text, "SECRET") {
			t.Errorf("%s has a secret: %s", name, text)
		}
	}
}

// attempt runs a few conversations with models at an address, and returns all that is left of them by name.
func attempt(t *testing.T, address, key string, trials int) map[string]string {
	t.Helper()
	text := fmt.Sprintf(`note: keys
trials: %d
limits: {max_steps: 8, timeout: 2s}
models: {m: {base_url: %q, key: $KEY}}
user: {model: m}
judge: {model: m}
domains: [{name: retail, tasks: [cancel-gift-card-order]}]
systems: [{name: A, agent: react, model: m}]
`, trials, address)
	c, err := config.Parse("keys.yaml", []byte(text), func(string) string { return key })
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	var shown strings.Builder
	s, err := runtest.Run(context.Background(), c, config.Options{Out: dir, Concurrency: 1, Cassette: "record"}, runs.Options{Debug: true, Progress: reporter(func(p runs.Progress) {
		fmt.Fprintf(&shown, "%s %s\n", p.Line(), p.LastFault)
	})})
	if err != nil || s.Executed == 0 {
		t.Fatalf("%v; %+v", err, s)
	}
	out := runtest.Snapshot(t, dir)
	out["progress"] = shown.String() + fmt.Sprintf("%+v", s)
	if !strings.Contains(fmt.Sprint(out), "redacted") {
		t.Error("nothing was masked")
	}
	return out
}
