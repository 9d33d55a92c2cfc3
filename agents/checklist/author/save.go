package author

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Free reports whether a set can be saved to a folder, and says why not. With force a set that is there is replaced;
// a folder that holds anything but YAML files never is.
func Free(dir string, force bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w\nhint: give a folder that is new or empty", err)
	case len(entries) == 0:
		return nil
	case !force:
		return fmt.Errorf("%s is not empty\nhint: give another folder, or --force to replace the checklists in it", dir)
	}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" {
			return fmt.Errorf("%s holds %s, which is no checklist, and is not replaced\nhint: give another folder", dir, e.Name())
		}
	}
	return nil
}

// Save writes the files to a folder, all or none: they are written beside it and moved into its place.
func (d *Draft) Save(dir string, force bool) error {
	if err := Free(dir, force); err != nil {
		return err
	}
	if err := d.save(dir); err != nil {
		return fmt.Errorf("save checklists: %w", err)
	}
	return nil
}

func (d *Draft) save(dir string) (err error) {
	dir, err = filepath.Abs(dir) // so that "." has a name and a parent
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	for name, text := range d.Files {
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(text), 0o644); err != nil {
			return err
		}
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
