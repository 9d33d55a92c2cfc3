package tau2

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
)

// Layout is how a result is laid out on disk.
type Layout string

// The layouts (docs/reference/tau2.md#result-files). The last three are not the reference's, but common.
const (
	LayoutJSON   Layout = "json"   // one file
	LayoutDir    Layout = "dir"    // results.json and a folder simulations
	LayoutList   Layout = "list"   // a bare list of simulations, perhaps each wrapped with its task
	LayoutSingle Layout = "single" // one simulation
	LayoutLoose  Layout = "loose"  // a folder of files with one simulation each
)

// Source is an opened result. Its simulations are read from disk whenever they are asked for.
type Source struct {
	Name   string // for messages
	Layout Layout
	Header Header

	fsys       fs.FS
	domain     string // where the caller, or a guess, says it
	system     string
	files      []string        // that the simulations are in
	from       int64           // byte of the one file at which they begin, if it has a head
	index      map[string]bool // ids that the head of a directory layout lists; nil for no list
	seen       map[string]bool // members of the head that were read
	deviations *deviations
}

// Open opens a result file, or the folder of one. Only what comes before the simulations is read.
func Open(name string) (*Source, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open τ² result: %w", err)
	}
	if st.IsDir() {
		return OpenFS(os.DirFS(name), ".", name)
	}
	return OpenFS(os.DirFS(filepath.Dir(name)), filepath.Base(name), name)
}

// OpenFS is Open in a file system; shown is the name for messages.
func OpenFS(fsys fs.FS, name, shown string) (*Source, error) {
	s := newSource(fsys, shown)
	st, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("open τ² result: %w", err)
	}
	if st.IsDir() {
		return s, s.openFolder(name)
	}
	return s, s.openFile(name)
}

func newSource(fsys fs.FS, shown string) *Source {
	return &Source{Name: shown, fsys: fsys, seen: map[string]bool{}, deviations: &deviations{}}
}

func (s *Source) exists(name string) bool {
	_, err := fs.Stat(s.fsys, name)
	return err == nil
}

// openFolder finds out which kind of folder it is: that of a results.json, or one of files with one simulation each.
func (s *Source) openFolder(dir string) error {
	switch {
	case s.exists(path.Join(dir, "manifest.json")):
		return fmt.Errorf("%s is a run of this program already: use it as it is", s.Name)
	case s.exists(path.Join(dir, "results.json")):
		return s.openFile(path.Join(dir, "results.json"))
	case s.exists(path.Join(dir, "results.json.gz")): // to be told that it is to be unpacked
		return s.openFile(path.Join(dir, "results.json.gz"))
	}
	list, err := fs.Glob(s.fsys, path.Join(dir, "*.json"))
	if err != nil {
		return fmt.Errorf("open τ² result: %w", err)
	}
	var results []string
	for _, file := range list {
		one := newSource(s.fsys, path.Join(s.Name, path.Base(file)))
		switch err := one.openFile(file); {
		case errors.Is(err, errIndex):
			s.deviations.add("index file "+path.Base(file), "not read")
		case err != nil:
			return err
		case one.Layout == LayoutSingle:
			s.files = append(s.files, file)
		default:
			results = append(results, path.Base(file))
		}
	}
	switch {
	case len(results) > 0:
		return fmt.Errorf("%s has several results (%s)\nhint: name one file", s.Name, strings.Join(results, ", "))
	case len(s.files) == 0:
		return fmt.Errorf("%s has no τ² result in it\nhint: name a result file, or a folder with a results.json in it", s.Name)
	}
	s.Layout = LayoutLoose
	return nil
}

// openFile reads the head of a file.
func (s *Source) openFile(file string) error {
	s.files = []string{file}
	err := s.readFile(file, 0, func(r *reader) error {
		if r.Peek() == '[' {
			s.Layout = LayoutList
			return nil
		}
		return s.head(r, file)
	})
	if bad := (*Error)(nil); errors.As(err, &bad) && !strings.Contains(err.Error(), "\nhint: ") {
		err = fmt.Errorf("%w\nhint: name a result of τ²-bench: a results.json, its folder, or a file of simulations", err)
	}
	return err
}

