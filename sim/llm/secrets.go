package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const mask = "[redacted]"

// shortest is the length from which a value is a secret at all. Placeholders such as "x" hide nothing and would garble
// every text.
const shortest = 4

// Redactor masks the secrets of endpoints in texts: as they are, in base64, and once escaped for JSON, for URLs or for
// HTML, as usual encoders do it. The zero value masks nothing. It prints without its secrets.
type Redactor struct {
	distinct []string // spellings of the secrets that nobody says by chance, the longest first
	words    []string // the other secrets, such as the key "ollama"
}

// NewRedactor masks keys, header values, and what the addresses hold beside host and path: passwords and the values of
// the query.
func NewRedactor(endpoints ...Endpoint) Redactor {
	var r Redactor
	for _, e := range endpoints {
		for _, v := range e.secrets() {
			if len(v) >= 8 || (len(v) >= 6 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz") != "") {
				r.distinct = append(r.distinct, spellings(v)...)
			} else {
				r.words = append(r.words, v)
			}
		}
	}
	longestFirst := func(a, b string) int { // a secret may be part of another
		if n := len(b) - len(a); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	}
	for _, list := range []*[]string{&r.distinct, &r.words} {
		slices.SortFunc(*list, longestFirst)
		*list = slices.Compact(*list)
	}
	return r
}

// secrets lists the values of an endpoint that are long enough.
func (e Endpoint) secrets() (out []string) {
	add := func(v string) {
		if v = strings.TrimSpace(v); len(v) >= shortest {
			out = append(out, v)
		}
	}
	add(e.Key)
	for _, v := range e.Hidden {
		add(v)
	}
	for _, v := range e.Headers {
		add(v)
		_, token, _ := strings.Cut(v, " ") // "Bearer …"
		add(token)
	}
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return out
	}
	if u.User != nil {
		name := u.User.Username()
		pw, ok := u.User.Password()
		add(pw)
		add(base64.StdEncoding.EncodeToString([]byte(name + ":" + pw))) // as the header has it
		if !ok {
			add(name)
		}
	}
	for _, pair := range strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, named := strings.Cut(pair, "=")
		if !named {
			value = name
		}
		switch strings.ToLower(name) {
		case "api-version", "api_version", "version": // a date or a number, which conversations are full of
			continue
		}
		add(value)
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			add(plain)
		}
	}
	return out
}

var percentEscape = regexp.MustCompile("%[0-9A-F]{2}")

// spellings lists how a secret may be written.
func spellings(v string) []string {
	quoted := string(appendString(nil, v))
	quoted = quoted[1 : len(quoted)-1]
	forHTML, _ := json.Marshal(v) // of a text: cannot fail
	out := []string{v, quoted, string(forHTML[1 : len(forHTML)-1]), strings.ReplaceAll(quoted, "/", `\/`), html.EscapeString(v)}
	for _, escaped := range []string{url.QueryEscape(v), url.PathEscape(v)} {
		out = append(out, escaped, percentEscape.ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	// Within base64, as in "Basic " + base64(user:key), a secret begins at one of three places of a group. The letters
	// that it shares with its neighbours are left.
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := e.EncodeToString(append(make([]byte, before), v...))
			out = append(out, text[(before*8+5)/6:(before+len(v))*8/6])
		}
	}
	return out
}

// String hides the secrets from fmt.
func (Redactor) String() string { return "redactor" }

// GoString is String.
func (r Redactor) GoString() string { return r.String() }

// Redact masks secrets in what is kept: answers, records, logs. Short plain words stay, since a key like "ollama" is also
// a word that a model may say. The text is not written to; where nothing is masked, it is returned.
func (r Redactor) Redact(text []byte) []byte { return replaceAll(text, r.distinct) }

// Longest is the length in bytes of the longest text that Redact masks.
func (r Redactor) Longest() int {
	if len(r.distinct) == 0 {
		return 0
	}
	return len(r.distinct[0])
}

// strict masks every secret, in the errors that a person sees.
func (r Redactor) strict(text string) string { return string(r.strictly([]byte(text))) }

func (r Redactor) strictly(text []byte) []byte { return replaceAll(r.Redact(text), r.words) }

func replaceAll(text []byte, secrets []string) []byte {
	for _, s := range secrets {
		if secret := []byte(s); bytes.Contains(text, secret) {
			text = bytes.ReplaceAll(text, secret, []byte(mask))
		}
	}
	return text
}

// answer masks secrets in an answer after decoding, which may have brought to light what the bytes hid.
func (r Redactor) answer(a *answer) {
	fields := func(m map[string]json.RawMessage) {
		for k, raw := range m {
			m[k] = r.Redact(raw)
		}
	}
	a.wire = r.Redact(a.wire)
	fields(a.extra)
	for _, m := range a.callExtra {
		fields(m)
	}
}

// failure masks every secret in the texts of an error, and bounds them.
func (r Redactor) failure(e *Error) *Error {
	const shortText = 200
	for _, f := range []struct {
		text *string
		most int
	}{{&e.Message, maxErrorBody}, {&e.Body, maxErrorBody}, {&e.Code, shortText}, {&e.Param, shortText}, {&e.ContentType, shortText}, {&e.RequestID, shortText}} {
		*f.text = clip(r.strict(*f.text), f.most)
	}
	return e
}

// cause wraps an error under a text in which secrets are masked.
func (r Redactor) cause(err error) error { return redacted{r.strict(err.Error()), err} }

// redacted is a cause with a masked text. It holds no secrets itself, so that
// no verb of fmt can print one.
type redacted struct {
	text string
	err  error
}

func (r redacted) Error() string { return r.text }
func (r redacted) Unwrap() error { return r.err }
