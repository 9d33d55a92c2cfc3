package domains

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains/value"
)

// Data is where domains find their files: a τ² data folder (the one that contains tau2/domains), or nothing, which
// leaves every domain with its embedded set.
type Data struct {
	root  fs.FS
	label string
}

// Embedded is the data that is built into the program.
func Embedded() Data { return Data{label: "embedded"} }

// OpenData returns the embedded data for the word embedded or no name at all, and the τ² data folder of that name
// otherwise.
func OpenData(name string) (Data, error) {
	if name == "" || name == "embedded" {
		return Embedded(), nil
	}
	return Folder(name)
}

// Folder is a τ² data folder on disk. Its error is ErrUsage.
func Folder(dir string) (Data, error) {
	st, err := os.Stat(filepath.Join(dir, "tau2", "domains"))
	if err != nil || !st.IsDir() {
		return Data{}, Usage(fmt.Errorf("data folder %s: no folder tau2/domains inside\nhint: name the τ²-bench data folder itself, or the word embedded", dir))
	}
	return Data{root: os.DirFS(dir), label: dir}, nil
}

// Label says where the data is from, for people.
func (d Data) Label() string { return d.label }

// Source is a file that a world was loaded from.
type Source struct {
	Path   string `json:"path"` // below the data folder, or embedded:…
	SHA256 string `json:"sha256"`
}

// Files reads the files of one domain and remembers what it read.
type Files struct {
	fs       fs.FS
	prefix   string
	embedded bool
	sources  []Source
	shared   fs.FS // root of the data folder, nil for embedded data
}

// Domain returns the files of a domain: those of the data folder if it has the domain, otherwise the embedded ones, in
// the folder data of what the domain embeds. A folder that has the domain must have it whole: databases and tasks of
// different origin are never mixed.
func (d Data) Domain(name string, embedded fs.FS) (*Files, error) {
	if d.root != nil {
		dir := path.Join("tau2", "domains", name)
		if st, err := fs.Stat(d.root, dir); err == nil && st.IsDir() {
			// Not fs.Sub, whose Stat opens the file: a pipe would be waited for.
			return &Files{fs: os.DirFS(filepath.Join(d.label, filepath.FromSlash(dir))), prefix: dir, shared: d.root}, nil
		}
	}
	if embedded == nil {
		return nil, fmt.Errorf("domain %s: no embedded data and no folder tau2/domains/%s in %s", name, name, d.label)
	}
	own, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return &Files{fs: own, prefix: "embedded:" + name, embedded: true}, nil
}

// IsEmbedded reports whether the files are the program's own.
func (f *Files) IsEmbedded() bool { return f.embedded }

// Sources returns what was read so far, sorted by path.
func (f *Files) Sources() []Source {
	out := slices.Clone(f.sources)
	slices.SortFunc(out, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// maxData bounds one file of data, far above any that is known.
const maxData = 256 << 20

// Read returns the bytes of a file of the domain, without a byte-order mark.
func (f *Files) Read(name string) ([]byte, error) {
	return f.read(f.fs, f.Path(name), name)
}

func (f *Files) read(fsys fs.FS, label, name string) ([]byte, error) {
	b, err := ReadText(fsys, name, maxData)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	if err := value.CheckEncoding(b); err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	sum := sha256.Sum256(b)
	if src := (Source{Path: label, SHA256: hex.EncodeToString(sum[:])}); !slices.Contains(f.sources, src) {
		f.sources = append(f.sources, src) // a file that serves both sides is read twice
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), nil
}

// Text returns a text file.
func (f *Files) Text(name string) (string, error) {
	b, err := f.Read(name)
	if err == nil && !utf8.Valid(b) {
		err = fmt.Errorf("%s: not UTF-8 text", f.Path(name))
	}
	return string(b), err
}

// Tasks reads tasks.json: an array of tasks, or an object with the array as its member tasks.
func (f *Files) Tasks() ([]Task, error) { return f.tasksOf(taskFile) }

func (f *Files) tasksOf(name string) ([]Task, error) {
	b, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	tasks, err := ParseTasks(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path(name), err)
	}
	return tasks, nil
}

// ParseTasks reads a task file. Unknown keys are kept in Raw and otherwise ignored; the error names the task, its
// line and the field.
func ParseTasks(text []byte) ([]Task, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	raws, lines, err := splitTasks(text)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	tasks := make([]Task, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &tasks[i]); err != nil {
			return nil, fmt.Errorf("line %d: task %d (id %q): %w", lines[i], i, tasks[i].ID, wrongType(err))
		}
		tasks[i].Raw = raw
		id := tasks[i].ID
		if id == "" {
			return nil, fmt.Errorf("line %d: task %d has no id\nhint: give it a text that no other task has", lines[i], i)
		}
		if first, dup := seen[id]; dup {
			return nil, fmt.Errorf("line %d: task id %q is already that of the task on line %d\nhint: rename one", lines[i], id, first)
		}
		seen[id] = lines[i]
	}
	return tasks, nil
}

// wrongType words a value of a wrong type by the path of its field and what belongs there.
func wrongType(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return err
	}
	field, want := e.Field, "an object"
	if field == "" {
		field = "the task or a part of it"
	}
	switch e.Type.Kind().String() {
	case "string":
		want = "a text"
	case "bool":
		want = "true or false"
	case "slice":
		want = "a list"
	case "int":
		want = "a whole number"
	}
	return fmt.Errorf("%s: want %s, got: %s", field, want, e.Value)
}

// splitTasks cuts a task file into its tasks, with the line that each starts on.
func splitTasks(text []byte) (raws []json.RawMessage, lines []int, err error) {
	line := func(offset int) int { return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n")) }
	var file struct {
		Tasks *[]json.RawMessage `json:"tasks"`
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		err = json.Unmarshal(text, &file)
	} else {
		err = json.Unmarshal(text, &file.Tasks)
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, nil, fmt.Errorf("line %d: %w", line(int(syntax.Offset)), err)
	case err != nil || file.Tasks == nil:
		return nil, nil, errors.New("line 1: want a list of tasks, or an object with the list under tasks")
	}
	at := 0
	for _, raw := range *file.Tasks {
		at += bytes.Index(text[at:], raw)
		lines = append(lines, line(at))
		at += len(raw)
	}
	return *file.Tasks, lines, nil
}

// SharedText returns a text file of the data folder outside the domain's own, such as the user guidelines; ok is
// false where the data is embedded or has no such file.
func (f *Files) SharedText(name string) (text string, ok bool, err error) {
	if f.shared == nil {
		return "", false, nil
	}
	b, err := f.read(f.shared, name, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(b), err == nil, err
}

// Path names a file of the domain for error texts.
func (f *Files) Path(name string) string { return path.Join(f.prefix, name) }
