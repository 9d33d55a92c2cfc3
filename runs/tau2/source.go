package tau2

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Shapes that are no conversations, or not whole ones.
var (
	errCamel = &shapeError{"this is a summary for a dashboard (keys like taskId and terminationReason): its messages have no call ids and " +
		"may be cut, so it cannot be replayed; use the results.json that it was made from"}
	errVoice = &shapeError{"this is a voice run (full duplex, with ticks): only text runs can be read; use runs of mode half_duplex"}
	errIndex = &shapeError{"this is an index of tasks with their rewards, without conversations: use the files that it lists, " +
		"or the folder that they are in"}
	errTasks = &shapeError{"this is a file of tasks, without conversations: name a result file"}
)

// Layout is how a result is laid out on disk.
type Layout string

// The layouts (spec/core.md, section 2.5). The last three are not the reference's, but common.
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

	fsys   fs.FS
	domain string // where the caller, or a guess, says it
	system string
	file   string   // of the header, or the only one
	loose  []string // files with one simulation each
	index  *indexed
	odd    *oddities
}

// Open opens a result file, or the folder of one. Only what stands before the simulations is read.
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
	s := &Source{Name: shown, fsys: fsys, odd: &oddities{}}
	st, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("open τ² result: %w", err)
	}
	if st.IsDir() {
		return s, s.openFolder(name)
	}
	return s, s.openFile(name)
}

// openFolder finds out which kind of folder it is.
func (s *Source) openFolder(dir string) error {
	if path.Base(dir) == "simulations" || strings.HasSuffix(filepath.ToSlash(s.Name), "/simulations") {
		if _, err := fs.Stat(s.fsys, path.Join(dir, "..", "results.json")); err == nil {
			return s.openFile(path.Join(dir, "..", "results.json"))
		}
	}
	if _, err := fs.Stat(s.fsys, path.Join(dir, "manifest.json")); err == nil {
		return fmt.Errorf("%s is a run of this program already: use it as it is", s.Name)
	}
	if _, err := fs.Stat(s.fsys, path.Join(dir, "results.json")); err == nil {
		if _, err := fs.Stat(s.fsys, path.Join(dir, "results_reviewed.json")); err == nil {
			s.odd.add("reviewed copy beside results.json", "not read; name it to read it instead")
		}
		return s.openFile(path.Join(dir, "results.json"))
	}
	list, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return fmt.Errorf("open τ² result: %w", err)
	}
	var whole []string
	for _, d := range list {
		if d.IsDir() || path.Ext(d.Name()) != ".json" || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		file := path.Join(dir, d.Name())
		one := &Source{Name: path.Join(s.Name, d.Name()), fsys: s.fsys, odd: &oddities{}}
		switch err := one.openFile(file); {
		case errors.Is(err, errIndex):
			s.odd.add("index file "+d.Name(), "not read")
		case err != nil:
			return err
		case one.Layout == LayoutSingle:
			s.loose = append(s.loose, file)
		default:
			whole = append(whole, d.Name())
		}
	}
	switch {
	case len(whole) > 0:
		return fmt.Errorf("%s holds several results (%s): name one file", s.Name, strings.Join(whole, ", "))
	case len(s.loose) == 0:
		return fmt.Errorf("%s holds no τ² result: name a result file, or a folder with a results.json in it", s.Name)
	}
	s.Layout = LayoutLoose
	return nil
}

// openFile reads the head of a file.
func (s *Source) openFile(file string) error {
	s.file = file
	return s.read(func(t *text) error {
		switch t.d.PeekKind() {
		case '[':
			s.Layout = LayoutList
			return nil
		case '{':
			return s.head(t)
		}
		return t.want('{')
	})
}

// read opens the file and passes its text to use.
func (s *Source) read(use func(*text) error) error { return s.readFile(s.file, use) }

