package view

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// maxSlug is how much of a name an address shows.
const maxSlug = 48

// slugs gives every name of a list a slug: what addresses and file names call it. Slugs are made of letters, digits, dash,
// underscore and tilde, so that no name can reach outside of its place, and differ also where cases are not told
// apart. A name is found by its slug alone; nothing is ever decoded.
type slugs struct {
	list []string // in the order given
	slug map[string]string
	name map[string]string
	rank map[string]int
}

// newSlugs takes the names in the order in which they are to be listed; repeated ones count once. Words that mean
// something else in their place are reserved.
func newSlugs(list []string, reserved ...string) *slugs {
	n := &slugs{slug: map[string]string{}, name: map[string]string{}, rank: map[string]int{}}
	folded := map[string]int{}
	for _, s := range reserved {
		folded[s]++
	}
	for _, s := range list {
		if _, again := n.rank[s]; again {
			continue
		}
		n.rank[s] = len(n.list)
		n.list = append(n.list, s)
		folded[strings.ToLower(s)]++
	}
	for _, s := range n.list {
		slug := plain(s)
		if slug != s || folded[strings.ToLower(s)] > 1 || device(s) {
			sum := sha256.Sum256([]byte(s))
			slug += fmt.Sprintf("~%x", sum[:6])
		}
		n.slug[s], n.name[slug] = slug, s
	}
	return n
}

// plain keeps the letters and digits of ASCII, up to a length, and puts dashes for the rest.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < maxSlug; i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// device reports whether Windows takes a name for a device's.
func device(s string) bool {
	s = strings.ToLower(s)
	switch s {
	case "", "con", "prn", "aux", "nul":
		return true
	}
	return len(s) == 4 && (s[:3] == "com" || s[:3] == "lpt") && s[3] >= '0' && s[3] <= '9'
}
