package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tauguide/tauguide/sim/llm"
)

// readLines feeds each line of a file of JSON lines to use, with its number from 1. What is not JSON is passed to bad,
// with a nil error if it is the last line and was torn off while being written. A missing file has no lines.
func readLines(path string, use func(n int, line []byte) error, bad func(n int, err error)) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := scanLines(f, use, bad); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func scanLines(r io.Reader, use func(n int, line []byte) error, bad func(n int, err error)) error {
	br := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		torn := err != nil
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if failure := use(n, text); failure != nil {
				if torn {
					failure = nil
				}
				bad(n, failure)
			}
		}
		if torn {
			return nil
		}
	}
}

// appender adds JSON lines to a file. What fails half-way is taken back. It is used from one goroutine at a time.
type appender struct {
	file *os.File
	size int64
	hide llm.Redactor
}

// openAppender opens a file for appending and cuts off a last line that was torn.
func openAppender(path string, hide llm.Redactor) (*appender, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	a := &appender{file: f, hide: hide}
	if a.size, err = mend(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return a, nil
}

// mend makes a file of lines end in a line break: a torn rest that is a whole JSON value gets one, any other is cut.
func mend(f *os.File) (size int64, err error) {
	size, err = f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, err
	}
	var tail []byte
	for at := size; at > 0; {
		n := min(at, 1<<16)
		at -= n
		chunk := make([]byte, n)
		if _, err := f.ReadAt(chunk, at); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(chunk, '\n'); i >= 0 {
			tail = append(chunk[i+1:], tail...)
			break
		}
		tail = append(chunk, tail...)
	}
	switch {
	case len(tail) == 0:
		return size, nil
	case json.Valid(tail):
		_, err = f.WriteAt([]byte("\n"), size)
		return size + 1, err
	}
	size -= int64(len(tail))
	return size, f.Truncate(size)
}

func (a *appender) append(value any) error {
	line, err := encodeLine(value)
	if err == nil {
		_, err = a.Write(line)
	}
	return err
}

// Write appends whole lines, all or none.
func (a *appender) Write(lines []byte) (int, error) {
	n, err := a.file.WriteAt(a.hide.Redact(lines), a.size)
	if err != nil {
		// Readers drop a torn line, and so does the next appender; this only spares them the trouble.
		return 0, errors.Join(fmt.Errorf("append to %s: %w", a.file.Name(), err), a.file.Truncate(a.size))
	}
	a.size += int64(n)
	return len(lines), nil
}

func (a *appender) close() error { return a.file.Close() }

// encodeLine writes a value as one line of JSON, without the escapes that only HTML needs.
func encodeLine(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// tempPrefix marks files that are not complete.
const tempPrefix = ".tmp-"

// writeFile puts a file into place so that it is there wholly or not at all, and survives a power cut once this
// returns: temporary name, sync, rename, sync of the folder.
func writeFile(path string, content []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err = f.Write(content); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes new names in a folder lasting, where the system can.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
