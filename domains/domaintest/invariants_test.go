package domaintest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/value"
)

// Lengths of what Invariants and FuzzEnv try.
const (
	sequences = 16
	reopened  = 4 // sequences whose twins share a world
	calls     = 25
)

// invariants checks what every domain must hold, with sequences of calls drawn from the gold plans, the databases and
// junk. open loads the world from its files; it is called once for the world that all sequences share, and again for
// every few of them, for the world of their twins.
//
//   - No call panics, and every result is text in UTF-8, behind "Error: " if it failed.
//   - Results and hashes are those of the twin, call by call, and no difference is found to it.
//   - A call of a tool that is not a writer changes nothing.
//   - The hash is that of the content, whatever is cached.
//   - A strict replay of the recorded conversation gives the same hashes.
//   - An environment that was opened before, and one that is opened after, do not notice.
func invariants(t *testing.T, open func(testing.TB) *domains.World) {
	t.Helper()
	t.Parallel()
	w := open(t)
	m := mine(w)
	tasks := startable(t, w)
	idle := tasks[0].start(t, w)
	counts := map[string]int{}
	twins := w
	for seed := range uint64(sequences) {
		c := newChooser(seed)
		if seed%reopened == 0 {
			twins = open(t)
		}
		task := tasks[c.IntN(len(tasks))]
		s := newSequence(t, w, task)
		s.twin = task.start(t, twins)
		for range calls {
			s.step(m, c)
		}
		s.finish()
		if seed%reopened == reopened-1 {
			honest(t, "an environment at the end of its sequence", s.env)
			honest(t, "an environment opened after the sequence", task.start(t, w))
		}
		for k, n := range s.counts {
			counts[k] += n
		}
		if t.Failed() {
			t.Fatalf("sequence %d of task %s", seed, task.ID)
		}
	}
	same(t, "an environment that was opened before", idle, tasks[0].start(t, open(t)))
	if counts["ok"] == 0 || counts["failed"] == 0 || counts["changed"] == 0 {
		t.Errorf("the sequences are too tame: %v", counts)
	}
	t.Logf("%d calls: %v", sequences*calls, counts)
}

// FuzzEnv runs sequences of calls that a fuzzer selects, and checks the same as TestInvariants but for the twin.
func FuzzEnv(f *testing.F) {
	var worlds []*domains.World
	for _, d := range all.Domains() {
		worlds = append(worlds, Embedded(f, d, domains.Options{}))
	}
	for i := range worlds {
		f.Add(uint8(i), uint64(1000+i))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64) {
		w := worlds[int(which)%len(worlds)]
		tasks, c := startable(t, w), newChooser(seed)
		s := newSequence(t, w, tasks[c.IntN(len(tasks))])
		m := mine(w)
		for range calls {
			s.step(m, c)
		}
		s.finish()
	})
}

// preImages compares the hashes of a domain's fresh databases, on the reference's data, with the bytes recorded under
// them, and returns how many there were.
func preImages(t *testing.T, d domains.Domain) int {
	t.Helper()
	agent, user := Real(t, d, domains.Options{}).Fresh()
	n := 0
	for side, db := range map[string]domains.Database{"agent": agent, "user": user} {
		if db == nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(Shared(t), "conformance", "canonical", d.Name+"_"+side+".json"))
		if err != nil {
			t.Fatal(err)
		}
		n++
		if sum := sha256.Sum256(b); db.Hash() != hex.EncodeToString(sum[:]) {
			t.Errorf("%s database: hash %s, that of the recorded bytes is %x", side, db.Hash(), sum)
		}
		if got := value.AppendDump(nil, db.Value(), value.Sorted); string(got) != string(b) {
			t.Errorf("%s database: its content differs from the recorded bytes (%d and %d long)", side, len(got), len(b))
		}
	}
	return n
}

// contentHash is a hash that no cache had a part in.
func contentHash(db domains.Database) string {
	sum := sha256.Sum256(value.AppendDump(nil, db.Value(), value.Sorted))
	return hex.EncodeToString(sum[:])
}

// beginning is a task that a world can start.
type beginning struct{ *domains.Task }

