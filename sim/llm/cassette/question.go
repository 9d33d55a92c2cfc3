package cassette

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// version goes into every key; it goes up when the meaning of a key changes.
const version = 1

// question is a request as it identifies an answer.
type question struct {
	key             string // SHA-256 in hex
	tag             llm.Tag
	identity        string
	endpoint, model string
	body            []byte

	// Filled in by split.
	messages []json.RawMessage
	tools    json.RawMessage
	params   map[string]json.RawMessage // all other fields of the body
}

// ask identifies a request. The tag's attempt is left out: a trial that broke off
// is continued from its recordings.
func ask(m Model, req llm.Request) (question, error) {
	body, _, err := llm.EncodeRequest(m.Endpoint, m.Models, req)
	if err != nil {
		return question{}, err
	}
	q := question{tag: req.Tag, identity: m.Identity, endpoint: m.Endpoint.Name, model: req.Model, body: body}
	if q.model == "" {
		q.model = m.Endpoint.Model
	}
	q.tag.Attempt = 0
	tag, err := json.Marshal(q.tag)
	if err != nil {
		return question{}, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%q\n%s\n", version, q.identity, tag)
	h.Write(body)
	q.key = hex.EncodeToString(h.Sum(nil))
	return q, nil
}

// split takes the body apart, which an answer that is found does not need.
func (q *question) split() error {
	if err := json.Unmarshal(q.body, &q.params); err != nil {
		return err
	}
	if err := json.Unmarshal(q.params["messages"], &q.messages); err != nil {
		return err
	}
	q.tools = q.params["tools"]
	delete(q.params, "messages")
	delete(q.params, "tools")
	return nil
}

// digest shortens a part of a request to what tells it from others.
func digest(part []byte) string {
	if len(part) == 0 {
		return ""
	}
	s := sha256.Sum256(part)
	return hex.EncodeToString(s[:8])
}

// fileName is the name of a trial's file: readable, and unique by a hash.
func fileName(t llm.Tag) string {
	id := fmt.Sprintf("%q %q %q %d %q %d", t.Domain, t.System, t.Task, t.Trial, t.Salt, t.RunSeed)
	s := sha256.Sum256([]byte(id))
	return trialFiles(t) + hex.EncodeToString(s[:6]) + ".jsonl"
}

// trialFiles is how the names of a trial's files begin, whatever the seed.
func trialFiles(t llm.Tag) string {
	return fmt.Sprintf("%s.%s.%s.%d.", inFileName(t.Domain, 20), inFileName(t.System, 30), inFileName(t.Task, 60), t.Trial)
}

// inFileName makes a part of a file name out of any text.
func inFileName(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), most)]
}
