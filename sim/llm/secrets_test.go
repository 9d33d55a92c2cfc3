package llm_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// bare is a text as a JSON string without its quotes, with or without the escapes of HTML.
func bare(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// TestEchoedKeysAreMasked lets an endpoint repeat the key in every part of an answer and of an error, as it is, with JSON
// escapes, and in base64: it may not show once decoded.
func TestEchoedKeysAreMasked(t *testing.T) {
	t.Parallel()
	for _, key := range []string{`sk-Abc"d&e`, `sk-plain-0123456789`, `sk/with\slash+and%20`, `ends-in-quote"`, `ends-in-\`} {
		spellings := map[string]string{ // within a JSON string
			"plain": bare(key, false), "html": bare(key, true), "slashes": strings.ReplaceAll(bare(key, true), "/", `\/`),
			"base64": base64.StdEncoding.EncodeToString([]byte("user:" + key)),
		}
		for how, s := range spellings {
			replies := map[string]faultserver.Reply{
				"content":   faultserver.Message(`{"role":"assistant","content":"I heard `+s+`."}`, "stop"),
				"parts":     faultserver.Message(`{"role":"assistant","content":[{"type":"text","text":"I heard `+s+`."}]}`, "stop"),
				"reasoning": faultserver.Message(`{"role":"assistant","content":"x","reasoning_content":"`+s+`","more":{"a":["`+s+`"]}}`, "stop"),
				"arguments": faultserver.Message(`{"role":"assistant","content":null,"tool_calls":[{"id":"`+s+`","extra_content":"`+s+`","function":{"name":"f","arguments":"`+s+`"}}]}`, "tool_calls"),
				"object":    faultserver.Message(`{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"`+s+`","arguments":{"a":"`+s+`"}}}]}`, "tool_calls"),
				"id":        faultserver.Raw(`{"id":"` + s + `","model":"` + s + `","choices":[{"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`),
				"error":     faultserver.Status(401, `{"error":{"message":"wrong `+s+`","code":"`+s+`","param":"`+s+`"}}`),
				"200 error": faultserver.Raw(`{"error":{"message":"wrong ` + s + `","code":"` + s + `"}}`),
				"malformed": faultserver.Raw(`{"choices":[{"message":{"role":"` + s + `"}}]}`),
				"text":      faultserver.Status(500, "<p>"+s+"</p>"),
			}
			for where, reply := range replies {
				t.Run(key+"/"+how+"/"+where, func(t *testing.T) {
					t.Parallel()
					resp, err := once(t, faultserver.New(t, reply), func(e *llm.Endpoint) { e.Key = key }).Complete(t.Context(), hello())
					shown, e := "", &llm.Error{}
					if err != nil {
						e = refuseErr(t, err)
						shown = fmt.Sprintf("%v %+v %#v", err, *e, *e)
					} else if _, err := json.Marshal(resp); err != nil {
						t.Errorf("the answer is no JSON any more: %v", err)
					}
					for _, c := range resp.Message.ToolCalls {
						shown += c.ID + c.Name + c.Arguments + fmt.Sprintf("%s", c.Extra)
					}
					shown += resp.Message.Text() + fmt.Sprintf("%s", resp.Message.Extra) + string(resp.Raw) + resp.Model + resp.RequestID
					for _, form := range []string{key, bare(key, false), bare(key, true), s} {
						if i := strings.Index(shown, form); i >= 0 {
							t.Errorf("shows the key: …%s", shown[max(0, i-60):])
						}
					}
					if !strings.Contains(shown, "[redacted]") {
						t.Errorf("the echo is gone: %s", shown)
					}
				})
			}
		}
	}
}

