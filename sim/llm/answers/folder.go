package answers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Empty reports whether material can be put into a folder without touching anything: it is new or empty.
func Empty(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w\nhint: give a folder that is new or empty", err)
	}
	return len(entries) == 0, nil
}

// Place makes a folder of files, by their paths in it with slashes, all or none: they are written beside it and moved into
// its place, on Linux in one step. What was there is gone. One process at a time may do it; see File.
func Place(dir string, files map[string]string) (err error) {
	dir, err = filepath.Abs(dir) // so that "." has a name and a parent
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	fresh := filepath.Join(parent, "."+filepath.Base(dir)+".new")
	if err := os.RemoveAll(fresh); err != nil { // a process that was killed leaves it
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		name = filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if swap(fresh, dir) == nil {
		return nil
	}
	old := fresh + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}
