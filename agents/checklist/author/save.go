package author

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tauguide/tauguide/sim/llm/answers"
)

// Free reports whether a set can be saved to a folder, and says why not. With force a set that is there is replaced;
// a folder that holds anything but YAML files never is.
func Free(dir string, force bool) error {
	empty, err := answers.Empty(dir)
	switch {
	case err != nil || empty:
		return err
	case !force:
		return fmt.Errorf("%s is not empty\nhint: give another folder, or --force to replace the checklists in it", dir)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" {
			return fmt.Errorf("%s holds %s, which is no checklist, and is not replaced\nhint: give another folder", dir, e.Name())
		}
	}
	return err
}

// Save writes the files to a folder, all or none.
func (d *Draft) Save(dir string, force bool) error {
	if err := Free(dir, force); err != nil {
		return err
	}
	if err := answers.Place(dir, d.Files); err != nil {
		return fmt.Errorf("save checklists: %w", err)
	}
	return nil
}
