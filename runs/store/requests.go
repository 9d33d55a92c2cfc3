package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/tauguide/tauguide/sim/llm"
)

// requestsVersion is of the format of files of requests.
const requestsVersion = 1

// textFile is where a text is that several conversations sent, below the run directory.
func textFile(name string) string { return path.Join(requestsDir, "texts", name+".gz") }

// textName names a text by half of its SHA-256, which no other text shares.
func textName(content []byte) string { return sha256Hex(content)[:32] }

// requestsFile is where the requests of an attempt are.
func requestsFile(r Ref) string { return requestsName(r) + ".gz" }

// gradingFile is where the requests of the nth grading of an attempt are that asked a judge.
func gradingFile(r Ref, n int) string { return fmt.Sprintf("%s.grading-%d.gz", requestsName(r), n) }

func requestsName(r Ref) string {
	return requestsDir + strings.TrimSuffix(strings.TrimPrefix(recordFile(r), trialsDir), ".json")
}

// requestsText is a file of requests, one JSON object with a checksum, compressed.
type requestsText struct {
	Version int `json:"version"`
	Ref
	Exchanges []exchange `json:"exchanges"` // as they ended
}

// exchange is a request and what came of it.
type exchange struct {
	Role    string  `json:"role"`
	Ordinal int     `json:"ordinal"`
	Sample  int     `json:"sample,omitempty"`
	Request []piece `json:"request"`
	Status  int     `json:"status,omitempty"`
	Answer  string  `json:"answer,omitempty"`
	Bytes   []byte  `json:"bytes,omitempty"` // the answer, where it is no text
	Cut     bool    `json:"cut,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// piece is a part of a request: new text, a text by its name, or bytes [from, to) of the request before it in its role; of a
// piece that begins later than that, no end is its end.
type piece struct {
	New  string `json:"new,omitempty"`
	Text string `json:"text,omitempty"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to,omitempty"`

	common *text
	kept   int // how many bytes are of the request before
}

func (p piece) size() int {
	if p.common != nil {
		return len(p.common.content)
	}
	return len(p.New) + p.kept
}

// packing is the level from which files of requests hardly get smaller, and the time several times as long.
const packing = 6

// packers are reused, since each takes more memory than what it packs.
var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, packing) // of a level that there is: cannot fail
	return z
}}

// pack compresses; equal contents give equal bytes.
func pack(content []byte) ([]byte, error) {
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	_, err := z.Write(content)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// encode writes the ledger as a file.
func (l *Ledger) encode(ref Ref) ([]byte, error) {
	text, err := encodeLine(requestsText{requestsVersion, ref, l.exchanges})
	if err != nil {
		return nil, err
	}
	return pack(llm.Seal(text))
}
