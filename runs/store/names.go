package store

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// maxNameBytes is how much of a name a file name shows; the rest is told apart by a hash.
const maxNameBytes = 120

// reservedName cannot name a file on Windows.
var reservedName = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)`)

// folderName is a name as a folder's. Names that differ by case only must be kept apart by the caller.
func folderName(name string) string {
	e := escape(name)
	if len(e) <= maxNameBytes {
		return e
	}
	cut := maxNameBytes
	if i := strings.LastIndexByte(e[:cut], '%'); i > cut-3 { // not within an escape
		cut = i
	}
	return hashed(e[:cut], name)
}

// taskName is a task id as the start of a file name. Different ids give names that also differ where the file system
// does not tell cases apart.
func taskName(id string) string {
	if e := escape(id); len(e) <= maxNameBytes && strings.ContainsFunc(e, unicode.IsUpper) {
		return hashed(e, id)
	}
	return folderName(id)
}

// hashed tells a shortened name apart by a hash. The mark before it is never part of an escaped name.
func hashed(short, name string) string { return short + "~" + sha256Hex([]byte(name))[:12] }

// escape writes all bytes but letters, digits, dash and underscore, and dots inside, as %XX in lower case.
func escape(name string) string {
	if name == "" {
		return "%"
	}
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' ||
			c == '.' && i > 0 && i < len(name)-1
		if plain && (i > 0 || !reservedName.MatchString(name)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// recordFile is where the record of an attempt is, below the run directory, with slashes.
func recordFile(r Ref) string {
	return path.Join(trialsDir, folderName(r.Domain), folderName(r.System),
		fmt.Sprintf("%s.%d.%d.json", taskName(r.Task), r.Trial, r.Attempt))
}

func sha256Hex(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
