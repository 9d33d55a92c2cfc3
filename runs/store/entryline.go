package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
)

// entryReader reads the lines of an index. What many lines share is held, and worked out, once.
type entryReader struct {
	names   map[string]string
	folders map[string]string // by name
	tasks   map[string]string // parts of file names by task
}

func newEntryReader() *entryReader {
	return &entryReader{names: map[string]string{}, folders: map[string]string{}, tasks: map[string]string{}}
}

// file is recordFile.
func (x *entryReader) file(r Ref) string {
	once := func(known map[string]string, name string, of func(string) string) string {
		s, ok := known[name]
		if !ok {
			s = of(name)
			known[name] = s
		}
		return s
	}
	return trialsDir + "/" + once(x.folders, r.Domain, folderName) + "/" + once(x.folders, r.System, folderName) + "/" +
		once(x.tasks, r.Task, taskName) + "." + strconv.Itoa(r.Trial) + "." + strconv.Itoa(r.Attempt) + ".json"
}

// read is json.Unmarshal, with a short way for lines whose checksum says that they are as this program wrote them.
func (x *entryReader) read(line []byte) (Entry, error) {
	if e, ok := x.known(line); ok {
		return e, nil
	}
	var e Entry
	err := json.Unmarshal(line, &e)
	return e, err
}

// known reads a line with a checksum that fits. ok is false for any that it does not understand wholly: those with
// fields that it does not know, and those whose texts need more than copying.
func (x *entryReader) known(line []byte) (e Entry, ok bool) {
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 || !sumFits(line[:at], line[at+len(sumKey):]) || bytes.IndexByte(line, '\\') >= 0 || !utf8.Valid(line) {
		return e, false
	}
	ok = true
	gjson.ParseBytes(line).ForEach(func(name, v gjson.Result) bool {
		ok = x.field(&e, name.Str, v)
		return ok
	})
	return e, ok
}

// sumFits reports whether a line's checksum, with what closes the line, is that of what stands before it.
func sumFits(text, rest []byte) bool {
	if len(rest) != 10 || rest[8] != '"' || rest[9] != '}' {
		return false
	}
	var want [4]byte
	if _, err := hex.Decode(want[:], rest[:8]); err != nil {
		return false
	}
	got := crc32.ChecksumIEEE(text)
	return want == [4]byte{byte(got >> 24), byte(got >> 16), byte(got >> 8), byte(got)}
}

// field takes one field of an entry; it reports whether it knows it, with a value of this kind.
func (x *entryReader) field(e *Entry, name string, v gjson.Result) bool {
	switch name {
	case "domain":
		return x.text(&e.Domain, v)
	case "system":
		return x.text(&e.System, v)
	case "task":
		return x.text(&e.Task, v)
	case "trial":
		return whole(&e.Trial, v)
	case "attempt":
		return whole(&e.Attempt, v)
	case "seed":
		return whole(&e.Seed, v)
	case "synthetic":
		e.Synthetic = v.Type == gjson.True
		return v.IsBool()
	case "termination_reason":
		var s string
		ok := x.text(&s, v)
		e.Termination = sim.Reason(s)
		return ok
	case "reward":
		return maybe(&e.Reward, v, number)
	case "pending":
		return x.text(&e.Pending, v)
	case "steps":
		return whole(&e.Steps, v)
	case "tool_errors":
		return whole(&e.ToolErrors, v)
	case "seconds":
		return number(&e.Seconds, v)
	case "tokens":
		return maybe(&e.Tokens, v, whole[int64])
	case "cost":
		return maybe(&e.Cost, v, number)
	case "fault":
		return x.text(&e.Fault, v)
	case "file":
		e.File = strings.Clone(v.Str) // a part of the line would hold all of it
		return v.Type == gjson.String
	case "sha256":
		e.SHA256 = strings.Clone(v.Str)
		return v.Type == gjson.String
	case "size":
		return whole(&e.Size, v)
	case "modified":
		return whole(&e.Modified, v)
	case "attack":
		return json.Unmarshal([]byte(v.Raw), &e.Attack) == nil
	case "usage":
		return x.usage(e, v)
	case "sum":
		return true
	}
	return false
}

func (x *entryReader) usage(e *Entry, v gjson.Result) bool {
	if v.Type == gjson.Null {
		return true
	}
	ok := v.IsArray()
	list := v.Array()
	e.Usage = make([]RoleUsage, len(list))
	for i := range list {
		u := &e.Usage[i]
		ok = ok && list[i].IsObject()
		list[i].ForEach(func(name, v gjson.Result) bool {
			ok = ok && x.roleField(u, name.Str, v)
			return ok
		})
	}
	return ok
}

