package domains

import "errors"

// ErrUsage marks errors about what a person asked for: an unknown name, a folder without data, options that contradict
// each other. The program exits with a code of its own for these.
var ErrUsage = errors.New("bad usage")

// Usage marks an error with ErrUsage and leaves its text as it is.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

type usageError struct{ error }

func (e usageError) Unwrap() error        { return e.error }
func (e usageError) Is(target error) bool { return target == ErrUsage }
