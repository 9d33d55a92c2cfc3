package llm

import (
	"bytes"
	"encoding/json"
)

// eventStream tells whether a body is a server-sent event stream. Requests never
// ask for one: a benchmark has no use for the first words of an answer, and an
// answer that came in part cannot be told from a whole one everywhere. A proxy
// that streams all the same gives no answer that counts, whole or not. The event
// that reports an error, if there is one, is returned.
func eventStream(body []byte) (failure []byte, ok bool) {
	first, _, _ := bytes.Cut(body, []byte("\n"))
	if !isField(bytes.TrimRight(first, "\r")) {
		return nil, false
	}
	var event []byte
	for line := range bytes.Lines(body) {
		line = bytes.TrimRight(line, "\r\n")
		data, is := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case is:
			event = append(append(event, data...), '\n')
		case len(line) == 0:
			if reportsError(event) {
				return bytes.TrimSpace(event), true
			}
			event = nil
		}
	}
	if reportsError(event) {
		return bytes.TrimSpace(event), true
	}
	return nil, true
}

// isField tells whether a line is one of an event stream. Comments, which begin
// with a colon, keep a connection alive.
func isField(line []byte) bool {
	name, _, colon := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "", "data", "event", "id", "retry":
		return colon
	}
	return false
}

func reportsError(event []byte) bool {
	if !json.Valid(event) {
		return false
	}
	o, _ := objectOf(string(bytes.TrimSpace(event)))
	return present(o.get("error")) || scalar(o.get("type")) == "error"
}
