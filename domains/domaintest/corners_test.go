package domaintest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/value"
)

// corner is a call with odd arguments on a domain's own data, with what the models of the reference make of it in Python
// 3.12 and pydantic 2.12.4. Content is the beginning of the result: what follows is the phone's status bar.
type corner struct {
	Domain    string       `json:"domain"`
	Side      domains.Side `json:"side"`
	Tool      string       `json:"tool"`
	Arguments string       `json:"arguments"` // as a model sends them
	Content   string       `json:"content"`
	Error     bool         `json:"error"`
	At        string       `json:"at"` // path in the side's database, if the call stores something
	Stored    string       `json:"stored"`
}

// TestCorners makes the calls of testdata/corners.jsonl.gz: numbers that JSON does not have or that are beyond 64 bits,
// halves of surrogate pairs, deep lists, and texts of numbers, in every place where a model is built of them.
func TestCorners(t *testing.T) {
	worlds := map[string]*domains.World{}
	for _, c := range corners(t) {
		w := worlds[c.Domain]
		if w == nil {
			d, err := all.Domain(c.Domain)
			if err != nil {
				t.Fatal(err)
			}
			w = Embedded(t, d, domains.Options{})
			worlds[c.Domain] = w
		}
		e, err := w.New(&domains.Task{ID: "corner"})
		if err != nil {
			t.Fatal(err)
		}
		args, err := value.ParseString(c.Arguments)
		if err != nil {
			t.Errorf("%.200s: %v", c.Arguments, err)
			continue
		}
		before, _ := e.Hash(c.Side)
		res := e.Call(c.Side, domains.ToolCall{ID: "c", Name: c.Tool, Arguments: args, Requestor: c.Side})
		if res.Error != c.Error || !strings.HasPrefix(res.Content, c.Content) || c.Error && res.Content != c.Content {
			t.Errorf("%s %.300s\n got: %.600s (error %v)\nwant: %.600s (error %v)", c.Tool, c.Arguments, res.Content, res.Error, c.Content, c.Error)
		}
		agent, user := e.Databases()
		db := map[domains.Side]domains.Database{domains.AgentSide: agent, domains.UserSide: user}[c.Side]
		if after := db.Hash(); c.Error && after != before {
			t.Errorf("%s %.300s fails and changes the database", c.Tool, c.Arguments)
		}
		if c.At == "" {
			continue
		}
		at := db.Value()
		for key := range strings.SplitSeq(c.At, ".") {
			m, _ := at.Map()
			at, _ = m.Get(key)
		}
		if stored := string(value.AppendDump(nil, at, value.Sorted)); stored != c.Stored {
			t.Errorf("%s %.300s\nstores %.300s\n  want %.300s", c.Tool, c.Arguments, stored, c.Stored)
		}
	}
}

func corners(t *testing.T) (out []corner) {
	t.Helper()
	f, err := os.Open("testdata/corners.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	for in.Buffer(nil, 1<<20); in.Scan(); {
		var c corner
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := in.Err(); err != nil || len(out) < 900 {
		t.Fatalf("read %d calls: %v", len(out), err)
	}
	return out
}
