package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// maxNameBytes is how much of a name a file name shows; the rest is told apart by a hash.
const maxNameBytes = 120

// hashMark separates a shortened name from its hash. It is never part of an escaped name.
const hashMark = "~"

// reservedNames cannot name a file on Windows, whatever follows the first dot.
var reservedNames = []string{"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
	"com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// folderName is a name as a folder's. Names that differ by case only must be kept apart by the caller.
func folderName(name string) string { return shortened(escape(name), name) }

// taskName is a task id as the start of a file name. Different ids give names that also differ where the file system
// does not tell cases apart.
func taskName(id string) string {
	e := escape(id)
	if strings.ContainsFunc(unescaped(e), unicode.IsUpper) && len(e) <= maxNameBytes {
		return e + hashMark + shortHash(id)
	}
	return shortened(e, id)
}

// escape writes all bytes but letters, digits, dash and underscore, and dots inside, as %XX.
func escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' ||
			c == '.' && i > 0 && i < len(name)-1
		if plain && i == 0 && slices.Contains(reservedNames, strings.ToLower(beforeDot(name))) {
			plain = false
		}
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	if name == "" {
		return "%"
	}
	return b.String()
}

func beforeDot(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

// unescaped drops the escapes.
func unescaped(e string) string {
	var b strings.Builder
	for i := 0; i < len(e); i++ {
		if e[i] == '%' {
			i += 2
			continue
		}
		b.WriteByte(e[i])
	}
	return b.String()
}

func shortHash(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:6])
}

// shortened cuts an escaped name that is too long, not within an escape.
func shortened(e, name string) string {
	if len(e) <= maxNameBytes {
		return e
	}
	cut := maxNameBytes
	if i := strings.LastIndexByte(e[:cut], '%'); i > cut-3 {
		cut = i
	}
	return e[:cut] + hashMark + shortHash(name)
}

// readName undoes folderName and taskName; exact is false where the name was cut.
func readName(file string) (name string, exact bool) {
	if file == "%" {
		return "", true
	}
	e, hash, marked := strings.Cut(file, hashMark)
	name, err := url.PathUnescape(e)
	if err != nil {
		return file, false
	}
	return name, !marked || hash == shortHash(name)
}

// recordFile is where the record of an attempt is, below the run directory, with slashes.
func recordFile(r Ref) string {
	return path.Join(trialsDir, folderName(r.Domain), folderName(r.System),
		fmt.Sprintf("%s.%d.%d.json", taskName(r.Task), r.Trial, r.Attempt))
}

func sha256Hex(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
