package attack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadPlans reads a file of plans; nil if there is none.
func ReadPlans(file string) (*Plans, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return LoadPlans(file, text)
}

// Save replaces the file as a whole, so that it never holds half of anything.
func (p *Plans) Save(file string) (err error) {
	text, err := p.YAML()
	if err != nil {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(fresh.Name()))
		}
	}()
	_, err = fresh.Write(text)
	if err = errors.Join(err, fresh.Chmod(0o644), fresh.Sync(), fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), file)
}
