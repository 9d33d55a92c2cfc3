package airline

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// How people write numbers, dates and names, and a form of texts in which these compare.

var (
	thousands = regexp.MustCompile(`(\d),(\d{3})\b`)
	zeroCents = regexp.MustCompile(`(\d)\.0+\b`)
	notations = strings.NewReplacer("_", " ", "-", " ", "‑", " ", "–", " ", "’", "'")
)

// fold brings texts to a form in which notations compare: lower case, no thousands separators, spaces for underscores
// and hyphens. Basic economy becomes one word, so that it is not taken for economy.
func fold(s string) string {
	s = strings.ToLower(s)
	for range 2 { // digits of neighbouring separators overlap
		s = thousands.ReplaceAllString(s, "$1$2")
	}
	s = zeroCents.ReplaceAllString(s, "$1")
	s = strings.Join(strings.Fields(notations.Replace(s)), " ")
	return strings.ReplaceAll(s, "basic economy", "basiceconomy")
}

// names reports whether a folded text contains a folded phrase with no letter or digit next to it, and no decimals
// behind it.
func names(text, phrase string) bool {
	if phrase == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(phrase)
		decimals := end+1 < len(text) && text[end] == '.' && text[end+1] >= '0' && text[end+1] <= '9'
		if (start == 0 || !wordByte(text[start-1])) && (end == len(text) || !wordByte(text[end])) && !decimals {
			return true
		}
		from = start + 1
	}
}

func wordByte(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 0x80 }

func countWordings(n int64) []string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	out := []string{strconv.FormatInt(n, 10)}
	if n >= 0 && n < int64(len(words)) {
		out = append(out, words[n])
	}
	return out
}

// dateWordings is how people write a date; the first is the one of the data.
func dateWordings(date string) []string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return []string{date}
	}
	day, month := strconv.Itoa(t.Day()), t.Month().String()
	nth := day + ordinal(t.Day())
	return []string{date, month + " " + day, day + " " + month, month + " " + nth, nth + " " + month, nth + " of " + month,
		month[:3] + " " + day, day + " " + month[:3], t.Format("1/2"), t.Format("01/02")}
}

func ordinal(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
