// Package answers keeps what a model answered while material is being written. The answers are in a file beside the
// material until that is whole, so that a command which was stopped, or failed, goes on where it was when it is given
// again.
package answers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/tauguide/tauguide/sim/llm"
)

// File is the file of answers. It serves one goroutine, and is one process's at a time.
type File struct {
	file    string
	lock    *flock.Flock
	from    string // whose answers they are
	warn    func(text string)
	answers map[string]llm.Response
	used    []string // keys, in the order of this process's questions
}

// answer is a line of the file. One without a response says that the answer to the question is forgotten.
type answer struct {
	Key      string        `json:"key"`
	Response *llm.Response `json:"response,omitempty"`
}

// roomNeeded is what must fit on the disk before a model is asked: more than answers and material come to.
const roomNeeded = 1 << 20

// Open reads the answers beside out, and proves that files can be written there, and that no other process is about to.
// from tells models of one name apart; warn is told of answers that are used, but could not be kept.
func Open(out, from string, warn func(text string)) (*File, error) {
	full, err := filepath.Abs(out) // so that "." has a name and a folder
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(full)
	beside := func(name string) string { return filepath.Join(dir, "."+base+name) }
	k := &File{file: beside(".answers.jsonl"), lock: flock.New(beside(".lock"), flock.SetPermissions(0o644)),
		from: from, warn: warn, answers: map[string]llm.Response{}}
	if err := k.begin(beside(".room")); err != nil {
		return nil, fmt.Errorf("%s cannot be written, so no model was asked: %w", out, err)
	}
	text, err := os.ReadFile(k.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.Close()
		return nil, fmt.Errorf("the answers of an earlier attempt: %w\nhint: remove that file to start over", err)
	}
	for line := range bytes.Lines(text) {
		var a answer
		switch {
		case json.Unmarshal(line, &a) != nil || a.Key == "": // a process that was killed leaves half a line
		case a.Response == nil:
			delete(k.answers, a.Key)
		default:
			k.answers[a.Key] = *a.Response
		}
	}
	return k, nil
}

// begin takes the lock, and proves that there is room.
func (k *File) begin(room string) error {
	const elsewhere = "\nhint: give another place"
	if err := os.MkdirAll(filepath.Dir(room), 0o755); err != nil {
		return fmt.Errorf("%w"+elsewhere, err)
	}
	switch free, err := k.lock.TryLock(); {
	case err != nil:
		return fmt.Errorf("%w"+elsewhere, err)
	case !free:
		return errors.New("another command is writing there\nhint: wait for it to end, or give another place")
	}
	if err := proveRoom(room); err != nil {
		k.Close()
		return fmt.Errorf("%w"+elsewhere, err)
	}
	return nil
}

// Close lets other processes write there.
func (k *File) Close() {
	if err := errors.Join(k.lock.Unlock(), os.Remove(k.lock.Path())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.warn(fmt.Sprintf("the lock stays: %v", err))
	}
}

// proveRoom proves that a folder takes files of some size.
func proveRoom(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(name)) }()
	_, err = f.Write(make([]byte, roomNeeded))
	return errors.Join(err, f.Sync(), f.Close())
}

// Client keeps the answers of the next client, and gives those that are kept.
func (k *File) Client(next llm.Client) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if ctx.Err() != nil {
			return next.Complete(ctx, req)
		}
		key, err := k.key(req)
		if err != nil {
			return llm.Response{}, err
		}
		if r, ok := k.answers[key]; ok {
			k.used = append(k.used, key)
			r.Replayed = true
			return r, nil
		}
		resp, err := next.Complete(ctx, req)
		if err != nil {
			return resp, err
		}
		k.used = append(k.used, key)
		if err := k.keep(key, resp); err != nil { // it is paid for, and used anyway
			k.warn(fmt.Sprintf("an answer was used but not kept: %v", err))
		}
		return resp, nil
	})
}

// key identifies a question by what the model is told; what has changed since is asked again.
func (k *File) key(req llm.Request) (string, error) {
	req.Tag = llm.Tag{Domain: req.Tag.Domain, Task: req.Tag.Task, Role: req.Tag.Role}
	text, err := json.Marshal(struct {
		From    string
		Request llm.Request
	}{k.from, req})
	if err != nil {
		return "", fmt.Errorf("keep the answer: %w", err)
	}
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:]), nil
}

func (k *File) keep(key string, resp llm.Response) error {
	resp.Raw = nil
	err := k.add(answer{key, &resp})
	if err == nil {
		k.answers[key] = resp
	}
	return err
}

// add writes a line, which begins with the line feed: what is there may end in half a line, of a killed process or a full
// disk.
func (k *File) add(a answer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(k.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte("\n"), line...))
	return errors.Join(err, f.Close())
}

// Remove ends the keeping, once what the answers were asked for is there.
func (k *File) Remove() error {
	if err := os.Remove(k.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the material is there, but not all answers could be removed: %w\nhint: remove the file", err)
	}
	return nil
}

// Forget drops the answers to the last n questions.
func (k *File) Forget(n int) (err error) {
	for _, key := range k.used[max(0, len(k.used)-n):] {
		delete(k.answers, key)
		err = errors.Join(err, k.add(answer{Key: key}))
	}
	if len(k.answers) == 0 {
		return k.Remove()
	}
	return err
}

// HowToResume says how to go on after a failure.
func (k *File) HowToResume() string {
	const how = "give the command again to go on"
	if n := len(k.answers); n > 0 {
		return fmt.Sprintf("%s; %d answers are kept in %s, remove that file to start over", how, n, k.file)
	}
	return how
}
