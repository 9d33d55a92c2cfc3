package view

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// linker writes the addresses of one page's links, for where the page is going to be.
type linker struct {
	to       func(path string, query url.Values) string // refers to a page by its path on the site; "" where it is not to be had
	still    bool                                       // nothing answers there: the page is of a copy
	*inlined                                            // what the page has within itself, if it is a file by itself
}

// served is for the pages of a running server.
var served = linker{to: func(path string, query url.Values) string {
	if len(query) > 0 {
		return path + "?" + query.Encode()
	}
	return path
}}

// copied is for a page of a copy: relative, so that the folder can be anywhere. seen is told what was referred to, and says
// what the copy has in its place.
func copied(file string, seen func(path string, query url.Values) (string, url.Values)) linker {
	return linker{still: true, to: func(path string, query url.Values) string {
		return relative(file, fileOf(seen(path, query)))
	}}
}

// fileOf is the file of a copy with a page.
func fileOf(page string, query url.Values) string {
	page = strings.TrimPrefix(page, "/")
	if page != "" && !strings.HasSuffix(page, "/") {
		return page // the style sheet, a record
	}
	name := "index"
	if q := query.Encode(); q != "" {
		name = newSlugs([]string{q}, name).slug[q]
	}
	return page + name + ".html"
}

// relative is the way from one file to another.
func relative(from, to string) string {
	way, err := filepath.Rel(path.Dir(from), to)
	if err != nil { // of two paths below one folder never
		return to
	}
	return filepath.ToSlash(way)
}
