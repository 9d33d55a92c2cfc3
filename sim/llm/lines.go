package llm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
)

// What models answered is kept as lines of JSON, in recordings and in the folders of runs. Each line ends in a checksum,
// by which a line that was changed by hand is known. It is no signature: who wants to forge one can.

const (
	sumKey   = `,"sum":"`
	sealSize = len(sumKey) + 8 + len(`"}`)
)

// ErrEdited marks what is not as it was written.
var ErrEdited = errors.New("not as it was written, by its checksum")

// Seal gives a line, which holds one JSON object with some member, its checksum as the last member. The new line ends in
// a line break.
func Seal(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = line[:len(line)-1]
	return fmt.Appendf(line[:len(line):len(line)], "%s%08x\"}\n", sumKey, crc32.ChecksumIEEE(line))
}

// Seals checks the lines of one file in their order. Older programs wrote no checksums, so lines without one are believed
// as long as none had one.
type Seals struct{ begun bool }

// Check returns ErrEdited for a line that is not as it was written.
func (s *Seals) Check(line []byte) error {
	line = bytes.TrimSpace(line)
	at := max(0, len(line)-sealSize)
	if !bytes.HasPrefix(line[at:], []byte(sumKey)) {
		if s.begun {
			return ErrEdited
		}
		return nil
	}
	s.begun = true
	if fmt.Sprintf(`%s%08x"}`, sumKey, crc32.ChecksumIEEE(line[:at])) != string(line[at:]) {
		return ErrEdited
	}
	return nil
}

// ReadLine reads a line with its line break, which is valid until the next is read; n is its length in bytes. One of more
// than most is passed over, and line is nil then. The error is io.EOF for a last line without a line break, and for none.
func ReadLine(r *bufio.Reader, most int) (line []byte, n int, err error) {
	for {
		part, err := r.ReadSlice('\n')
		whole := n == 0 && !errors.Is(err, bufio.ErrBufferFull)
		switch n += len(part); {
		case n > most:
			line = nil
		case whole:
			line = part
		default:
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, n, err
		}
	}
}