func (x *entryReader) roleField(u *RoleUsage, name string, v gjson.Result) bool {
	switch name {
	case "role":
		return x.text(&u.Role, v)
	case "calls":
		return whole(&u.Calls, v)
	case "prompt":
		return whole(&u.Prompt, v)
	case "cached":
		return whole(&u.Cached, v)
	case "completion":
		return whole(&u.Completion, v)
	case "unknown_tokens":
		return whole(&u.UnknownTokens, v)
	case "unknown_cached":
		return whole(&u.UnknownCached, v)
	case "unknown_cost":
		return whole(&u.UnknownCost, v)
	case "cost":
		return number(&u.Cost, v)
	case "seconds":
		return number(&u.Seconds, v)
	case "replayed":
		return whole(&u.Replayed, v)
	case "replayed_tokens":
		return whole(&u.ReplayedTokens, v)
	case "replayed_cost":
		return number(&u.ReplayedCost, v)
	}
	return false
}

// planned is json.Unmarshal for a line of a plan, with a short way for those that this program writes.
func (x *entryReader) planned(line []byte) (config.Planned, error) {
	var p config.Planned
	ok := gjson.ValidBytes(line) && bytes.HasPrefix(line, []byte("{")) && bytes.IndexByte(line, '\\') < 0 && utf8.Valid(line)
	if ok {
		gjson.ParseBytes(line).ForEach(func(name, v gjson.Result) bool {
			switch name.Str {
			case "domain":
				ok = x.text(&p.Domain, v)
			case "system":
				ok = x.text(&p.System, v)
			case "task":
				ok = x.text(&p.Task, v)
			case "trial":
				ok = whole(&p.Trial, v)
			case "seed":
				ok = whole(&p.Seed, v)
			case "mut":
				p.Mut, ok = v.Type == gjson.True, v.IsBool()
			default:
				ok = false
			}
			return ok
		})
	}
	if ok {
		return p, nil
	}
	p = config.Planned{}
	err := json.Unmarshal(line, &p)
	return p, err
}

// text takes a name that other lines have too.
func (x *entryReader) text(to *string, v gjson.Result) bool {
	held, ok := x.names[v.Str]
	if !ok {
		held = strings.Clone(v.Str)
		x.names[held] = held
	}
	*to = held
	return v.Type == gjson.String
}

func whole[T int | int64](to *T, v gjson.Result) bool {
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	*to = T(n)
	return err == nil && v.Type == gjson.Number
}

func number(to *float64, v gjson.Result) bool {
	*to = v.Num
	return v.Type == gjson.Number
}

// maybe takes a value that may be null.
func maybe[T any](to **T, v gjson.Result, take func(*T, gjson.Result) bool) bool {
	if v.Type == gjson.Null {
		return true
	}
	*to = new(T)
	return take(*to, v)
}

// readEntries reads the lines of an index; one goroutine makes entries of them, the other puts these in their places.
func readEntries(path string) (*index, error) {
	const batch, lineBytes = 256, 640 // about
	x := &index{}
	if st, err := os.Stat(path); err == nil {
		x.entries = make(map[Ref]Entry, st.Size()/lineBytes)
	} else {
		x.entries = map[Ref]Entry{}
	}
	lines, torn := newEntryReader(), false
	batches := make(chan []Entry, 4)
	var reading errgroup.Group
	reading.Go(func() error {
		defer close(batches)
		var some []Entry
		err := readLines(path, func(_ int, line []byte) error {
			e, err := lines.read(line)
			if err != nil {
				return err
			}
			if e.File != lines.file(e.Ref) {
				return fmt.Errorf("entry of %s names the file %s", e.Ref, e.File)
			}
			if some = append(some, e); len(some) == batch {
				batches <- some
				some = make([]Entry, 0, batch)
			}
			return nil
		}, func(int, error) { torn = true })
		batches <- some
		return err
	})
	for some := range batches {
		for _, e := range some {
			x.entries[e.Ref] = e
		}
	}
	err := reading.Wait()
	x.rebuilt = torn
	return x, err
}

// stale returns the entries whose record is not there as it was stored. Asking for so many files takes time, so
// that several goroutines ask.
func (x *index) stale(dir string, files map[string]bool, hash bool) []Ref {
	refs := slices.Collect(maps.Keys(x.entries))
	workers := runtime.GOMAXPROCS(0)
	found := make([][]Ref, workers)
	var asking errgroup.Group
	for w := range workers {
		asking.Go(func() error {
			for i := w; i < len(refs); i += workers {
				if e := x.entries[refs[i]]; !files[e.File] || !e.stands(dir, hash) {
					found[w] = append(found[w], refs[i])
				}
			}
			return nil
		})
	}
	_ = asking.Wait() // none of them fails
	return slices.Concat(found...)
}