// TestSpellingsAreMasked has keys as headers, addresses and pages write them, in surroundings of any kind.
func TestSpellingsAreMasked(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-planted-0123456789", "Ab3+/=", `sk/with+plus&=?#%"quote<`, "sk with spaces and ü", "~~~???>>>~~~???>>>"} {
		r := llm.NewRedactor(llm.Endpoint{Key: key})
		forms := map[string]string{"plain": key, "JSON": bare(key, false), "JSON for HTML": bare(key, true), "HTML": html.EscapeString(key),
			"query": url.QueryEscape(key), "path": url.PathEscape(key), "form": url.Values{"key": {key}}.Encode()}
		for _, user := range []string{"", "u", "us", "user"} { // with the colon, all three places within a group
			for how, e := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "base64 for URLs": base64.RawURLEncoding} {
				forms[how+" of "+user] = e.EncodeToString([]byte(user + ":" + key + "@host"))
			}
		}
		for how, form := range forms {
			text := "Authorization: " + form + "; " + form + "\r\nAccept: */*"
			out := string(r.Redact([]byte(text)))
			if strings.Contains(out, key) || strings.Contains(out, form) || strings.Count(out, "[redacted]") != 2 || !strings.HasSuffix(out, "Accept: */*") {
				t.Errorf("%s of %q: %q became %q", how, key, text, out)
			}
		}
	}
}

func refuseErr(t *testing.T, err error) *llm.Error {
	t.Helper()
	e, ok := err.(*llm.Error)
	if !ok {
		t.Fatalf("got a %T: %v", err, err)
	}
	return e
}

// TestMaskingKeepsTheRest leaves alone what only looks like an echo.
func TestMaskingKeepsTheRest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{base64.StdEncoding.EncodeToString([]byte("ollama")), "100% \\ \"quoted\" &amp; \u2028 \\u00e9 C:\\new", "ollama and the 2026-10-21 flight", "\\\"\\\\\"", strings.Repeat("\\", 7)} {
		srv := faultserver.New(t, faultserver.Text(text))
		resp := ask(t, once(t, srv, func(e *llm.Endpoint) { e.Key = "ollama"; e.BaseURL += "?api-version=2026-10-21" }))
		if resp.Message.Text() != text {
			t.Errorf("got %q, want %q", resp.Message.Text(), text)
		}
	}
}

// TestLongErrorTextIsCut bounds what an endpoint can put into an error.
func TestLongErrorTextIsCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1<<16)
	e := refuse(t, once(t, faultserver.New(t, faultserver.Error(500, long, long, long, long))))
	if n := len(e.Error()) + len(e.Param); n > 4<<10 || !strings.Contains(e.Message, "éé") {
		t.Errorf("the error has %d bytes", n)
	}
}

// TestAddressWithAQuery: the path goes before the query, and neither the query's values nor the user's password show.
func TestAddressWithAQuery(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1", "/v1/", "/v1/chat/completions", "/v1/chat/completions/", "/a%2Fb"} {
		var got *http.Request
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			_, _ = io.WriteString(w, faultserver.Text("the page "+r.URL.String()+" and SECRETPW").Body)
		}))
		defer srv.Close()
		c, err := llm.Dial(llm.Endpoint{Name: "q", Model: "m", BaseURL: strings.Replace(srv.URL, "://", "://user:SECRETPW@", 1) + path + "?api_key=SECRETQ&api-version=2026-10-21"}, llm.Models{})
		if err != nil {
			t.Fatal(err)
		}
		resp := ask(t, c)
		want := strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/chat/completions") + "/chat/completions?api_key=SECRETQ&api-version=2026-10-21"
		if got.RequestURI != want {
			t.Errorf("asked %s, want %s", got.RequestURI, want)
		}
		if user, pw, _ := got.BasicAuth(); user != "user" || pw != "SECRETPW" {
			t.Errorf("authorization %q", got.Header.Get("Authorization"))
		}
		if text := resp.Message.Text(); strings.Contains(text, "SECRET") || !strings.Contains(text, "2026-10-21") {
			t.Errorf("answer %q", text)
		}
	}
	e := llm.Endpoint{Name: "q", Model: "m", BaseURL: "http://user:SECRETPW@127.0.0.1:1/v1?api_key=SECRETQ&a=b&SECRETBARE", Retry: llm.RetryPolicy{Attempts: 1}}
	d := &llm.Dialer{}
	c, err := d.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	failure := refuse(t, c)
	_, bad := llm.Dial(llm.Endpoint{BaseURL: "ftp://SECRETUSER@h/v1?api_key=SECRETQ"}, llm.Models{})
	text, _ := e.MarshalText()
	for _, s := range []string{fmt.Sprintf("%v %+v %#v", failure, *failure, *failure), fmt.Sprintf("%v %+v %#v %s", e, e, e, text), fmt.Sprint(d.Limiters()), bad.Error()} {
		if strings.Contains(s, "SECRET") {
			t.Errorf("shows a secret: %s", s)
		}
	}
	if !strings.Contains(failure.Error(), "127.0.0.1:1/v1/chat/completions") {
		t.Errorf("the address is missing: %v", failure)
	}
}

func BenchmarkRedact(b *testing.B) {
	text := []byte(faultserver.Text(strings.Repeat("It said \"no\" & left.\n", 1000)).Body)
	r := llm.NewRedactor(llm.Endpoint{Key: "sk-0123456789abcdef"}, llm.Endpoint{Key: "sk-fedcba9876543210"})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}

// TestMaskCredentials: what has the name of a credential is masked at any depth; what counts tokens or names keys is not.
func TestMaskCredentials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want, values string }{
		{`{"temperature":0.70, "b":1e2}`, `{"temperature":0.70, "b":1e2}`, ""},
		{`{"max_tokens":5,"prompt_cache_key":"airline","keys":["a"],"tokens":"x"}`, `{"max_tokens":5,"prompt_cache_key":"airline","keys":["a"],"tokens":"x"}`, ""},
		{`{"api_key":"sk-1","temperature":0.70}`, `{"api_key":"[redacted]","temperature":0.70}`, "api_key: sk-1"},
		{`{"hf_token":"a","OPENAI_KEY":"b","eos_token":"</s>"}`, `{"OPENAI_KEY":"[redacted]","eos_token":"</s>","hf_token":"[redacted]"}`, "OPENAI_KEY: b; hf_token: a"},
		{`{"apiKey":"sk-1"}`, `{"apiKey":"[redacted]"}`, "apiKey: sk-1"},
		{`{"aws_access_key_id":"A","aws_session_token":""}`, `{"aws_access_key_id":"[redacted]","aws_session_token":""}`, "aws_access_key_id: A"},
		{`{"extra_body":[{"azure_ad_token":7}]}`, `{"extra_body":[{"azure_ad_token":"[redacted]"}]}`, "azure_ad_token: 7"},
		{`{"extra_headers":{"X-A":"v","X-B":null}}`, `{"extra_headers":{"X-A":"[redacted]","X-B":null}}`, "extra_headers: v"},
		{`{"api_key":"[redacted]","token":null}`, `{"api_key":"[redacted]","token":null}`, ""},
		{`{"api_base":"https://u:pass-word@h.example/v1?v=1"}`, `{"api_base":"https://redacted@h.example/v1?redacted"}`, "api_base: pass-word dTpwYXNzLXdvcmQ="},
		{`{"api_base":"https://h.example/v1?SIG=abcdef&v=1"}`, `{"api_base":"https://h.example/v1?redacted"}`, "api_base: abcdef"},
		{`{"api_base":"https://h.example/v1?api-version=1"}`, `{"api_base":"https://h.example/v1?api-version=1"}`, ""},
		{`{"key":`, `{"key":`, ""},
	} {
		got, found := llm.MaskCredentials(json.RawMessage(c.in))
		var values []string
		for _, f := range found {
			values = append(values, f.Name+": "+strings.Join(f.Values, " "))
		}
		slices.Sort(values)
		if string(got) != c.want || strings.Join(values, "; ") != c.values {
			t.Errorf("%s: %s with %q, want %s with %q", c.in, got, values, c.want, c.values)
		}
	}
}
