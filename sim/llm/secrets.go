package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

const mask = "[redacted]"

// shortest is the length from which a value is a secret at all. Placeholders such as "x" hide nothing and would garble
// every text.
const shortest = 4

// Redactor masks the secrets of endpoints in texts, in whatever spelling a server or a model may repeat them: as they
// are, in base64, with JSON escapes at any depth, with percent escapes, with HTML entities. The zero value masks nothing.
// It prints without its secrets.
type Redactor struct {
	secrets    []secret
	shortest64 int // length of the shortest core of encoded secrets, 0 without any
}

// secret is one value that must not leave the process.
type secret struct {
	forms  [][]byte // as it is and as usual encoders write it
	folded [][]byte // as it is, and without its escapes, which are none; see fold
	// encoded is empty for what is not distinct: a word in base64 is no secret either.
	encoded []encoded
	// distinct: unlikely to be a word that somebody says, such as the key "ollama".
	distinct bool
}

// NewRedactor masks keys, header values, and what the addresses hold beside host and path: passwords and the values of
// the query.
func NewRedactor(endpoints ...Endpoint) Redactor {
	var values []string
	for _, e := range endpoints {
		values = append(values, e.secrets()...)
	}
	slices.SortFunc(values, func(a, b string) int {
		if n := len(b) - len(a); n != 0 {
			return n // a secret may be part of another
		}
		return strings.Compare(a, b)
	})
	var r Redactor
	for _, v := range slices.Compact(values) {
		s := newSecret(v)
		r.secrets = append(r.secrets, s)
		for _, e := range s.encoded {
			if r.shortest64 == 0 || len(e.core) < r.shortest64 {
				r.shortest64 = len(e.core)
			}
		}
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

func newSecret(v string) secret {
	once := string(appendString(nil, v))
	twice := string(appendString(nil, once[1:len(once)-1]))
	s := secret{distinct: len(v) >= 8 || (len(v) >= 6 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz") != "")}
	for _, form := range []string{v, once[1 : len(once)-1], twice[1 : len(twice)-1], url.QueryEscape(v)} {
		if !slices.ContainsFunc(s.forms, func(f []byte) bool { return string(f) == form }) {
			s.forms = append(s.forms, []byte(form))
		}
	}
	if s.distinct {
		s.encoded = encodings(v)
	}
	if strings.Contains(v, " ") {
		s.folded = append(s.folded, []byte(strings.ReplaceAll(v, " ", "+"))) // as forms have it
	}
	for level := []byte(v); len(level) >= shortest; {
		s.folded = append(s.folded, level)
		next := fold(level, nil)
		if len(next) == len(level) {
			break
		}
		level = next
	}
	return s
}

// String hides the secrets from fmt.
func (Redactor) String() string { return "redactor" }

// GoString is String.
func (r Redactor) GoString() string { return r.String() }

// Redact masks secrets in what is kept: answers, records, logs. Short plain words stay, since a key like "ollama" is also
// a word that a model may say. The text is not written to; where nothing is masked, it is returned.
func (r Redactor) Redact(text []byte) []byte { return r.mask(text, false) }

// strict masks every secret, in the errors that a person sees.
func (r Redactor) strict(text string) string {
	if len(r.secrets) == 0 {
		return text
	}
	return string(r.mask([]byte(text), true))
}

func (r Redactor) mask(text []byte, all bool) []byte {
	for _, s := range r.secrets {
		if !s.distinct && !all {
			continue
		}
		for _, form := range s.forms {
			if bytes.Contains(text, form) {
				text = bytes.ReplaceAll(text, form, []byte(mask))
			}
		}
	}
	if len(r.secrets) == 0 {
		return text
	}
	if start, _ := r.encodedIn(text, 0); start >= 0 {
		text = maskFolded(text, 0, r.encodedIn)
	}
	if !bytes.ContainsAny(text, `\%&`) {
		return text
	}
	for depth, level := 1, text; depth <= deepest; depth++ {
		next := fold(level, nil)
		if len(next) == len(level) {
			break
		}
		level = next
		for _, s := range r.secrets {
			for _, folded := range s.folded {
				if (s.distinct || all) && bytes.Contains(level, folded) {
					text = maskFolded(text, depth, func(level []byte, from int) (start, end int) {
						start = bytes.Index(level[from:], folded)
						return from + start, from + start + len(folded)
					})
					level = folds(text, depth, nil)
				}
			}
		}
		if start, _ := r.encodedIn(level, 0); start >= 0 {
			text = maskFolded(text, depth, r.encodedIn)
			level = folds(text, depth, nil)
		}
	}
	return text
}

// deepest is how often escapes are undone: an escaped escape is one more.
const deepest = 8

// folds folds a text several times.
func folds(text []byte, times int, at *[]int) []byte {
	for range times {
		text = fold(text, at)
	}
	return text
}

// maskFolded masks what find finds once escapes are undone so many times, from its first place to its last.
func maskFolded(text []byte, depth int, find func(level []byte, from int) (start, end int)) []byte {
	at := make([]int, len(text)+1)
	for i := range at {
		at[i] = i
	}
	folded := folds(text, depth, &at)
	var out []byte
	done := 0 // of text
	for from := 0; ; {
		start, end := find(folded, from)
		if start < from {
			return append(out, text[done:]...)
		}
		out = append(append(out, text[done:at[start]]...), mask...)
		done, from = at[end], end
	}
}

// fold undoes the escapes of a text once: those of JSON, of URLs and of HTML. What has no escapes keeps its length, all
// else gets shorter. The places that belong to the text's bytes and its end become those of the folded text's.
func fold(text []byte, places *[]int) []byte {
	folded := make([]byte, 0, len(text))
	var at []int
	for i := 0; i < len(text); {
		if places == nil { // most of a text is plain, and is copied in runs
			n := bytes.IndexAny(text[i:], `\%&`)
			if n < 0 {
				n = len(text) - i
			}
			folded = append(folded, text[i:i+n]...)
			if i += n; i == len(text) {
				break
			}
		}
		from, width := len(folded), 1
		if c := text[i]; c == '\\' || c == '%' || c == '&' {
			folded, width = unescape(folded, text[i:])
		} else {
			folded = append(folded, c)
		}
		if places != nil {
			for range len(folded) - from {
				at = append(at, (*places)[i]) // all bytes of one escape are at its beginning
			}
		}
		i += width
	}
	if places != nil {
		*places = append(at, (*places)[len(text)])
	}
	return folded
}

// unescape appends what the escape at the start of a text stands for, and tells how long it is.
func unescape(dst, text []byte) ([]byte, int) {
	switch text[0] {
	case '\\':
		return unescapeJSON(dst, text)
	case '%':
		if len(text) > 2 {
			if v, ok := hexValue(text[1:3]); ok {
				return append(dst, byte(v)), 3
			}
		}
	case '&':
		if n := bytes.IndexByte(text[:min(len(text), 10)], ';'); n > 0 {
			if r, ok := entity(string(text[1:n])); ok {
				return appendRune(dst, r), n + 1
			}
		}
	}
	return append(dst, text[0]), 1
}

// unescapeJSON reads a run of backslashes with what it escapes. Each depth of JSON within JSON doubles the backslashes
// before a character, and adds one before a quote: an even run before a quote is text at the end of a string.
func unescapeJSON(dst, text []byte) ([]byte, int) {
	n := 1
	for n < len(text) && text[n] == '\\' {
		n++
	}
	if len(text) >= n+5 && text[n] == 'u' {
		if v, ok := hexValue(text[n+1 : n+5]); ok {
			return appendRune(dst, v), n + 5
		}
	}
	if n == len(text) {
		return append(dst, '\\'), n
	}
	c := text[n]
	switch {
	case c == '/', c == '"' && n%2 == 1:
		return append(dst, c), n + 1
	case n%2 == 0:
	case c == 'n':
		return append(dst, '\n'), n + 1
	case c == 't':
		return append(dst, '\t'), n + 1
	case c == 'r':
		return append(dst, '\r'), n + 1
	case c == 'b':
		return append(dst, '\b'), n + 1
	case c == 'f':
		return append(dst, '\f'), n + 1
	}
	return append(dst, '\\'), n
}

func appendRune(dst []byte, r rune) []byte { return append(dst, string(r)...) }

func hexValue(digits []byte) (rune, bool) {
	var v rune
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, len(digits) > 0
}

// entity reads the name or number between & and ; of HTML, as far as encoders of text write them.
func entity(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		return 0, false
	}
	if x, isHex := strings.CutPrefix(strings.ToLower(digits), "x"); isHex {
		return hexValue([]byte(x))
	}
	var v rune
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + c - '0'
	}
	return v, digits != ""
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
