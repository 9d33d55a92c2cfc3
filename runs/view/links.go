package view

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// linker writes the addresses of one page's links: those of a running server or, in a copy, relative ones, so that the
// folder can be anywhere. In a copy nothing can answer a query that no page was made for.
type linker struct {
	file string                              // of the page, with slashes, below the copy's folder
	seen func(path string, query url.Values) // is told what was referred to; nil on a server
}

// still reports whether the page is of a copy.
func (l linker) still() bool { return l.seen != nil }

// to refers to a page by its path on the site and its query.
func (l linker) to(path string, query url.Values) string {
	switch {
	case l.still():
		l.seen(path, query)
		return relative(l.file, fileOf(path, query))
	case len(query) > 0:
		return path + "?" + query.Encode()
	}
	return path
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
