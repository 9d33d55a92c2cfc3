package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tauguide/tauguide/sim/llm"
)

// What was sent is in segments, requests/0001.zst and so on, one for each process that sent something: frames of zstd with
// lines of JSON. A line is compressed with what is before it in its frame, so that it takes what is new in it. What a killed
// process leaves is readable up to its last line, and nobody writes to it again.

// Place is where a line is: the segment's number from 1, where in the file its frame begins, and where in the unpacked
// frame it does. The zero place is none.
type Place [3]int64

const (
	frameSize = 4 << 20 // bytes of lines from which on a new frame begins, so that few are unpacked to find one
	window    = 1 << 20 // bytes before a line in which the encoder looks for what it repeats
)

func segmentFile(number int64) string { return path.Join(requestsDir, fmt.Sprintf("%04d.zst", number)) }

// segments returns the numbers of the segments in a run's folder, in order.
func segments(dir fs.FS) (out []int64, err error) {
	list, err := fs.ReadDir(dir, requestsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range list {
		var n int64
		if _, err := fmt.Sscanf(d.Name(), "%d.zst", &n); err == nil && segmentFile(n) == path.Join(requestsDir, d.Name()) {
			out = append(out, n)
		}
	}
	slices.Sort(out) // names do not order 10000 behind 9999
	return out, err
}

// segment is the one that this process writes. The zero value begins with its first line.
type segment struct {
	mu    sync.Mutex
	file  *os.File
	next  Place // of the next line
	size  int64 // of the file
	z     *zstd.Encoder
	out   bytes.Buffer   // of z, not yet in the file
	texts map[*text]bool // those in the frame
	err   error          // of an earlier line, after which z and the file do not agree

	lasting syncs
}

// begin makes the file, in a folder that is there.
func (s *segment) begin(dir string) error {
	known, err := segments(os.DirFS(dir))
	if err != nil {
		return err
	}
	if s.next[0] = 1; len(known) > 0 {
		s.next[0] = known[len(known)-1] + 1
	}
	path := filepath.Join(dir, filepath.FromSlash(segmentFile(s.next[0])))
	if s.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return err
	}
	s.texts = map[*text]bool{}
	s.z, err = zstd.NewWriter(&s.out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

// append writes a line, before it the texts that it names and the frame does not have. It is lasting after sync.
func (s *segment) append(dir string, line []byte, texts []*text) (at Place, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return at, s.err
	}
	defer func() { s.err = err }()
	if s.file == nil {
		if err := s.begin(dir); err != nil {
			return at, err
		}
	}
	if s.next[2] > frameSize {
		if err := s.write(s.z.Close); err != nil {
			return at, err
		}
		s.z.Reset(&s.out)
		s.next[1], s.next[2] = s.size, 0
		clear(s.texts)
	}
	for _, t := range texts {
		if s.texts[t] {
			continue
		}
		content, err := encodeLine(textLine{t.name, t.content})
		if err != nil {
			return at, err
		}
		s.texts[t] = true
		s.add(llm.Seal(content))
	}
	at = s.next
	s.add(line)
	return at, s.write(s.z.Flush)
}

func (s *segment) add(line []byte) {
	_, _ = s.z.Write(line) // to a buffer; what fails, fails in Flush
	s.next[2] += int64(len(line))
}

// write puts what the encoder has into the file.
func (s *segment) write(finish func() error) error {
	err := finish()
	if err == nil {
		_, err = s.file.Write(s.out.Bytes())
	}
	s.size += int64(s.out.Len())
	s.out.Reset()
	return err
}

// sync makes the lines lasting that were written before the call.
func (s *segment) sync() error { return s.lasting.do(s.file.Sync) }

func (s *segment) close() error {
	if s.file == nil {
		return nil
	}
	err := s.err
	if err == nil {
		err = s.write(s.z.Close)
	}
	return errors.Join(err, s.file.Close())
}

// readFrames feeds the lines of a segment from a frame on to use, each with where it is in what is unpacked, until use has
// enough. What a killed process left at the end is no error.
func readFrames(dir string, from Place, use func(at int64, line []byte) (more bool)) error {
	f, err := openInside(dir, segmentFile(from[0]))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(from[1], io.SeekStart); err != nil {
		return err
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8*window))
	if err != nil {
		return err
	}
	defer z.Close()
	r := bufio.NewReaderSize(z, 1<<16)
	for at := int64(0); ; {
		line, n, err := llm.ReadLine(r, maxFile)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		case n > maxFile:
			return errTooLarge
		case !use(at, line):
			return nil
		}
		at += int64(n)
	}
}
