package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/tauguide/tauguide/sim/llm"
)

// Bounds of what is read, in bytes: an index that grew to gigabytes is no index.
const (
	maxLine = 1 << 20   // a line of the index or of the plan
	maxFile = 256 << 20 // a record, a score, a manifest
)

// readLines feeds each line of a file of JSON lines to use, with its number n from 1 and the byte at which it begins. One that
// use refuses, that was edited or that is longer than most bytes is passed to bad, with a nil error if it is the last line
// and was torn off while being written. A missing file has no lines.
func readLines(path string, most int, use func(n int, at int64, line []byte) error, bad func(n int, line []byte, err error)) error {
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var seals llm.Seals
	checked := func(n int, at int64, line []byte) error {
		if err := seals.Check(line); err != nil {
			return err
		}
		return use(n, at, line)
	}
	if err := scanLines(f, most, checked, bad); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func scanLines(r io.Reader, most int, use func(n int, at int64, line []byte) error, bad func(n int, line []byte, err error)) error {
	br := bufio.NewReaderSize(r, 1<<16)
	at := int64(0)
	for n := 1; ; n++ {
		line, size, err := llm.ReadLine(br, most)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		torn := err != nil
		var failure error
		text := bytes.TrimSpace(line)
		switch {
		case size > most:
			failure = fmt.Errorf("the line has %d bytes, at most %d are read", size, most)
		case len(text) > 0:
			failure = use(n, at, text)
		}
		if failure != nil {
			if torn {
				failure = nil
			}
			bad(n, text, failure)
		}
		if torn {
			return nil
		}
		at += int64(size)
	}
}

// readLineAt reads the line that begins at a byte of a file of JSON lines.
func readLineAt(path string, most int, at int64) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, _, err := llm.ReadLine(bufio.NewReader(io.NewSectionReader(f, at, math.MaxInt64-at)), most)
	if err != nil {
		return nil, err
	}
	var seals llm.Seals
	return line, seals.Check(line)
}

// appender adds JSON lines with checksums to a file. What fails half-way is taken back. It is used from one goroutine at a time.
type appender struct {
	file *os.File
	size int64
	hide llm.Redactor
}

// openAppender opens a file for appending and cuts off a last line that was torn.
func openAppender(path string, hide llm.Redactor) (*appender, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	a := &appender{file: f, hide: hide}
	if a.size, err = completeLastLine(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return a, nil
}

// completeLastLine makes a file of lines end in a line break: a torn rest that is a whole JSON value gets one, any other is cut.
func completeLastLine(f *os.File) (size int64, err error) {
	size, err = f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, err
	}
	begin, chunk := size, make([]byte, 1<<16) // of the last line
	for begin > 0 {
		at := max(0, begin-int64(len(chunk)))
		part := chunk[:begin-at]
		if _, err := f.ReadAt(part, at); err != nil {
			return 0, err
		}
		i := bytes.LastIndexByte(part, '\n')
		if begin = at + int64(i) + 1; i >= 0 {
			break
		}
		if begin = at; size-begin > maxFile {
			return 0, fmt.Errorf("the last line has more than %d bytes\nhint: move the file away", maxFile)
		}
	}
	tail := make([]byte, size-begin)
	if _, err := f.ReadAt(tail, begin); err != nil {
		return 0, err
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
		err = a.write(llm.Seal(a.hide.Redact(line)))
	}
	return err
}

// Write appends whole lines, all or none, without checksums: it is for logs.
func (a *appender) Write(lines []byte) (int, error) {
	if err := a.write(a.hide.Redact(lines)); err != nil {
		return 0, err
	}
	return len(lines), nil
}

func (a *appender) write(lines []byte) error {
	n, err := a.file.WriteAt(lines, a.size)
	if err != nil {
		// Readers drop a torn line, and so does the next appender; this only spares them the trouble.
		return errors.Join(fmt.Errorf("append to %s: %w", a.file.Name(), err), a.file.Truncate(a.size))
	}
	a.size += int64(n)
	return nil
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
