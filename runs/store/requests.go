package store

import (
	"fmt"
	"path"
	"strings"
)

// requestsVersion is of the format of what was sent.
const requestsVersion = 1

// textName names a text by half of its SHA-256, which no other text shares.
func textName(content []byte) string { return sha256Hex(content)[:32] }

// Older programs wrote a file for each attempt, for each grading that asked a judge, and for each text that several
// conversations sent.

func requestsFile(r Ref) string { return requestsName(r) + ".gz" }

func gradingFile(r Ref, n int) string { return fmt.Sprintf("%s.grading-%d.gz", requestsName(r), n) }

func textFile(name string) string { return path.Join(requestsDir, "texts", name+".gz") }

func requestsName(r Ref) string {
	return requestsDir + strings.TrimSuffix(strings.TrimPrefix(recordFile(r), trialsDir), ".json")
}

// requestsText is what was sent during an attempt or its grading: a line of a segment.
type requestsText struct {
	Version int `json:"version"`
	Ref
	Grading   bool       `json:"grading,omitzero"`
	Exchanges []exchange `json:"exchanges"` // as they ended
}

// textLine is a text to which lines after it in its frame refer.
type textLine struct {
	Text    string `json:"text"` // its name
	Content string `json:"content"`
}

// exchange is a request and what came of it.
type exchange struct {
	Role    string  `json:"role"`
	Ordinal int     `json:"ordinal"`
	Sample  int     `json:"sample,omitzero"`
	Request []piece `json:"request"`
	Status  int     `json:"status,omitzero"`
	Answer  string  `json:"answer,omitzero"`
	Bytes   []byte  `json:"bytes,omitempty"` // the answer, where it is no text
	Cut     bool    `json:"cut,omitzero"`
	Error   string  `json:"error,omitzero"`
}

// piece is a part of a request: new text, a text by its name, or bytes [from, to) of the request before it in its role; of a
// piece that begins later than that, no end is its end.
type piece struct {
	New  string `json:"new,omitzero"`
	Text string `json:"text,omitzero"`
	From int    `json:"from,omitzero"`
	To   int    `json:"to,omitzero"`

	common *text
	kept   int // how many bytes are of the request before
}

func (p piece) size() int {
	if p.common != nil {
		return len(p.common.content)
	}
	return len(p.New) + p.kept
}
