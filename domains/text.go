package domains

import (
	"fmt"
	"io/fs"
)

// ReadText reads a regular file of at most limit bytes. A pipe or device, which may never end, is an error.
func ReadText(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file\nhint: put a file with the text in its place", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes\nhint: keep it under %d", name, info.Size(), limit)
	}
	return fs.ReadFile(fsys, name)
}
