package llm

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// streamLine is a line of an event stream. Comments, which begin with a colon, keep a connection alive.
var streamLine = regexp.MustCompile(`^(data|event|id|retry)?:`)

// eventStream tells whether a body is a server-sent event stream, which is never requested: an answer that came in part
// cannot be told from a whole one everywhere, so a proxy that streams anyway gives no answer that counts. The event
// that reports an error, if there is one, is returned.
func eventStream(body []byte) (failure []byte, ok bool) {
	if !streamLine.Match(body) {
		return nil, false
	}
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	for event := range bytes.SplitSeq(body, []byte("\n\n")) {
		var data strings.Builder
		for line := range bytes.SplitSeq(event, []byte("\n")) {
			if text, is := bytes.CutPrefix(line, []byte("data:")); is {
				data.Write(append(text, '\n'))
			}
		}
		text := strings.TrimSpace(data.String())
		if !gjson.Valid(text) {
			continue
		}
		o, _ := objectOf(text)
		if present(o.get("error")) || scalar(o.get("type")) == "error" {
			return []byte(text), true
		}
	}
	return nil, true
}