// readFile reads a file from a byte on.
func (s *Source) readFile(file string, from int64, use func(*reader) error) (err error) {
	shown := s.Name
	if file != path.Base(filepath.ToSlash(s.Name)) {
		shown = path.Join(filepath.ToSlash(s.Name), file)
	}
	if st, err := fs.Stat(s.fsys, file); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("read τ² result: %s is no file", shown)
	}
	f, err := s.fsys.Open(file)
	if err != nil {
		return fmt.Errorf("read τ² result: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReaderSize(f, 16)
	if from == 0 {
		head, _ := in.Peek(3) // a shorter file is told by what reads it
		if err := value.CheckEncoding(head); err != nil {
			return &Error{File: shown, Offset: -1, Err: err}
		}
		if string(head) == "\ufeff" {
			from = int64(len(head))
		}
	}
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return fmt.Errorf("read τ² result: %s: %w", shown, err)
	}
	return placed(shown, use(&reader{Decoder: value.NewDecoder(in, from), deviations: s.deviations}))
}

// errEnough stops reading a head: what matters has been seen.
var errEnough = errors.New("enough")

// head reads a result file's members up to its simulations, and beyond them only if something is still missing.
func (s *Source) head(r *reader, file string) error {
	err := r.Object(func(name string) error {
		if name == "simulations" && r.Peek() != 'n' {
			s.Layout, s.from = LayoutJSON, r.Offset()
			if s.seen["info"] && s.seen["tasks"] && s.Header.Facts.World.Domain != "" {
				return errEnough
			}
			return r.Skip()
		}
		if name == "messages" {
			s.Layout = LayoutSingle
			return errEnough
		}
		return s.headMember(r, name)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	switch folder := path.Join(path.Dir(file), "simulations"); {
	case s.Layout == LayoutSingle:
		s.Header, *s.deviations = Header{}, deviations{}
		return nil
	case s.Layout == LayoutJSON:
	case s.exists(folder):
		s.Layout = LayoutDir
		if err := s.listFolder(folder); err != nil {
			return err
		}
	default:
		return &Error{File: s.Name, Offset: -1, Err: notResult(s.seen, s.index)}
	}
	if !s.seen["tasks"] {
		s.deviations.add("files without tasks", "the current ones are used, by id")
	}
	return nil
}

// headMember reads a member of the file that is not the simulations, once.
func (s *Source) headMember(r *reader, name string) error {
	h := &s.Header
	if s.seen[name] {
		return r.Skip()
	}
	s.seen[name] = true
	switch name {
	case "info":
		return r.info(h)
	case "tasks":
		return r.tasks(h)
	case "simulation_index":
		return s.readIndex(r)
	case "format_version":
		s.deviations.add("key format_version", "ignored, as the reference does")
		return r.Skip()
	}
	v, err := r.raw()
	if err != nil {
		return err
	}
	v = bytes.Clone(v)
	switch name {
	case "timestamp":
		_ = json.Unmarshal(v, &h.Timestamp) // anything but a text is of no use
		return nil
	case "domain":
		if f := &h.Facts.World.Domain; *f == "" {
			_ = json.Unmarshal(v, f) // anything but a text names no domain
		}
	case exportKey:
		if json.Unmarshal(v, &h.Export) == nil {
			return nil
		}
	}
	if _, ok := known(simulationFields, name); !ok && name != "domain" {
		s.deviations.add("unknown key "+name+" of the file", "kept")
	}
	if h.Extra == nil {
		h.Extra = map[string]json.RawMessage{}
	}
	h.Extra[name] = v
	return nil
}

// readIndex reads simulation_index; null means that there is none.
func (s *Source) readIndex(r *reader) error {
	if r.Peek() == 'n' {
		return r.Skip()
	}
	s.index = map[string]bool{}
	return r.List(func(int) error {
		return r.Object(func(name string) error {
			if name != "id" {
				return r.Skip()
			}
			id, err := r.Text()
			s.index[id] = true
			return err
		})
	})
}

// listFolder lists the files of a directory layout in the order of their names. Files that the index lacks are read,
// since a crash between two writes leaves such; files that are missing are an error.
func (s *Source) listFolder(folder string) error {
	list, err := fs.Glob(s.fsys, path.Join(folder, "*.json"))
	if err != nil {
		return fmt.Errorf("read τ² result: %w", err)
	}
	missing := maps.Clone(s.index)
	s.files = nil
	for _, file := range list {
		name := path.Base(file)
		if strings.HasPrefix(name, ".") {
			continue // half written, by a writer that crashed
		}
		id := strings.TrimSuffix(name, ".json")
		if s.index != nil && !s.index[id] {
			s.deviations.add("simulations that the index does not list", "read")
		}
		delete(missing, id)
		s.files = append(s.files, file)
	}
	if len(missing) > 0 {
		names := slices.Sorted(maps.Keys(missing))
		return &Error{File: s.Name, Offset: -1, Path: "/simulation_index",
			Err: fmt.Errorf("%d simulations of the index have no file in %s, first %s.json\nhint: copy them again, or remove the index", len(names), folder, names[0])}
	}
	return nil
}

// Deviations lists what was met so far, each kind once. It is complete after all simulations were read, once.
func (s *Source) Deviations() []Deviation { return s.deviations.sorted() }

// Simulations reads the simulations one by one. The first error ends it.
func (s *Source) Simulations() iter.Seq2[*Simulation, error] {
	return func(yield func(*Simulation, error) bool) {
		n := numbering{taken: map[trialKey]string{}, next: map[string]int{}}
		err := s.each(func(one Simulation) error {
			if !n.number(&one, s.deviations) {
				return nil
			}
			s.complete(&one)
			if !yield(&one, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// complete adds what only the head says.
func (s *Source) complete(one *Simulation) {
	r, f := &one.Record, s.Header.Facts
	r.Domain, r.System = s.Domain(), s.System()
	r.Solo = f.Solo()
	r.Synthetic = s.Header.Export != nil && s.Header.Export.Synthetic
	r.Calls = modelCalls(r.Messages, f.Agent.model(), f.User.model())
	if one.Task != nil {
		s.Header.addTask(*one.Task, s.deviations)
	} else {
		one.Task, _ = s.Header.Task(r.Task)
	}
	if ok, _ := one.Task.usable(); ok && !ofTask(one.Task.Task, one.Recorded) {
		s.deviations.add("simulations whose recorded checks are not those of their task", "kept; they may be of another task")
	}
}

// each reads all simulations as the files have them.
func (s *Source) each(use func(Simulation) error) error {
	for i, file := range s.files {
		err := s.readFile(file, s.from, func(r *reader) error {
			read := func(i int) error {
				one, err := r.simulation(i)
				if err != nil {
					return err
				}
				return use(one)
			}
			if err := s.content(r, i, read); err != nil {
				return err
			}
			return r.end()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// content reads file number i, calling one for each simulation in it.
func (s *Source) content(r *reader, i int, one func(i int) error) error {
	switch s.Layout {
	case LayoutList:
		return r.list(one)
	case LayoutJSON:
		return r.Rest("simulations", func(name string) error {
			if name == "simulations" {
				return r.list(one)
			}
			return s.headMember(r, name)
		})
	}
	return one(i)
}

type trialKey struct {
	task  string
	trial int
}

// numbering gives each simulation a trial number of its own within its task.
type numbering struct {
	taken map[trialKey]string // ids
	next  map[string]int      // by task, from where to look for a free number
}

// number sets a simulation's trial; false drops a simulation that was there before.
func (n *numbering) number(s *Simulation, d *deviations) bool {
	r := &s.Record
	id, taken := n.taken[trialKey{r.Task, r.Trial}]
	if taken && id == s.ID {
		d.add("simulations that are in the file twice", "the second is left out")
		return false
	}
	if taken {
		d.add("rows of the same task and trial", "kept as further trials of the task")
	}
	if taken || r.Trial < 0 {
		i := n.next[r.Task]
		for ; ; i++ {
			if _, taken := n.taken[trialKey{r.Task, i}]; !taken {
				break
			}
		}
		r.Trial, n.next[r.Task] = i, i+1
	}
	n.taken[trialKey{r.Task, r.Trial}] = s.ID
	return true
}
