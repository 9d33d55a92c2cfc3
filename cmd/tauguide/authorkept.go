package main

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

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// keptAnswers are the answers that a model gave while material was being written. They lie beside it until it is whole, so
// that a command which was stopped, or failed, goes on where it was when it is given again.
type keptAnswers struct {
	file    string
	from    string // whose answers they are
	warn    func(text string)
	answers map[string]llm.Response
	used    []string // keys, in the order of this process's questions
}

// keptAnswer is a line of the file.
type keptAnswer struct {
	Key      string       `json:"key"`
	Response llm.Response `json:"response"`
}

// roomNeeded is what must fit on the disk before a model is asked: more than answers and material come to.
const roomNeeded = 1 << 20

// keepAnswers opens the answers beside out, and finds out whether there can be written. from tells models of one name
// apart.
func keepAnswers(out, from string, warn func(text string)) (*keptAnswers, error) {
	full, err := filepath.Abs(out) // so that "." has a name and a folder
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	dir, base := filepath.Split(full)
	if err := writable(dir); err != nil {
		return nil, fmt.Errorf("--out %s: nothing can be written there, so no model was asked: %w; give another place", out, err)
	}
	k := &keptAnswers{file: filepath.Join(dir, "."+base+".answers.jsonl"), from: from, warn: warn, answers: map[string]llm.Response{}}
	text, err := os.ReadFile(k.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--out %s: the answers of an earlier attempt: %w; remove that file to start anew", out, err)
	}
	for line := range bytes.Lines(text) {
		var a keptAnswer
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

// wrap has a model's answers kept, and those that are kept given again.
func (k *keptAnswers) wrap(m *sim.Model) {
	next := m.Client
	m.Client = llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
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
		if err == nil {
			k.used = append(k.used, key)
			k.keep(key, resp)
		}
		return resp, err
	})
}

// key identifies a question by what the model is told; what has changed since is asked anew.
func (k *keptAnswers) key(req llm.Request) (string, error) {
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

// keep adds an answer. One that cannot be kept is used all the same, since it is paid for.
func (k *keptAnswers) keep(key string, resp llm.Response) {
	resp.Raw = nil
	k.answers[key] = resp
	line, err := json.Marshal(keptAnswer{key, resp})
	if err != nil {
		k.warn(fmt.Sprintf("an answer was used but not kept: %v", err))
		return
	}
	f, err := os.OpenFile(k.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		k.warn(fmt.Sprintf("an answer was used but not kept: %v", err))
	}
}

// ended removes the answers once what they were asked for is there.
func (k *keptAnswers) ended() error {
	if err := os.Remove(k.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the material is there, but %w: remove the file", err)
	}
	return nil
}

// broke words the end of a command that could not finish: what there is, and how to go on. Of answers that are unusable,
// the one that was asked for and the one after the complaint are forgotten: else they would come again.
func (k *keptAnswers) broke(ctx context.Context, done string, unusable bool, err error) error {
	if unusable {
		const tries = 2
		err = errors.Join(err, k.forget(tries))
	}
	how := "give the command again to go on"
	if n := len(k.answers); n > 0 {
		how = fmt.Sprintf("%d answers are kept in %s: %s, or remove that file to start anew", n, k.file, how)
	}
	if ctx.Err() != nil {
		return coded{exitInterrupted, fmt.Errorf("interrupted; %s: %w; %s", done, err, how)}
	}
	return fmt.Errorf("%s: %w; %s", done, err, how)
}

// fromModel reports whether an error is of a call, so that there is no answer to blame.
func fromModel(err error) bool {
	var e *llm.Error
	return errors.As(err, &e)
}

// forget drops the answers to the last questions.
func (k *keptAnswers) forget(n int) error {
	for _, key := range k.used[max(0, len(k.used)-n):] {
		delete(k.answers, key)
	}
	if len(k.answers) == 0 {
		return k.ended()
	}
	var b bytes.Buffer
	for key, resp := range k.answers {
		line, err := json.Marshal(keptAnswer{key, resp})
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return os.WriteFile(k.file, b.Bytes(), 0o644)
}
