package trials

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"

	markup "golang.org/x/net/html"
)

// piece is a part of a page as it is written, and the text that a reader sees of it.
type piece struct {
	raw  []byte
	text string
	kind markup.TokenType
	tag  string
}

// Marked marks what a pattern finds in the articles of a page of HTML, whatever tags are in between, and opens what it is folded
// into.
func Marked(page []byte, find *regexp.Regexp) []byte {
	all := piecesOf(page)
	for from := 0; from < len(all); from++ {
		if all[from].tag != "article" || all[from].kind != markup.StartTagToken {
			continue
		}
		to := from
		for to < len(all) && (all[to].tag != "article" || all[to].kind != markup.EndTagToken) {
			to++
		}
		markArticle(all[from:to], find)
		from = to
	}
	var out bytes.Buffer
	for _, p := range all {
		out.Write(p.raw)
	}
	return out.Bytes()
}

func piecesOf(page []byte) []piece {
	var out []piece
	z := markup.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != markup.ErrorToken; kind = z.Next() {
		p := piece{raw: slices.Clone(z.Raw()), kind: kind}
		switch kind {
		case markup.TextToken:
			p.text = html.UnescapeString(string(p.raw))
		case markup.StartTagToken, markup.EndTagToken:
			name, _ := z.TagName()
			p.tag = string(name)
		}
		out = append(out, p)
	}
	return out
}

// markArticle marks the texts of one article as if they were one text.
func markArticle(article []piece, find *regexp.Regexp) {
	var whole strings.Builder
	for _, p := range article {
		whole.WriteString(p.text)
	}
	hits := find.FindAllStringIndex(whole.String(), -1)
	var folds []*piece
	at := 0
	for i := range article {
		p := &article[i]
		switch {
		case p.tag == "details" && p.kind == markup.StartTagToken:
			folds = append(folds, p)
		case p.tag == "details" && len(folds) > 0:
			folds = folds[:len(folds)-1]
		case p.kind == markup.TextToken:
			for len(hits) > 0 && hits[0][1] <= at {
				hits = hits[1:]
			}
			if raw := markText(p.text, at, hits); raw != nil {
				p.raw = raw
				for _, f := range folds {
					if !bytes.Contains(f.raw, []byte(" open")) {
						f.raw = append(bytes.TrimSuffix(f.raw, []byte(">")), " open>"...)
					}
				}
			}
			at += len(p.text)
		}
	}
}

// markText writes a text that begins at a place of its article, with marks around what of the hits is in it; nil for none.
func markText(text string, at int, hits [][]int) []byte {
	var out []byte
	done := 0
	for _, hit := range hits {
		from, to := max(hit[0]-at, 0), min(hit[1]-at, len(text))
		if from >= len(text) {
			break
		}
		out = append(out, html.EscapeString(text[done:from])+"<mark>"+html.EscapeString(text[from:to])+"</mark>"...)
		done = to
	}
	if done == 0 {
		return nil
	}
	return append(out, html.EscapeString(text[done:])...)
}
