package runs_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
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

// TestEscapedKeysAreNeverWritten has the endpoint repeat the key and what the address holds, in content, in arguments of
// calls and in errors, as encoders of JSON may spell it: nothing that the run leaves behind or shows may hold it.
func TestEscapedKeysAreNeverWritten(t *testing.T) {
	const query, password = "SECRETQ", "SECRETPW"
	spell := map[string]func(string) string{
		"go":   func(s string) string { return quoted(t, s, true) },
		"bare": func(s string) string { return quoted(t, s, false) },
		"escaped": func(s string) string {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
			return `"` + b.String() + `"`
		},
	}
	for how, spelled := range spell {
		for i, key := range []string{`sk-Abc"d&e`, "sk-planted-0123456789"} {
			t.Run(fmt.Sprintf("%s, key %d", how, i), func(t *testing.T) {
				t.Parallel()
				var calls atomic.Int64
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.RequestURI != "/v1/chat/completions?api_key="+query || r.Header.Get("Authorization") != "Bearer "+key {
						t.Errorf("asked %s with %q", r.RequestURI, r.Header.Get("Authorization"))
					}
					echo := key + " and " + r.URL.RawQuery + " and " + password
					arguments := `{"order_id":` + spelled(echo) + `}`
					switch calls.Add(1) % 4 {
					case 0:
						w.WriteHeader(http.StatusBadRequest)
						fmt.Fprintf(w, `{"error":{"message":%s,"param":%[1]s}}`, spelled("not liked: "+echo))
					case 1:
						fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s,"reasoning_content":%[1]s},"finish_reason":"stop"}]}`, spelled(echo))
					default:
						fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":%s,"function":{"name":"get_order_details","arguments":%s}}]},"finish_reason":"tool_calls"}]}`,
							spelled(key), spelled(arguments))
					}
				}))
				defer srv.Close()
				address := strings.Replace(srv.URL, "://", "://user:"+password+"@", 1) + "/v1?api_key=" + query
				shown := attempt(t, address, key, 4)
				for name, text := range shown {
					for _, secret := range []string{key, query, password, strings.Trim(spelled(key), `"`), strings.Trim(spelled(spelled(key)), `"\`), `Abc\"d&e`, `d\u0026e`, `d&e`, "planted"} {
						if i := strings.Index(text, secret); i >= 0 {
							t.Errorf("%s holds %q: …%s", name, secret, text[max(0, i-80):min(len(text), i+80)])
						}
					}
				}
			})
		}
	}
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		for name, text := range attempt(t, "http://user:"+password+"@127.0.0.1:1/v1?api_key="+query, "sk-0123456789", 1) {
			if strings.Contains(text, "SECRET") {
				t.Errorf("%s holds a secret: %s", name, text)
			}
		}
	})
}

// TestEncodedKeysAreNeverWritten has the endpoint repeat the key as headers and addresses carry it: in base64 behind names
// of every length, and with percent escapes.
func TestEncodedKeysAreNeverWritten(t *testing.T) {
	const key, password = "sk-planted>>>???0123456789", "SECRET~~~PW"
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := calls.Add(1)
		encode := []*base64.Encoding{base64.StdEncoding, base64.URLEncoding}[n/4%2].EncodeToString
		user := strings.Repeat("u", int(n%3)+1)
		echo := "Basic " + encode([]byte(user+":"+key)) + " and " + encode([]byte(user+":"+password+"@h")) + " and " + url.QueryEscape(key) + " and " +
			url.QueryEscape(encode([]byte(user+password))) + " and " + strings.ReplaceAll(url.PathEscape(key), "3E", "3e")
		switch n % 4 {
		case 0:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%s,"param":%[1]s}}`, quoted(t, "not liked: "+echo, true))
		case 1:
			fmt.Fprintf(w, `{"id":%s,"choices":[{"message":{"role":"assistant","content":%[1]s,"reasoning_content":%[1]s},"finish_reason":"stop"}]}`, quoted(t, echo, false))
		default:
			fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"get_order_details","arguments":%s}}]},"finish_reason":"tool_calls"}]}`,
				quoted(t, `{"order_id":`+quoted(t, echo, true)+`}`, true))
		}
	}))
	defer srv.Close()
	for name, text := range attempt(t, strings.Replace(srv.URL, "://", "://user:"+password+"@", 1)+"/v1", key, 6) {
		for _, secret := range []string{key, password} {
			for before := range 3 {
				for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
					// The part that the secret alone decides, less the ends.
					core := e.EncodeToString(append(make([]byte, before), secret...))[4:12]
					if i := strings.Index(text, core); i >= 0 {
						t.Errorf("%s holds %q in base64: …%s", name, secret, text[max(0, i-80):min(len(text), i+80)])
					}
				}
			}
			for _, form := range []string{secret, url.QueryEscape(secret), strings.ToLower(url.QueryEscape(secret)), "planted%3"} {
				if i := strings.Index(text, form); i >= 0 {
					t.Errorf("%s holds %q: …%s", name, form, text[max(0, i-80):min(len(text), i+80)])
				}
			}
		}
	}
}

func quoted(t *testing.T, s string, html bool) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// attempt holds a few conversations with models at an address, and returns all that is left of them by name.
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
