package tau2

import (
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// indexed is the index of a directory layout.
type indexed struct{ ids map[string]bool }

// readIndex reads simulation_index; null means that there is none.
func (s *Source) readIndex(t *text) error {
	if null, err := t.null(); null || err != nil {
		return err
	}
	x := &indexed{ids: map[string]bool{}}
	err := t.list(func(int) error {
		return t.object(func(name string) error {
			if name != "id" {
				return t.wrap(t.d.SkipValue())
			}
			id, _, err := t.id()
			x.ids[id] = true
			return err
		})
	})
	s.index = x
	return err
}

// eachFile reads the files of a directory layout in the order of their names. Files that an index lacks are read, since
// a crash between two writes leaves such; files that it has and the folder lacks are an error.
func (s *Source) eachFile(use func(Simulation) error) error {
	dir := s.folder()
	list, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return fmt.Errorf("read τ² result: %w", err)
	}
	missing := map[string]bool{}
	if s.index != nil {
		missing = maps.Clone(s.index.ids)
	}
	var files []string
	for _, d := range list {
		id, ok := strings.CutSuffix(d.Name(), ".json")
		switch {
		case d.IsDir() || !ok:
		case strings.HasPrefix(d.Name(), "."):
			s.odd.add("hidden files in simulations", "not read: a crashed writer leaves them")
		default:
			if s.index != nil && !s.index.ids[id] {
				s.odd.add("simulations that the index does not list", "read")
			}
			delete(missing, id)
			files = append(files, d.Name())
		}
	}
	if len(missing) > 0 {
		names := slices.Sorted(maps.Keys(missing))
		return &Error{File: s.shown(s.file), Offset: -1, Path: "/simulation_index",
			Err: fmt.Errorf("%d simulations of the index have no file in %s, first %s.json: copy them again, or take the index out", len(names), dir, names[0])}
	}
	for i, f := range files {
		if err := s.readFile(path.Join(dir, f), func(t *text) error { return s.one(t, i, use) }); err != nil {
			return err
		}
	}
	return nil
}

type trialKey struct {
	task  string
	trial int
}

// mark recognises a simulation.
type mark struct {
	id      string
	content uint64
}

// numbering gives each simulation a trial number of its own within its task.
type numbering struct {
	seed  maphash.Seed
	taken map[trialKey]mark
	next  map[string]int // by task, from where to look for a free number
}

func newNumbering() *numbering {
	return &numbering{seed: maphash.MakeSeed(), taken: map[trialKey]mark{}, next: map[string]int{}}
}

// number settles a simulation's trial; false drops a simulation that stood before, word for word.
func (n *numbering) number(s *Simulation, odd *oddities) bool {
	r := &s.Record
	m := mark{s.ID, n.fingerprint(s)}
	before, taken := n.taken[trialKey{r.Task, r.Trial}]
	if taken && before == m {
		odd.add("simulations that stand in the file twice", "the second is left out")
		return false
	}
	if taken {
		odd.add("rows of the same task and trial", "kept as further trials of the task")
		if _, kept := r.Extra["trial"]; !kept {
			r.Extra["trial"] = fmt.Append(nil, r.Trial)
		}
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
	n.taken[trialKey{r.Task, r.Trial}] = m
	return true
}

// fingerprint is a hash of what was said and of the outcome, valid within this process.
func (n *numbering) fingerprint(s *Simulation) uint64 {
	var h maphash.Hash
	h.SetSeed(n.seed)
	write := func(parts ...string) {
		for _, p := range parts {
			_, _ = h.WriteString(p) // never fails
			_ = h.WriteByte(0)
		}
	}
	for _, m := range s.Record.Messages {
		write(string(m.Role), m.TextOf(), m.ID)
		for _, c := range m.ToolCalls {
			write(c.ID, c.Name, c.Arguments.Repr(), c.Malformed)
		}
	}
	write(string(s.Record.Termination), string(s.Record.Extra["reward_info"]))
	return h.Sum64()
}
