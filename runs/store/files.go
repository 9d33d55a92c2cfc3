package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// checkFolder refuses a folder in which something else is in place of a file of a run.
func checkFolder(dir string) error {
	for _, name := range []string{manifestName, planName, indexName, scoresName, opinionsName, LogName, lockName, "tau2.json"} {
		if err := checkFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// checkFile refuses what is in place of a file of a run and is none: through a link a run would be written elsewhere, and
// a pipe would be waited for. Nothing there is no error.
func checkFile(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return checkMode(path, st.Mode())
}

func checkMode(path string, mode fs.FileMode) error {
	kind := "no file"
	switch {
	case mode.IsRegular():
		return nil
	case mode&fs.ModeSymlink != 0:
		kind = "a link"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%s is %s, and a run holds its files itself\nhint: put the file there, as cp -RL does for the links of a whole folder, or move it away", path, kind)
}

// openFile opens a file of a run for reading.
func openFile(path string) (*os.File, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// readFile reads a whole file of a run.
func readFile(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// fileSum is the SHA-256 of a file of a run, "" if it cannot be read.
func fileSum(path string) string {
	f, err := openFile(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	buffer := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buffer)
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, buffer[:]); err != nil { // a file would not take the buffer
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// buffers are for files that are read through, of which a run has many.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// readAll reads a file whose size is checked before.
func readAll(f *os.File) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", f.Name(), st.Size(), maxFile)
	}
	text := make([]byte, st.Size())
	_, err = io.ReadFull(f, text)
	return text, err
}

// tempPrefix marks files that are not complete.
const tempPrefix = ".tmp-"

// writeFile puts a file into place so that it is there wholly or not at all, and survives a power cut once this
// returns: temporary name, sync, rename, sync of the folder.
func writeFile(path string, content []byte) error {
	if err := putFile(path, content); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// putFile is writeFile without the sync of the folder, before which a power cut may take the name again.
func putFile(path string, content []byte) (err error) {
	temp := filepath.Join(filepath.Dir(path), tempPrefix+filepath.Base(path))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(temp, path)
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

// syncs makes what several goroutines wrote lasting together. The zero value is ready for use.
type syncs struct {
	running sync.Mutex
	mu      sync.Mutex
	next    *syncOnce
}

type syncOnce struct {
	sync.Once
	err error
}

// do has sync run after the call; calls that come while one is running wait for it and share the next.
func (s *syncs) do(sync func() error) error {
	s.mu.Lock()
	if s.next == nil {
		s.next = &syncOnce{}
	}
	mine := s.next
	s.mu.Unlock()
	mine.Do(func() {
		s.running.Lock()
		defer s.running.Unlock()
		s.mu.Lock()
		s.next = nil // who comes from here on may write what this one does not see
		s.mu.Unlock()
		mine.err = sync()
	})
	return mine.err
}
