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

	"github.com/tauguide/tauguide/sim/llm"
)

// File is the file of answers. It serves one goroutine.
type File struct {
	file    string
	from    string // whose answers they are
	warn    func(text string)
	answers map[string]llm.Response
	used    []string // keys, in the order of this process's questions
}

// answer is a line of the file.
type answer struct {
	Key      string       `json:"key"`
	Response llm.Response `json:"response"`
}

// roomNeeded is what must fit on the disk before a model is asked: more than answers and material come to.
const roomNeeded = 1 << 20

// Open reads the answers beside out, and proves that files can be written there. from tells models of one name apart;
// warn is told of answers that are used, but could not be kept.
func Open(out, from string, warn func(text string)) (*File, error) {
	full, err := filepath.Abs(out) // so that "." has a name and a folder
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(full)
	if err := writable(dir); err != nil {
		return nil, fmt.Errorf("%s cannot be written, so no model was asked: %w\nhint: give another place", out, err)
	}
	k := &File{file: filepath.Join(dir, "."+base+".answers.jsonl"), from: from, warn: warn, answers: map[string]llm.Response{}}
	text, err := os.ReadFile(k.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the answers of an earlier attempt: %w\nhint: remove that file to start over", err)
	}
	for line := range bytes.Lines(text) {
		var a answer
		if json.Unmarshal(line, &a) == nil && a.Key != "" { // a process that was killed leaves half a line
			k.answers[a.Key] = a.Response
		}
	}
	return k, nil
}

// writable makes a folder, and proves that it takes files of some size.
func writable(dir string) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".tauguide-room-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
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
	k.answers[key] = resp
	line, err := json.Marshal(answer{key, resp})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(k.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
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
func (k *File) Forget(n int) error {
	for _, key := range k.used[max(0, len(k.used)-n):] {
		delete(k.answers, key)
	}
	if len(k.answers) == 0 {
		return k.Remove()
	}
	var b bytes.Buffer
	for key, resp := range k.answers {
		line, err := json.Marshal(answer{key, resp})
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return os.WriteFile(k.file, b.Bytes(), 0o644)
}

// HowToResume says how to go on after a failure.
func (k *File) HowToResume() string {
	const how = "give the command again to go on"
	if n := len(k.answers); n > 0 {
		return fmt.Sprintf("%s; %d answers are kept in %s, remove that file to start over", how, n, k.file)
	}
	return how
}
