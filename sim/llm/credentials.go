package llm

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// credential matches the names of fields and of the parameters of addresses whose values are credentials, in lower case.
var credential = regexp.MustCompile(`^(key|token|auth|sig|signature|bearer|jwt|pwd)$` +
	`|(api|access|secret|private|subscription|account)[-_]?key([-_]?id)?$` +
	`|(openai|anthropic|azure|gemini|google|openrouter|groq|mistral|deepseek|together|xai|hf|proxy|gateway|master)[-_]key$` +
	`|(access|auth|bearer|session|refresh|security|api|ad|id|hf|hugging_?face|github|gitlab|proxy|gateway)[-_]?token$` +
	`|(secret|password|passwd|authorization|credentials?|cookie|headers)$`)

// Credential is a field of JSON that holds one.
type Credential struct {
	Name   string   // of the field
	Values []string // the texts below it
}

// MaskCredentials masks the texts and numbers in JSON that are below a field with the name of a credential, such as
// api_key or headers, and addresses with a password or such a parameter. JSON without any is returned as it is.
func MaskCredentials(raw json.RawMessage) (json.RawMessage, []Credential) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) != nil {
		return raw, nil
	}
	var found []Credential
	tree = masked(tree, "", nil, &found)
	if len(found) == 0 {
		return raw, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(tree) != nil { // of what was just decoded never
		return raw, nil
	}
	return bytes.TrimSpace(b.Bytes()), found
}

// masked is a value without credentials. name is the field that it is in, and within the credential that it is part of.
func masked(v any, name string, within *Credential, found *[]Credential) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if within == nil && credential.MatchString(strings.ToLower(key)) {
				own := Credential{Name: key}
				v[key] = masked(item, key, &own, found)
				if len(own.Values) > 0 {
					*found = append(*found, own)
				}
				continue
			}
			v[key] = masked(item, key, within, found)
		}
	case []any:
		for i, item := range v {
			v[i] = masked(item, name, within, found)
		}
	case string:
		switch {
		case v == "" || v == mask:
		case within != nil:
			within.Values = append(within.Values, v)
			return mask
		case telling(v):
			*found = append(*found, Credential{name, Endpoint{BaseURL: v}.secrets()})
			return safeURL(v)
		}
	case json.Number:
		if within != nil {
			within.Values = append(within.Values, v.String())
			return mask
		}
	}
	return v
}

// telling reports whether a text is an address that holds a credential.
func telling(text string) bool {
	if !strings.Contains(text, "://") {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	for name := range u.Query() {
		if credential.MatchString(strings.ToLower(name)) {
			return true
		}
	}
	return u.User != nil && u.User.String() != "redacted"
}
