package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ToFile has write fill a file, which gets its name when it is whole. One that exists is only replaced by force.
func ToFile(path string, force bool, write func(io.Writer) (Result, error)) (done Result, err error) {
	if _, err := os.Lstat(path); err == nil && !force {
		return done, fmt.Errorf("%s exists\nhint: give another name with --out, or --force to replace it", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return done, err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	w := bufio.NewWriterSize(f, 1<<16)
	if done, err = write(w); err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return done, err
	}
	done.File = path
	return done, os.Rename(f.Name(), path)
}
