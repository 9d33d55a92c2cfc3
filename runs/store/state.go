package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// State tells one state of a run's folder from another, by size and time of its files, and whether some process is writing in
// it. Records need no look: the index grows with each, and whoever shows one reads it within the folder (Run.RecordInside).
func State(dir string) (state string, writing bool, err error) {
	if writing, err = Writing(dir); err != nil {
		return "", false, err
	}
	var b strings.Builder
	for _, name := range []string{manifestName, planName, indexName, scoresName, "tau2.json", lockName} {
		st, err := os.Lstat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) && name != manifestName {
			continue
		}
		if err != nil {
			return "", false, fmt.Errorf("there is no run in %s any more: %w", dir, err)
		}
		fmt.Fprintln(&b, name, st.Mode(), st.Size(), st.ModTime().UnixNano())
	}
	fmt.Fprint(&b, writing)
	return b.String(), writing, nil
}
