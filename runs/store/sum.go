package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// sumKey opens the last member of a line of index.jsonl: a checksum of what stands before it.
const sumKey = `,"sum":"`

// MarshalJSON writes the entry with a checksum at its end, by which a line that was changed by hand is known.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	text, err := json.Marshal(plain(e))
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1]
	return fmt.Appendf(text, `%s%08x"}`, sumKey, crc32.ChecksumIEEE(text)), nil
}

// decodeEntry reads a line of index.jsonl. One whose checksum is wrong is an error, so that the record is read instead;
// lines of older versions have none.
func decodeEntry(line []byte) (e Entry, err error) {
	type plain Entry
	if err := json.Unmarshal(line, (*plain)(&e)); err != nil {
		return e, err
	}
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 {
		return e, nil
	}
	if want := fmt.Sprintf(`%s%08x"}`, sumKey, crc32.ChecksumIEEE(line[:at])); want != string(line[at:]) {
		return e, fmt.Errorf("entry of %s: the checksum does not fit the line", e.Ref)
	}
	return e, nil
}
