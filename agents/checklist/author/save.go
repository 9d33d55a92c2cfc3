package author

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Free reports whether a set can be saved to a folder, and says why not. With force a set that is there is replaced;
// a folder that holds anything but YAML files never is.
func Free(dir string, force bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w; give a folder that is new or empty", err)
	case len(entries) == 0:
		return nil
	case !force:
		return fmt.Errorf("%s is not empty: give another folder, or --force to replace the checklists in it", dir)
	}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" {
			return fmt.Errorf("%s holds %s, which is no checklist, and is not replaced: give another folder", dir, e.Name())
		}
	}
	return nil
}

// Save writes the files to a folder, all or none: they are written beside it and moved into its place.
func (d *Draft) Save(dir string, force bool) (err error) {
	if err := Free(dir, force); err != nil {
		return err
	}
	dir, err = filepath.Abs(dir) // so that "." has a name and a parent
	if err != nil {
		return err
	}
	parent, base := filepath.Split(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("save checklists: %w", err)
	}
	fresh, err := os.MkdirTemp(parent, "."+base+".new-")
	if err != nil {
		return fmt.Errorf("save checklists: %w", err)
	}
	defer func() {
		if gone := os.RemoveAll(fresh); err == nil {
			err = gone
		}
	}()
	for name, text := range d.Files {
		if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return fmt.Errorf("save checklists: %q is no file name", name)
		}
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("save checklists: %w", err)
		}
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return fmt.Errorf("save checklists: %w", err)
	}
	return replace(dir, fresh)
}

// replace puts a folder in the place of another one, which may not exist, and puts that back if it cannot.
func replace(dir, fresh string) error {
	old := fresh + ".old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("save checklists: %w", err)
	}
	had := err == nil
	if err := os.Rename(fresh, dir); err != nil {
		if had {
			err = errors.Join(err, os.Rename(old, dir))
		}
		return fmt.Errorf("save checklists: %w", err)
	}
	if had {
		return os.RemoveAll(old)
	}
	return nil
}
