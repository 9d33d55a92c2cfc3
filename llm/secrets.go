package llm

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

const mask = "[redacted]"

// secrets are the values that must not leave the process: the key and the
// header values of an endpoint, with the spellings in which a server may echo
// them.
type secrets []string

func (e Endpoint) secrets() secrets {
	var s secrets
	add := func(v string) {
		v = strings.TrimSpace(v)
		// Placeholders such as "x" or "none" hide nothing and would garble
		// every text.
		if len(v) < 4 {
			return
		}
		quoted := string(appendString(nil, v))
		for _, form := range []string{v, quoted[1 : len(quoted)-1], url.QueryEscape(v)} {
			if !slices.Contains(s, form) {
				s = append(s, form)
			}
		}
	}
	add(e.Key)
	for _, v := range e.Headers {
		add(v)
		_, token, _ := strings.Cut(v, " ") // "Bearer …"
		add(token)
	}
	if u, err := url.Parse(e.BaseURL); err == nil && u.User != nil {
		pw, _ := u.User.Password()
		add(pw)
	}
	slices.SortFunc(s, func(a, b string) int { return len(b) - len(a) })
	return s
}

// redact masks every secret in a text that a person or a log may see.
func (s secrets) redact(text string) string {
	for _, v := range s {
		text = strings.ReplaceAll(text, v, mask)
	}
	return text
}

// redactReply masks secrets in a successful reply. Short ones stay, since a
// key like "ollama" is also a word that a model may say.
func (s secrets) redactReply(b []byte) []byte {
	for _, v := range s {
		if len(v) >= 16 {
			b = bytes.ReplaceAll(b, []byte(v), []byte(mask))
		}
	}
	return b
}

// cause wraps an error under a text in which secrets are masked.
func (s secrets) cause(err error) error { return redacted{s.redact(err.Error()), err} }

// redacted is a cause with a masked text. It holds no secrets itself, so that
// no verb of fmt can print one.
type redacted struct {
	text string
	err  error
}

func (r redacted) Error() string { return r.text }
func (r redacted) Unwrap() error { return r.err }
