package tau2

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Skipped is a file in a folder of results that is not a result itself.
type Skipped struct {
	Path string
	Err  error
}

// Damaged reports whether it should have been a result, and cannot be read.
func (s Skipped) Damaged() bool { return !isShape(s.Err) }

// Find lists the results that a path means: a file, a run, or a result folder means itself; any other folder means all
// runs and results in it. Files in such a folder that are not results, or damaged ones, are returned as skipped.
func Find(path string) (list []string, skipped []Skipped, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w\nhint: name a run, a result file, or a folder of them", err)
	}
	if !st.IsDir() || isOne(path) {
		return []string{path}, nil, nil
	}
	if s, err := Open(path); err == nil && s.Layout == LayoutLoose {
		return []string{path}, nil, nil
	}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && p != path:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() && isOne(p):
			list = append(list, p)
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(strings.TrimSuffix(p, ".gz"), ".json"):
			return nil
		}
		if _, err := Open(p); err != nil {
			skipped = append(skipped, Skipped{p, err})
			return nil
		}
		list = append(list, p)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 && !slices.ContainsFunc(skipped, Skipped.Damaged) {
		return nil, skipped, fmt.Errorf("%s: no run and no τ² result in it", path)
	}
	slices.Sort(list)
	return list, skipped, nil
}

// isOne reports whether a folder is one run or one result.
func isOne(dir string) bool {
	for _, name := range []string{"manifest.json", "results.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
