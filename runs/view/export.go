package view

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
)

// Copied says what an export wrote.
type Copied struct {
	Pages, Records int      // pages, and records, as they are in the runs
	Waiting        int      // pages of trials that are not there: not run yet, or their record is gone
	Troubled       []string // files of pages that report an error, such as a record that is damaged
	Opened         int      // pages and files that open from those of trials, such as that of a model call
	Left           int      // of these, how many more there are
}

// leftPath is the page that a copy has in place of what is not in it.
const leftPath = "/left-out/"

// Export writes all pages into a folder that must be new or empty, with links that work from there: from a disk, or put
// on a server. The folder is there whole or not at all. Pages are of the runs as they were when it began.
func (s *Site) Export(ctx context.Context, dir string) (Copied, error) {
	dir, err := filepath.Abs(dir) // so that "." has a name
	if err != nil {
		return Copied{}, fmt.Errorf("export: %w", err)
	}
	if err := errors.Join(vacant(dir), s.apart(dir)); err != nil {
		return Copied{}, err
	}
	still := &Site{pages: s.pages, parts: s.parts, MostOpened: s.MostOpened}
	runs := s.list()
	for i, line := range s.lines(runs) {
		r := runs[i]
		data, err := r.read()
		if err != nil {
			return Copied{}, err
		}
		still.runs = append(still.runs, &givenRun{dir: r.dir, slug: r.slug, data: data, line: line, frozen: true})
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return Copied{}, fmt.Errorf("export: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".tmp-*")
	if err != nil {
		return Copied{}, fmt.Errorf("export: %w", err)
	}
	done, err := still.copyTo(ctx, temp)
	if err == nil {
		err = os.Chmod(temp, 0o755)
	}
	if err == nil {
		err = putInPlace(temp, dir)
	}
	if err != nil {
		return Copied{}, errors.Join(fmt.Errorf("export: %w", err), os.RemoveAll(temp))
	}
	return done, nil
}

// apart refuses a folder within a run: what is written there would be taken for a part of it.
func (s *Site) apart(dir string) error {
	for place := dir; ; place = filepath.Dir(place) {
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		for _, r := range s.list() {
			a, err := os.Stat(place)
			b, err2 := os.Stat(r.dir)
			if err == nil && err2 == nil && os.SameFile(a, b) {
				return fmt.Errorf("export to %s: it is within the run %s\nhint: name a folder outside of it", dir, r.dir)
			}
		}
		if place == filepath.Dir(place) {
			return nil
		}
	}
}

// vacant refuses a folder that has anything in it, and a link.
func vacant(dir string) error {
	if st, err := os.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("export to %s: it is a link\nhint: name the folder that it leads to, or a new one", dir)
	}
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("export to %s: %w\nhint: name a new folder", dir, err)
	case len(list) > 0:
		return fmt.Errorf("export to %s: the folder is not empty\nhint: name a new one, or empty it", dir)
	}
	return nil
}

// putInPlace gives the copy its name. A folder that is there already stays, as it may be somebody's working directory or
// the root of a disk, and takes in what is made; the start page comes last.
func putInPlace(temp, dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(temp, dir)
	}
	list, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	const start = "index.html"
	names := []string{start} // last, as they are taken from the end
	for _, e := range list {
		if e.Name() != start {
			names = append(names, e.Name())
		}
	}
	for _, name := range slices.Backward(names) {
		if err := os.Rename(filepath.Join(temp, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.Remove(temp)
}

// copyTo follows all links from the start page on.
func (s *Site) copyTo(ctx context.Context, dir string) (Copied, error) {
	var out Copied
	type address struct {
		path  string
		query url.Values
	}
	there, made := map[string]bool{}, map[string]bool{} // by address, whether it is in the copy
	var queue []address
	add := func(path string, query url.Values) (string, url.Values) {
		key := path + "?" + query.Encode()
		has, known := there[key]
		switch {
		case known:
		case opens(path) && out.Opened == s.MostOpened:
			out.Left++
		default:
			if has = true; opens(path) {
				out.Opened++
			}
			queue = append(queue, address{path, query})
		}
		if there[key] = has; has {
			return path, query
		}
		if !there[leftPath] {
			there[leftPath] = true
			queue = append(queue, address{leftPath, nil})
		}
		return leftPath, nil
	}
	add("/", nil)
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("stopped with %d pages made: %w", out.Pages, err)
		}
		at := queue[0]
		queue = queue[1:]
		file := fileOf(at.path, at.query)
		p := s.get(at.path, at.query, copied(file, add))
		switch {
		case p.status == http.StatusNotFound:
			out.Waiting++
		case p.status != http.StatusOK:
			out.Troubled = append(out.Troubled, file)
		case p.kind == jsonType:
			out.Records++
		case p.kind == htmlType:
			out.Pages++
		}
		full := filepath.Join(dir, filepath.FromSlash(file))
		if folder := filepath.Dir(full); !made[folder] {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return out, err
			}
			made[folder] = true
		}
		if err := os.WriteFile(full, p.body, 0o644); err != nil {
			return out, err
		}
	}
	s.copied = &out // the start page says what is not in the copy
	start := s.get("/", nil, copied("index.html", add))
	return out, os.WriteFile(filepath.Join(dir, "index.html"), start.body, 0o644)
}
