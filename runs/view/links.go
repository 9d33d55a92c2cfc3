package view

import (
	"net/url"
	"path"
	"strings"
)

// linker writes the addresses of one page's links.
type linker interface {
	// to refers to a page by its path on the site, its query and a place in it, either of which may be empty.
	to(path string, query url.Values, anchor string) string
	// still reports whether the page is of a copy, where nothing can answer a query that no page was made for.
	still() bool
}

// served are the addresses of a running server.
type served struct{}

func (served) still() bool { return false }

func (served) to(path string, query url.Values, anchor string) string {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if anchor != "" {
		path += "#" + anchor
	}
	return path
}

// copied are the addresses of a page in a copy: relative, so that the folder can be anywhere. It notes what was referred to.
type copied struct {
	file string // of the page, with slashes, below the copy's folder
	seen func(path string, query url.Values)
}

func (*copied) still() bool { return true }

func (c *copied) to(path string, query url.Values, anchor string) string {
	c.seen(path, query)
	out := relative(c.file, fileOf(path, query))
	if anchor != "" {
		out += "#" + anchor
	}
	return out
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
	if from == to {
		return path.Base(to)
	}
	a, b := strings.Split(path.Dir(from), "/"), strings.Split(to, "/")
	if a[0] == "." {
		a = nil
	}
	for len(a) > 0 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Repeat("../", len(a)) + strings.Join(b, "/")
}
