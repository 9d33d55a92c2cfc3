package checklist

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reading says which part of an answer decided.
type Reading string

// The readings, in the order in which they are tried (docs/reference/baselines.md#verifier).
const (
	ByNothing Reading = "empty"        // an answer without text passes
	ByPass    Reading = "pass_marker"  // the verdict PASS, wherever it is
	ByBlock   Reading = "block_marker" // the verdict BLOCK
	ByLead    Reading = "leading_pass" // the first word is PASS
	ByRest    Reading = "whole_text"   // anything else blocks, with all of it as the message
)

// Verdict is what a verifier's answer comes to.
type Verdict struct {
	Pass    bool
	Message string // to the agent; empty if it passes
	By      Reading
	Items   []Item // as far as they can be read; they decide nothing
}

// Item is a line about one requirement.
type Item struct {
	Name   string `json:"name"`
	Status string `json:"status"` // MET, NOT MET, N/A
	Why    string `json:"why,omitempty"`
}

// noMessage is what the agent hears if a verifier blocks without saying why.
const noMessage = "The call does not meet the policy at this point, and no reason was given. Go through what the policy asks for before it, and make up for what is missing."

// Between the parts of a marker models put emphasis, quotes and spaces.
const filler = "[\\s*_`\"'“”‘’~#>\\[\\]()]*"

var (
	marker  = regexp.MustCompile(`(?i)\bverdict` + filler + `(?:[:：=–—-]|\bis\b)?` + filler + `(passed|pass|blocked|block)\b`)
	choice  = regexp.MustCompile(`(?i)^` + filler + `(?:/|\||\bor\b)` + filler + `(?:verdict` + filler + `[:：=–—-]?` + filler + `)?(?:block|pass)`)
	message = regexp.MustCompile(`(?i)(?:^|\n)[\s*_>#"'{,-]*message["'*_]*\s*[:：=–—-][*_"']*`)
	lead    = regexp.MustCompile(`^(?i:passed|pass)\b`)
	markup  = regexp.MustCompile("(?im)^\\s*```\\w*\\s*$|</?(?:verdict|message)>|\"\\s*}\\s*$")
)

// ReadVerdict reads an answer. Every text has a verdict: PASS where the marker for it is anywhere; otherwise BLOCK with
// what follows that marker; else PASS if the text begins with it; else BLOCK with the whole text. An empty answer is a
// PASS. A line that only repeats the choice between the two is not a marker.
func ReadVerdict(text string) Verdict {
	v := Verdict{Items: readItems(text)}
	if strings.TrimFunc(text, blank) == "" {
		v.Pass, v.By = true, ByNothing
		return v
	}
	pass, blocks := markers(text)
	switch {
	case pass:
		v.Pass, v.By = true, ByPass
	case blocks != nil:
		v.By, v.Message = ByBlock, blockMessage(text, blocks)
	case lead.MatchString(strings.TrimLeftFunc(text, decoration)):
		v.Pass, v.By = true, ByLead
	default:
		v.By, v.Message = ByRest, tidy(text)
	}
	if !v.Pass && v.Message == "" {
		v.Message = noMessage
	}
	return v
}

// blank reports whether a character shows nothing.
func blank(r rune) bool {
	return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || unicode.IsControl(r)
}

// decoration reports whether a character may come before a first word.
func decoration(r rune) bool { return blank(r) || strings.ContainsRune("*_`\"'“‘#>-•[({~✅", r) }

// markers finds whether PASS is marked anywhere, and where the markers of BLOCK are.
func markers(text string) (pass bool, blocks [][]int) {
	for _, at := range marker.FindAllStringSubmatchIndex(text, -1) {
		if choice.MatchString(text[at[1]:]) {
			continue
		}
		if strings.EqualFold(text[at[2]:at[3]][:4], "pass") {
			pass = true
		} else {
			blocks = append(blocks, at[:2])
		}
	}
	return pass, blocks
}

// blockMessage is what follows the first marker that anything follows; otherwise what comes after a label of its own.
func blockMessage(text string, blocks [][]int) string {
	for i, at := range blocks {
		end := len(text)
		if i+1 < len(blocks) {
			end = blocks[i+1][0]
		}
		if m := unlabelled(text[at[1]:end]); m != "" {
			return m
		}
	}
	if at := message.FindStringIndex(text[:blocks[0][0]]); at != nil {
		return tidy(text[at[1]:blocks[0][0]])
	}
	return ""
}

// unlabelled drops the label before a message.
func unlabelled(s string) string {
	if at := message.FindStringIndex(s); at != nil && tidy(s[:at[0]]) == "" {
		s = s[at[1]:]
	}
	return tidy(s)
}

// tidy strips what is left of markup around a message. What is not UTF-8 is replaced.
func tidy(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	s = strings.TrimSpace(markup.ReplaceAllString(s, ""))
	s = strings.TrimLeftFunc(s, func(r rune) bool { return blank(r) || strings.ContainsRune("*_`:：,;.–—-\"'”’])}|", r) })
	return strings.TrimRightFunc(s, func(r rune) bool { return blank(r) || strings.ContainsRune("*_`\"“{[|", r) })
}

var (
	itemStatus = regexp.MustCompile(`(?:\b(NOT[ _-]?MET|UNMET|MET|NOT[ _-]APPLICABLE)\b|\b(N/A)(?:\W|$))`)
	itemLead   = regexp.MustCompile(`^[\s|>*_-]*(?:\(?\d+[.)]|[•–☐☑✓✗✔✘])?[\s|*_` + "`" + `\[]*`)
)

// readItems reads the lines about requirements: a name, a status in capitals, the evidence.
func readItems(text string) []Item {
	var out []Item
	for _, line := range strings.Split(text, "\n") {
		at := itemStatus.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		from, to := at[2], at[3]
		if from < 0 {
			from, to = at[4], at[5]
		}
		name := strings.TrimRight(itemLead.ReplaceAllString(line[:from], ""), " \t:：|*_`–—-=>[]()")
		if name == "" || len(name) > 120 || strings.Contains(strings.ToUpper(name), "SYNTHESIS") {
			continue
		}
		out = append(out, Item{Name: name, Status: status(line[from:to]), Why: strings.Trim(line[to:], " \t\r:：;,.|*_`–—-=()[]")})
	}
	return out
}

func status(word string) string {
	switch word {
	case "MET", "N/A":
		return word
	case "NOT APPLICABLE", "NOT_APPLICABLE", "NOT-APPLICABLE":
		return "N/A"
	}
	return "NOT MET"
}
