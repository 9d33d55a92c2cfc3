package value

import (
	"bytes"
	"errors"
)

// CheckEncoding says what a file is that is no UTF-8 text, where its first bytes tell, and what to do about it. A parser
// would only complain of the first character.
func CheckEncoding(head []byte) error {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return errors.New("this file is packed with gzip\nhint: unpack it first, with gunzip")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.IndexByte(head[:min(2, len(head))], 0) >= 0:
		return errors.New("this file is UTF-16 text, as PowerShell's redirection writes it\n" +
			"hint: save it as UTF-8: iconv -f utf-16 -t utf-8 FILE, or in PowerShell Get-Content FILE | Set-Content -Encoding utf8 NEW")
	}
	return nil
}