func (s *Source) readFile(file string, use func(*text) error) (err error) {
	f, err := s.fsys.Open(file)
	if err != nil {
		return fmt.Errorf("read τ² result: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return use(newText(s.shown(file), f, s.odd))
}

// shown is a file's name for messages.
func (s *Source) shown(file string) string {
	if file == path.Base(filepath.ToSlash(s.Name)) {
		return s.Name
	}
	return path.Join(filepath.ToSlash(s.Name), file)
}

// errEnough stops reading a head: what matters has been seen.
var errEnough = errors.New("enough")

// head reads a result file's members up to its simulations, and beyond them only if something is still missing.
func (s *Source) head(t *text) error {
	seen := map[string]bool{}
	inline := false
	err := t.object(func(name string) error {
		seen[name] = true
		switch name {
		case "simulations":
			if null, err := t.null(); null || err != nil {
				return err
			}
			inline = true
			if seen["info"] && seen["tasks"] {
				return errEnough
			}
			return t.wrap(t.d.SkipValue())
		case "messages":
			return errEnough // a simulation by itself
		}
		return s.headMember(t, name)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	switch {
	case seen["messages"]:
		s.Layout, s.Header, *s.odd = LayoutSingle, Header{}, oddities{}
		return nil
	case inline:
		s.Layout = LayoutJSON
	default:
		if _, err := fs.Stat(s.fsys, s.folder()); err != nil {
			return s.whatIsIt(t, seen)
		}
		s.Layout = LayoutDir
	}
	if !seen["tasks"] {
		s.odd.add("files without tasks", "the current ones are used, by id")
	}
	return nil
}

// folder is where the simulations of a directory layout are.
func (s *Source) folder() string { return path.Join(path.Dir(s.file), "simulations") }

func (s *Source) headMember(t *text, name string) error {
	h := &s.Header
	switch name {
	case "timestamp":
		v, err := t.raw()
		if err == nil {
			_ = json.Unmarshal(v, &h.Timestamp) // anything but a text is of no use
		}
		return err
	case "info":
		return t.info(h)
	case "tasks":
		return t.tasks(h)
	case "simulation_index":
		return s.readIndex(t)
	case "format_version":
		s.odd.add("key format_version", "passed over, as the reference does")
		return t.wrap(t.d.SkipValue())
	case "task", "task_id", "run_info", "reward_info":
		return t.wrap(t.d.SkipValue()) // of a simulation by itself, or of no use
	}
	v, err := t.raw()
	if err != nil {
		return err
	}
	if name == ownKey {
		var own Own
		if json.Unmarshal(v, &own) == nil {
			h.Own = &own
			return nil
		}
	}
	if _, ok := known(simulationFields, name); !ok {
		s.odd.add("unknown key "+name+" of the file", "kept")
	}
	if h.Extra == nil {
		h.Extra = map[string]json.RawMessage{}
	}
	h.Extra[name] = json.RawMessage(v)
	return nil
}

// whatIsIt says what a JSON object without simulations is.
func (s *Source) whatIsIt(t *text, seen map[string]bool) error {
	name := func(format string, args ...any) error {
		return &Error{File: t.file, Offset: -1, Err: &shapeError{fmt.Sprintf(format, args...)}}
	}
	switch {
	case seen["submitting_organization"] || seen["trajectories_available"]:
		return name("this is the description of a leaderboard submission: use the files in its folder trajectories")
	case seen["termination_reason"] && seen["steps"] && seen["version"]:
		return name("this is a record of a run of this program: name the run's folder")
	case s.index != nil:
		return name("the simulations are missing: it has an index of %d of them, and no folder simulations beside it", len(s.index.ids))
	case seen["tasks"] && !seen["info"]:
		return name("this is a list of tasks without simulations: name a result file")
	}
	var keys []string
	for k := range seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return name("no simulations in it: want a τ²-bench result, an object with info, tasks and simulations; its keys are %.200s", strings.Join(keys, ", "))
}

// Oddities lists what was met so far, each kind once. It is complete after all simulations were read, once.
func (s *Source) Oddities() []Oddity { return s.odd.sorted() }

// Simulations reads the simulations one by one. The first error ends it.
func (s *Source) Simulations() iter.Seq2[*Simulation, error] {
	return func(yield func(*Simulation, error) bool) {
		n := newNumbering()
		stop := errors.New("stop")
		err := s.each(func(sim Simulation) error {
			if !n.number(&sim, s.odd) {
				return nil
			}
			s.complete(&sim)
			if !yield(&sim, nil) {
				return stop
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(nil, err)
		}
	}
}

// complete adds what only the head says.
func (s *Source) complete(one *Simulation) {
	r, f := &one.Record, s.Header.Facts
	r.Domain, r.System = s.Domain(), s.System()
	r.Solo = f.Solo()
	r.Synthetic = s.Header.Own != nil && s.Header.Own.Synthetic
	r.Calls = modelCalls(r.Messages, f.Agent.model(), f.User.model())
	if one.Task != nil {
		s.Header.addTask(*one.Task, s.odd)
		return
	}
	one.Task, _ = s.Header.Task(r.Task)
}

// each reads all simulations as they stand.
func (s *Source) each(use func(Simulation) error) error {
	switch s.Layout {
	case LayoutDir:
		return s.eachFile(use)
	case LayoutLoose:
		for i, f := range s.loose {
			if err := s.readFile(f, func(t *text) error { return s.one(t, i, use) }); err != nil {
				return err
			}
		}
		return nil
	}
	return s.read(func(t *text) error {
		var err error
		switch s.Layout {
		case LayoutSingle:
			return s.one(t, 0, use)
		case LayoutList:
			err = s.list(t, use)
		default:
			err = t.object(func(name string) error {
				if name == "simulations" {
					return s.list(t, use)
				}
				return s.tail(t, name)
			})
		}
		if err == nil {
			err = t.end()
		}
		t.countLiterals()
		return err
	})
}

// tail reads what stands after the simulations; all else was read before.
func (s *Source) tail(t *text, name string) error {
	switch name {
	case "timestamp", "info", "tasks", "simulation_index", ownKey, "format_version":
		return t.wrap(t.d.SkipValue())
	}
	if _, ok := s.Header.Extra[name]; ok {
		return t.wrap(t.d.SkipValue())
	}
	return s.headMember(t, name)
}

func (s *Source) list(t *text, use func(Simulation) error) error {
	if null, err := t.null(); null || err != nil {
		return err
	}
	return t.list(func(i int) error {
		if t.d.PeekKind() != '{' {
			return t.want('{')
		}
		one, err := t.simulation(i)
		if err != nil {
			return err
		}
		return use(one)
	})
}

func (s *Source) one(t *text, i int, use func(Simulation) error) error {
	one, err := t.simulation(i)
	if err == nil {
		err = t.end()
	}
	if err != nil {
		return err
	}
	t.countLiterals()
	return use(one)
}

func osDir(dir string) fs.FS { return os.DirFS(dir) }

func notThere(err error) bool { return errors.Is(err, fs.ErrNotExist) }
