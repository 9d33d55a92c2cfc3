package tau2_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// corpus lists the recorded result files, relative to the folder, and that folder. A corpus without files fails.
func corpus(t testing.TB) (dir string, files []string) {
	t.Helper()
	dir = filepath.Join(domaintest.Shared(t), "trajectories")
	for _, folder := range []string{"airline", "retail", "telecom", "mock"} {
		list, err := filepath.Glob(filepath.Join(dir, folder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			t.Fatalf("no recorded results in %s", filepath.Join(dir, folder))
		}
		for _, f := range list {
			files = append(files, folder+"/"+filepath.Base(f))
		}
	}
	return dir, files
}

// worlds opens domains on the reference's data, each variant once.
type worlds struct {
	t    testing.TB
	data domains.Data
	open map[string]*domains.World
}

func realWorlds(t testing.TB) *worlds {
	t.Helper()
	data, err := domains.Folder(filepath.Join(domaintest.Shared(t), "tau2"))
	if err != nil {
		t.Fatal(err)
	}
	return &worlds{t: t, data: data, open: map[string]*domains.World{}}
}

func (w *worlds) of(s *tau2.Source) *domains.World { return w.get(s.Domain(), s.Header.Facts.Solo()) }

func (w *worlds) get(name string, solo bool) *domains.World {
	w.t.Helper()
	key := name
	if solo {
		key += " solo"
	}
	if w.open[key] == nil {
		d, err := all.Domain(name)
		if err != nil {
			w.t.Fatal(err)
		}
		if w.open[key], err = d.Open(w.data, domains.Options{Solo: solo}); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.open[key]
}

// source opens a recorded result.
func source(t testing.TB, path string) *tau2.Source {
	t.Helper()
	s, err := tau2.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.NameAs("", "", all.Domains()); err != nil {
		t.Fatal(err)
	}
	return s
}

// simulations reads all of them.
func simulations(t testing.TB, s *tau2.Source) []*tau2.Simulation {
	t.Helper()
	var out []*tau2.Simulation
	for one, err := range s.Simulations() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

// taskOf returns the task of a simulation: its own, otherwise the current one.
func taskOf(t testing.TB, w *domains.World, one *tau2.Simulation) *domains.Task {
	t.Helper()
	if one.Task != nil {
		if one.Task.Err != nil {
			t.Fatal(one.Task.Err)
		}
		return one.Task.Task
	}
	task, ok := w.Task(one.Record.Task)
	if !ok {
		t.Fatalf("no task %s", one.Record.Task)
	}
	return task
}

// files makes a file system of texts.
func files(texts map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range texts {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func deviation(list []tau2.Deviation, kind string) int {
	i := slices.IndexFunc(list, func(o tau2.Deviation) bool { return o.Kind == kind })
	if i < 0 {
		return 0
	}
	return list[i].Count
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plannedRecord is a conversation with one message for each letter: a and u speak, A, B and U make one, two and one
// calls, t is a result, m one of nothing, n a null one.
func plannedRecord(plan string) sim.Record {
	r := sim.Record{Version: 1, Key: sim.Key{Domain: "mock", Task: "t"}, Termination: sim.UserStop}
	call := func(id string, side domains.Side) domains.ToolCall {
		return domains.ToolCall{ID: id, Name: "create_task", Requestor: side, Arguments: value.OfMap(value.MapOf(
			value.Pair{Key: "user_id", Value: value.OfString("user_1")}, value.Pair{Key: "title", Value: value.OfString("x")}))}
	}
	for i, c := range plan {
		m := domains.Message{Role: domains.RoleAssistant, Content: domains.Text("words")}
		switch c {
		case 'u', 'U':
			m.Role = domains.RoleUser
		case 't', 'm', 'n':
			m.Role, m.Requestor, m.ID = domains.RoleTool, domains.AgentSide, fmt.Sprint(i-1)
			if c == 'm' {
				m.ID = "none"
			}
			if c == 'n' {
				m.Content = nil
			}
		}
		switch c {
		case 'A', 'U':
			m.ToolCalls = []domains.ToolCall{call(fmt.Sprint(i), m.Side())}
		case 'B':
			m.ToolCalls = []domains.ToolCall{call(fmt.Sprint(i), m.Side()), call(fmt.Sprint(i+1), m.Side())}
		}
		r.Messages = append(r.Messages, m)
	}
	return r
}
