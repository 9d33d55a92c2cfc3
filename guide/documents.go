package guide

import (
	"fmt"
	"path/filepath"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Documents is the policy texts by source and file name, against which line references are checked.
type Documents map[string]map[string]string

// Beside is the source of the documents that a bundle was written for. Where they are there, nodes cite their lines, and
// those of no other.
const Beside = "policy"

// ReadBeside reads the documents that a bundle's folder has: in policy, or else those that authoring keeps.
func ReadBeside(dir string) (map[string]string, error) {
	docs, err := ReadDocuments(filepath.Join(dir, "policy", "*"))
	if docs == nil && err == nil {
		docs, err = ReadDocuments(filepath.Join(dir, "authoring", "policy", "*"))
	}
	return docs, err
}

// ReadDocuments reads the policy texts in the files that a pattern of path/filepath fits, by their names; nil if there is
// none.
func ReadDocuments(pattern string) (map[string]string, error) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := domains.ReadFile(f, yamlfile.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("policy document: %w", err)
		}
		out[filepath.Base(f)] = string(text)
	}
	return out, nil
}
