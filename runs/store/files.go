package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// checkFolder refuses a folder in which something else is in place of a file of a run.
func checkFolder(dir string) error {
	for _, name := range []string{manifestName, planName, indexName, scoresName, LogName, lockName, "tau2.json"} {
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
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

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
	if err = fill(f, content); err != nil {
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

// fill writes a file, to the disk, and closes it.
func fill(f *os.File, content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writeUnnamed is writeFile for a file to which nothing refers before this returns: it may be there in part meanwhile, which
// saves half of the work.
func writeUnnamed(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) { // left by a process that was killed
		return writeFile(path, content)
	}
	if err != nil {
		return err
	}
	if err := fill(f, content); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(path))
	}
	return syncDir(filepath.Dir(path))
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
