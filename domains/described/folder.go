package described

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// The files of a described domain in a workflow's folder.
const (
	ToolsFile = "tools.yaml"
	PolicyDir = "policy"
)

// Described tells whether a workflow's folder has a domain of its own.
func Described(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, ToolsFile))
	return err == nil && st.Mode().IsRegular()
}

// Open makes the domain of a workflow's folder: its tools.yaml, and the documents in policy/ that this names.
func Open(dir string) (*domains.World, error) {
	t, documents, err := ReadFolder(dir)
	if err != nil {
		return nil, err
	}
	w, err := t.World(documents)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ToolsFile), err)
	}
	for name, text := range Files(t, documents) {
		sum := sha256.Sum256([]byte(text))
		w.Sources = append(w.Sources, domains.Source{Path: name, SHA256: hex.EncodeToString(sum[:])})
	}
	return w, nil
}

// ReadFolder reads the tools and the policy of a workflow's folder.
func ReadFolder(dir string) (Tools, []domains.Document, error) {
	file := filepath.Join(dir, ToolsFile)
	t, err := ReadTools(file)
	if err != nil {
		return t, nil, err
	}
	if len(t.Policy) == 0 {
		return t, nil, fmt.Errorf("%s: policy: no document is named\nhint: list the names of those in %s", file, PolicyDir)
	}
	var paths []string
	for _, name := range t.Policy {
		paths = append(paths, filepath.Join(dir, PolicyDir, name))
	}
	documents, err := ReadPolicy(paths)
	return t, documents, err
}

// Files are what makes a workflow's folder one of a described domain, by path.
func Files(t Tools, documents []domains.Document) map[string]string {
	t.Policy = nil
	out := map[string]string{}
	for _, d := range documents {
		t.Policy = append(t.Policy, d.Name)
		out[path.Join(PolicyDir, d.Name)] = d.Text
	}
	out[ToolsFile] = string(t.YAML())
	return out
}

// maxPolicy bounds a document: no model reads more at once.
const maxPolicy = 4 << 20

// ReadPolicy reads the documents of a policy, in their order. Each goes by the name of its file.
func ReadPolicy(paths []string) ([]domains.Document, error) {
	var out []domains.Document
	at := map[string]string{}
	for _, p := range paths {
		text, err := domains.ReadFile(p, maxPolicy)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no file %s\nhint: name the files of the policy", p)
		}
		if err != nil {
			return nil, err
		}
		name := filepath.Base(p)
		if first, twice := at[name]; twice {
			return nil, fmt.Errorf("%s and %s have the same name, by which lines are cited\nhint: rename one", first, p)
		}
		at[name] = p
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
		if err := checkDocument(name, text); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		out = append(out, domains.Document{Name: name, Text: string(text)})
	}
	return out, nil
}

func checkDocument(name string, text []byte) error {
	switch {
	case !documentPattern.MatchString(name):
		return errors.New("lines could not be cited by its name\nhint: rename it: letters, digits, ., _ and -")
	case bytes.HasPrefix(text, []byte("%PDF-")):
		return errors.New("this is a PDF\nhint: save its text, such as with pdftotext -layout, and read that through")
	case value.CheckEncoding(text) != nil:
		return value.CheckEncoding(text)
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		return errors.New("this is no UTF-8 text\nhint: save the policy as plain text or Markdown in UTF-8")
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("there is nothing in it\nhint: write the policy into it, or leave the file out")
	}
	return nil
}
