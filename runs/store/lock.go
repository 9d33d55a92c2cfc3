package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the file whose lock belongs to the one process that may write to a run.
const lockName = "lock"

// holder says who has a lock, for the message to the next one who wants it.
type holder struct {
	PID   int    `json:"pid"`
	Host  string `json:"host"`
	Since string `json:"since"`
}

// lockPatience is how long a lock is tried for: one who asks whether it is held, see Writing, holds it for a moment.
const lockPatience = 100 * time.Millisecond

// acquireLock takes the lock of a run directory. The system frees it when the process ends, however it does.
func acquireLock(dir string, now time.Time) (*flock.Flock, error) {
	path := filepath.Join(dir, lockName)
	if err := checkFile(path); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	l := flock.New(path, flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	ok, err := l.TryLockContext(ctx, lockPatience/20)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		return nil, fmt.Errorf("run %s is being written by %s\nhint: wait for it to end, or give another folder with --out", dir, readHolder(path))
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	text, err := encodeLine(holder{PID: os.Getpid(), Host: host, Since: now.UTC().Format(time.RFC3339)})
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), l.Unlock())
	}
	return l, nil
}

func readHolder(path string) string {
	var h holder
	text, err := readFile(path)
	if err != nil || json.Unmarshal(text, &h) != nil || h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s, since %s", h.PID, h.Host, h.Since)
}

// Writing reports whether some process is writing to a run directory at the moment. It changes nothing there: the lock
// is held for the moment that the question takes, which acquireLock allows for.
func Writing(dir string) (bool, error) {
	path := filepath.Join(dir, lockName)
	if err := checkFile(path); err != nil {
		return false, fmt.Errorf("lock of %s: %w", dir, err)
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock of %s: %w", dir, err)
	}
	return !free, l.Unlock()
}
