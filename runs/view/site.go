// Package view makes web pages of recorded runs: what was run, every trial, every conversation, and two conversations
// side by side. The pages are plain HTML with one style sheet and one script, which adds selection and keys; nothing comes
// from elsewhere, and all that pages say is there without the script. They are served to the machine's own user over
// loopback, or written into a folder.
//
// Whatever a model, a tool or a data set wrote reaches a page as text alone: pages are plain data, and the template
// named text makes what is invisible visible (transcript.Pieces) before html/template escapes it. Attributes take safe.
package view

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/runs/store"
)

//go:embed templates/*.html style/*.css script.js
var files embed.FS

// Site is the pages of some runs. Safe for concurrent use.
type Site struct {
	// MostOpened is how much of what opens from trials a copy has. A run of a thousand trials has a hundred thousand model calls.
	MostOpened int

	copied  *Copied // what the copy has that is being made
	pages   *template.Template
	parts   map[string]page // what pages load, by path
	env     func(string) string
	folders []string // whose runs are shown, also those that come later

	mu   sync.Mutex
	runs []*givenRun // in the order in which they were found

	heads sync.Mutex // of the runs' lines
}

// Open reads the runs of the given folders. A folder that is no run itself stands for the runs in it, which are read when they
// are asked for. env resolves variables in the names of their data folders. An error means that a run that was given cannot
// be read.
func Open(dirs []string, env func(string) string) (*Site, error) {
	s := &Site{env: env, MostOpened: 10_000}
	var err error
	if s.pages, err = template.New("").Funcs(functions()).ParseFS(files, "templates/*.html"); err != nil {
		return nil, err
	}
	if s.parts, err = parts(); err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if inside, err := store.Folders(dir); err == nil && len(inside) > 0 && !store.IsRun(dir) {
			s.folders = append(s.folders, filepath.Clean(dir))
			continue
		}
		if _, err := s.add(dir).read(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// parts are what pages load: one style sheet of all files in style, in the order of their names, and the script.
func parts() (map[string]page, error) {
	names, err := fs.Glob(files, "style/*.css")
	if err != nil {
		return nil, err
	}
	var style []byte
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		style = append(style, text...)
	}
	script, err := files.ReadFile("script.js")
	return map[string]page{"/style.css": {status: http.StatusOK, kind: cssType, body: style},
		"/script.js": {status: http.StatusOK, kind: scriptType, body: script}}, err
}

// page is what answers a request.
type page struct {
	status int
	kind   string // Content-Type
	body   []byte
	title  string
	name   string // under which a browser stores it; "" to show it
}

const (
	htmlType   = "text/html; charset=utf-8"
	svgType    = "image/svg+xml"
	cssType    = "text/css; charset=utf-8"
	jsonType   = "application/json; charset=utf-8"
	scriptType = "text/javascript; charset=utf-8"
)

// failure is an error with the status that answers it.
type failure struct {
	status int
	err    error
	raw    string // path of the file that cannot be shown, to offer it as it is; may be empty
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

func notFound(format string, args ...any) error {
	return failure{status: http.StatusNotFound, err: fmt.Errorf(format, args...)}
}

// statusOf is the status that answers an error.
func statusOf(err error) int {
	var f failure
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

// get makes the page at a path, as it is in an address. It never fails: what cannot be shown is told on a page.
func (s *Site) get(path string, query url.Values, l linker) (p page) {
	defer func() {
		if broken := recover(); broken != nil { // a record of some shape that nobody thought of must not end the program
			p = s.trouble(fmt.Errorf("making the page broke: %v", broken), l)
		}
	}()
	parts := strings.Split(strings.Trim(path, "/"), "/")
	v := &request{site: s, linker: l, query: query}
	var err error
	switch {
	case path == "/":
		p, err = v.start()
	case path == leftPath:
		p, err = v.render("left.html", "Not in this copy", nil, nil)
	case s.parts[path].status != 0:
		return s.parts[path]
	default:
		p, err = v.ofRun(parts)
	}
	if err != nil {
		return s.trouble(err, l)
	}
	return p
}

// request is a request for one page.
type request struct {
	site *Site
	linker
	query url.Values
	list  bool // a page that grows as runs are written
	given *givenRun
	*runData
}

// ofRun answers for the pages of one run.
func (v *request) ofRun(parts []string) (page, error) {
	if err := v.enter(parts[0]); err != nil {
		return page{}, err
	}
	rest := parts[1:]
	switch {
	case len(rest) == 0:
		return v.overview()
	case rest[0] == "trials" && len(rest) == 1:
		return v.trials()
	case rest[0] == "trials" && len(rest) == 2 && rest[1] == "search.js" && v.still:
		return v.rowsAsData()
	case rest[0] == "figure" && len(rest) == 2:
		return v.figure(rest[1])
	case rest[0] == "matrix" && len(rest) == 1:
		return v.matrix()
	case rest[0] == "trial" && len(rest) >= 5:
		return v.trialPages(rest[1:5], rest[5:])
	}
	return page{}, notFound("there is no such page: go on from the start page")
}

// enter finds a run by its slug.
func (v *request) enter(slug string) error {
	for _, r := range v.site.list() {
		if r.slug == slug {
			d, err := r.read()
			if err != nil {
				return err
			}
			v.given, v.runData = r, d
			return nil
		}
	}
	return notFound("no run of this name was given to the viewer: go on from the start page")
}

// layout is what every page has.
type layout struct {
	Title    string
	Style    string
	Script   string
	Crumbs   []anchor
	Still    bool
	Policy   string
	Alone    *inlined
	Scripted string // what of the run is
	Live     bool
	Refresh  int // seconds after which a browser loads the page again; 0 for never
	Content  any
}

// anchor is a link. Without To it is text.
type anchor struct {
	To    string
	Text  string
	Class string
	Hint  string
}

// render makes a page of a template.
func (v *request) render(name, title string, crumbs []anchor, content any) (page, error) {
	f := layout{Title: title, Style: v.to("/style.css", nil), Script: v.to("/script.js", nil), Crumbs: append([]anchor{{To: v.to("/", nil), Text: "runs"}}, crumbs...),
		Still: v.still, Content: content}
	if v.runData != nil {
		f.Scripted, f.Live = v.run.Scripted(), v.live
	}
	if v.list && !v.still {
		f.Refresh = refreshSeconds
	}
	f.Policy, f.Alone = policy, v.inlined
	if v.inlined != nil {
		f.Policy = v.inlined.policy()
	}
	var b bytes.Buffer
	if err := v.site.pages.ExecuteTemplate(&b, name, f); err != nil {
		return page{}, err
	}
	return page{status: http.StatusOK, kind: htmlType, title: title, body: b.Bytes()}, nil
}

// trouble is the page that reports an error.
func (s *Site) trouble(err error, l linker) page {
	v := &request{site: s, linker: l}
	status, raw := statusOf(err), ""
	if f := (failure{}); errors.As(err, &f) && f.raw != "" {
		raw = l.to(f.raw, nil)
	}
	p, failed := v.render("trouble.html", http.StatusText(status), nil,
		map[string]any{"Status": fmt.Sprintf("%d %s", status, http.StatusText(status)), "Error": err.Error(), "Raw": raw})
	if failed != nil {
		return page{status: http.StatusInternalServerError, kind: "text/plain; charset=utf-8", body: []byte("this page cannot be made\n")}
	}
	p.status = status
	return p
}