func (b beginning) start(t testing.TB, w *domains.World) *domains.Env {
	t.Helper()
	task, ok := w.Task(b.ID)
	if !ok {
		t.Fatalf("task %s is not in the reloaded world", b.ID)
	}
	e, err := Started(w, task)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// startable returns the tasks to try: all, but in solo mode only those whose history has no user.
func startable(t testing.TB, w *domains.World) (out []beginning) {
	t.Helper()
	for i := range w.Tasks {
		_, err := Started(w, &w.Tasks[i])
		switch {
		case err == nil:
			out = append(out, beginning{&w.Tasks[i]})
		case !w.Options.Solo:
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no task that can start", w.Name)
	}
	return out
}

// hashes are the hashes of both sides; a side without a database has the hash "".
func hashes(e *domains.Env) [2]string {
	a, _ := e.Hash(domains.AgentSide)
	u, _ := e.Hash(domains.UserSide)
	return [2]string{a, u}
}

// same checks that two environments hold the same, by hash and by difference.
func same(t testing.TB, what string, got, want *domains.Env) {
	t.Helper()
	if hashes(got) != hashes(want) {
		t.Errorf("%s: hashes %v, want %v", what, hashes(got), hashes(want))
	}
	if d := want.Diff(got); (len(d) == 0) != (hashes(got) == hashes(want)) {
		t.Errorf("%s: hashes equal %v, differences %+v", what, hashes(got) == hashes(want), d)
	}
}

// honest checks that the hashes of an environment are those of its content: a shared base that was written to would
// go unnoticed behind its cached text. It is slow on large databases.
func honest(t testing.TB, what string, e *domains.Env) {
	t.Helper()
	agent, user := e.Databases()
	for i, db := range []domains.Database{agent, user} {
		if db != nil && contentHash(db) != hashes(e)[i] {
			t.Errorf("%s: the hash of the %s is not that of its content", what, db.Class())
		}
	}
}

// sequence is one conversation's worth of calls.
type sequence struct {
	t      testing.TB
	world  *domains.World
	task   beginning
	env    *domains.Env
	twin   *domains.Env // nil if there is none
	fresh  [2]string    // hashes at the start
	last   [2]string    // hashes after the last call
	record []domains.Message
	counts map[string]int
}

func newSequence(t testing.TB, w *domains.World, task beginning) *sequence {
	e := task.start(t, w)
	h := hashes(e)
	return &sequence{t: t, world: w, task: task, env: e, fresh: h, last: h, counts: map[string]int{}}
}

// step draws a call, runs it and checks what can be seen at once.
func (s *sequence) step(m *material, c *rand.Rand) {
	var plan []domains.Action
	if s.task.Criteria != nil {
		plan = s.task.Criteria.Actions
	}
	side, call := m.step(c, plan)
	call.ID = fmt.Sprintf("call_%d", len(s.record))
	at := fmt.Sprintf("call %d, %s by %s with %s", len(s.record)/2, call.Name, side, call.Arguments.Repr())
	before := s.last
	if s.world.SyncFunc != nil {
		_ = s.env.Sync() // what a failed call left undone would else count as a change by this one
		before = hashes(s.env)
	}
	res := s.call(at, s.env, side, call)
	after := hashes(s.env)
	s.last = after

	switch {
	case res.Error && !strings.HasPrefix(res.Content, "Error: "), !utf8.ValidString(res.Content):
		s.t.Errorf("%s: result %q", at, res.Content)
	case res.Error:
		s.counts["failed"]++
	default:
		s.counts["ok"]++
	}
	if before != after {
		s.counts["changed"]++
		if !s.world.Agent.Mutates(call.Name) && !s.world.User.Mutates(call.Name) || call.Malformed != "" {
			s.t.Errorf("%s changed the world, which only a writer may", at)
		}
	}
	if s.twin != nil {
		_ = s.twin.Sync()
		if other := s.call(at, s.twin, side, call); other != res {
			s.t.Errorf("%s:\n  gives %+v\nthe twin %+v", at, res, other)
		}
		if hashes(s.twin) != after {
			s.t.Errorf("%s: hashes %v, the twin has %v", at, after, hashes(s.twin))
		}
	}
	role := domains.RoleAssistant
	if side == domains.UserSide {
		role = domains.RoleUser
	}
	s.record = append(s.record, domains.Message{Role: role, ToolCalls: []domains.ToolCall{call}}, domains.ResultMessage(call, res))
}

func (s *sequence) call(at string, e *domains.Env, side domains.Side, c domains.ToolCall) (res domains.ToolResult) {
	defer func() {
		if r := recover(); r != nil {
			s.t.Fatalf("%s panics: %v", at, r)
		}
	}()
	return e.Call(side, c)
}

// finish checks what a whole sequence must hold.
func (s *sequence) finish() {
	s.t.Helper()
	later := s.task.start(s.t, s.world)
	if s.twin != nil {
		same(s.t, "an environment at the end", s.env, s.twin)
	}
	if hashes(later) != s.fresh {
		s.t.Errorf("an environment opened after the sequence starts with the hashes %v, before it was %v", hashes(later), s.fresh)
	}
	if d := later.Diff(s.env); (len(d) == 0) != (hashes(s.env) == s.fresh) {
		s.t.Errorf("the sequence left the hashes as they were: %v, and %d differences", hashes(s.env) == s.fresh, len(d))
	}
	if s.world.Options.Solo {
		for _, m := range s.record {
			if m.Role == domains.RoleUser {
				return // a solo world does not replay users, and says so
			}
		}
	}
	drifts, err := later.Replay(s.record, true)
	var drift *domains.DriftError
	if errors.As(err, &drift) {
		s.t.Errorf("replaying message %d, %s with %s:\n returns %s\nrecorded %s", drift.Drift.Index, drift.Drift.Call.Name,
			drift.Drift.Call.Arguments.Repr(), drift.Drift.Got, drift.Drift.Recorded)
		return
	}
	if err != nil {
		s.t.Errorf("replay: %v", err)
	}
	if len(drifts) != 0 {
		s.t.Errorf("a strict replay collects %d drifts", len(drifts))
	}
	if want := hashes(s.env); hashes(later) != want {
		s.t.Errorf("replayed to the hashes %v, live it was %v", hashes(later), want)
	}
}
