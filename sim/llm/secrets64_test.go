package llm_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// percent writes every byte of a text as a percent escape.
func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02x", s[i])
	}
	return b.String()
}

// reveals reports whether a text holds a key once anything in it is decoded that may be: percent escapes, and every run of
// letters of base64 from each of its first four letters on.
func reveals(text, key string) bool {
	for range 3 {
		if strings.Contains(text, key) {
			return true
		}
		for _, run := range strings.FieldsFunc(text, func(r rune) bool {
			return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", r)
		}) {
			run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
			for cut := range min(4, len(run)) {
				part := run[cut:]
				plain, err := base64.RawStdEncoding.DecodeString(part[:len(part)-len(part)%4])
				if err == nil && strings.Contains(string(plain), key[2:len(key)-2]) {
					return true
				}
			}
		}
		plain, err := url.PathUnescape(text)
		if err != nil || plain == text {
			return false
		}
		text = plain
	}
	return false
}

// TestKeysInBase64AreMasked lets a text repeat a key as headers and addresses may carry it.
func TestKeysInBase64AreMasked(t *testing.T) {
	t.Parallel()
	// The last is all letters 62 and 63 where it begins a group, the ones that the two alphabets write otherwise.
	for _, key := range []string{"sk-planted-0123456789", "sk-7", "Ab3+/=", "sk-\xc3\xbc~~~???>>>ööö", "~~~???>>>~~~???>>>"} {
		if len(key) < 6 {
			key += "-and-more"
		}
		r := llm.NewRedactor(llm.Endpoint{Key: key})
		for _, user := range []string{"", "u", "us", "user"} { // with the colon, all three places within a group
			for _, tail := range []string{"", "\n", "!!", "@host"} {
				pair := user + ":" + key + tail
				forms := map[string]string{"std": base64.StdEncoding.EncodeToString([]byte(pair)), "url": base64.URLEncoding.EncodeToString([]byte(pair)),
					"raw": base64.RawStdEncoding.EncodeToString([]byte(pair)), "raw url": base64.RawURLEncoding.EncodeToString([]byte(pair))}
				for how, form := range forms {
					for where, text := range map[string]string{
						"header":     "Authorization: Basic " + form + "\r\nAccept: */*",
						"JSON":       `{"authorization":` + jsonOf(t, "Basic "+form) + `,"n":1}`,
						"slashes":    `{"a":"` + strings.ReplaceAll(form, "/", `\/`) + `"}`,
						"escaped":    `{"a":"` + escaped(form) + `"}`,
						"address":    "https://h/v1?auth=" + url.QueryEscape(form) + "&x=y",
						"percent":    "auth=" + percent(form),
						"twice":      "auth=" + url.QueryEscape(url.QueryEscape(form)),
						"in a blob":  strings.Repeat("QUJD", 50) + form,
						"twice over": form + " and " + form,
					} {
						out := string(r.Redact([]byte(text)))
						if reveals(out, key) || strings.Contains(out, form) || !strings.Contains(out, "[redacted]") {
							t.Errorf("%q, %s, %s: %q became %q", pair, how, where, text, out)
						}
						if where == "JSON" && !json.Valid([]byte(out)) {
							t.Errorf("%q is no JSON any more", out)
						}
					}
				}
			}
		}
	}
}

func jsonOf(t *testing.T, s string) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKeysInPercentEscapesAreMasked has them as addresses and forms write them.
func TestKeysInPercentEscapesAreMasked(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-planted-0123456789", `sk/with+plus&=?#%"quote`, "sk with spaces and ü"} {
		r := llm.NewRedactor(llm.Endpoint{Key: key})
		for how, form := range map[string]string{
			"query": url.QueryEscape(key), "path": url.PathEscape(key), "all": percent(key), "upper": strings.ToUpper(percent(key)[:9]) + key[3:],
			"twice": url.QueryEscape(percent(key)), "form": url.Values{"key": {key}}.Encode(), "lower": lowerEscapes(url.QueryEscape(key)),
		} {
			text := "GET https://h/v1?a=b&key=" + form + "&c=d HTTP/1.1"
			out := string(r.Redact([]byte(text)))
			if reveals(out, key) || strings.Contains(out, form) || !strings.Contains(out, "[redacted]") {
				t.Errorf("%s: %q became %q", how, text, out)
			}
		}
	}
}

// lowerEscapes writes the hexadecimal digits of percent escapes in small letters.
func lowerEscapes(s string) string {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '%' {
			s = s[:i] + strings.ToLower(s[i:i+3]) + s[i+3:]
		}
	}
	return s
}

// TestBase64IsMaskedAnywhere hides random keys in random surroundings; without one, nothing changes.
func TestBase64IsMaskedAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`sk-[ -~]{5,60}`).Draw(t, "key")
		if strings.TrimSpace(key) != key {
			t.Skip()
		}
		before, after := rapid.SliceOf(rapid.Byte()).Draw(t, "before"), rapid.SliceOf(rapid.Byte()).Draw(t, "after")
		e := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.URLEncoding}).Draw(t, "alphabet")
		r := llm.NewRedactor(llm.Endpoint{Key: key})
		text := "x " + e.EncodeToString(append(append(before, key...), after...)) + " y"
		if out := string(r.Redact([]byte(text))); reveals(out, key) || !strings.Contains(out, "[redacted]") || !strings.HasPrefix(out, "x ") || !strings.HasSuffix(out, " y") {
			t.Fatalf("%q became %q", text, out)
		}
		other := e.EncodeToString(after)
		if out := string(r.Redact([]byte(other))); out != other && !strings.Contains(string(after), key) {
			t.Fatalf("%q became %q", other, out)
		}
	})
}

// TestWordsInBase64Stay: a key that is a word is no secret, in whatever letters.
func TestWordsInBase64Stay(t *testing.T) {
	t.Parallel()
	text := "Authorization: Bearer " + base64.StdEncoding.EncodeToString([]byte("ollama"))
	if out := llm.NewRedactor(llm.Endpoint{Key: "ollama"}).Redact([]byte(text)); string(out) != text {
		t.Errorf("%q became %q", text, out)
	}
}

// TestEchoedBasicAuthIsMasked lets an endpoint repeat what it was sent, in an answer and in an error.
func TestEchoedBasicAuthIsMasked(t *testing.T) {
	t.Parallel()
	const key = "sk-planted-0123456789"
	for _, user := range []string{"a", "ab", "abc"} {
		echo := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+key))
		for name, reply := range map[string]faultserver.Reply{
			"answer": faultserver.Text("You sent " + echo), "error": faultserver.Status(401, `{"error":{"message":"wrong `+echo+`"}}`),
		} {
			srv := faultserver.New(t, reply)
			resp, err := once(t, srv, func(e *llm.Endpoint) { e.Key = key }).Complete(t.Context(), hello())
			shown := resp.Message.Text() + string(resp.Raw) + fmt.Sprint(err)
			if reveals(shown, key) || !strings.Contains(shown, "[redacted]") {
				t.Errorf("%s: %s", name, shown)
			}
		}
	}
}

// BenchmarkRedactPlain has the text of most records: prose and JSON with few escapes.
func BenchmarkRedactPlain(b *testing.B) {
	text := []byte(faultserver.Text(strings.Repeat("The parcel may be rerouted once, before it has left the depot, as order #W6779827 says. ", 300)).Body)
	r := llm.NewRedactor(llm.Endpoint{Key: "sk-0123456789abcdef"}, llm.Endpoint{Key: "sk-fedcba9876543210"})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}
