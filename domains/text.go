package domains

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadText reads a regular file of at most limit bytes, with the line ends as Python's text mode gives them: \r\n and a
// lone \r are \n. A pipe or device, which may never end, is an error, and is not opened.
func ReadText(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is no regular file but a folder\nhint: name a file", name)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file\nhint: put a file with the text in its place", name)
	}
	large := func(size int64) error {
		return fmt.Errorf("%s has %d bytes\nhint: keep it under %d", name, size, limit)
	}
	if info.Size() > limit {
		return nil, large(info.Size())
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1)) // the size that was told may be wrong, as below /proc
	if int64(len(text)) > limit {
		return nil, large(int64(len(text)))
	}
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	return text, err
}

// ReadFile is ReadText of a path.
func ReadFile(path string, limit int64) ([]byte, error) { return ReadText(local{}, path, limit) }

// local has the files by the names that people give them.
type local struct{}

func (local) Open(name string) (fs.File, error) { return os.Open(name) }

func (local) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
