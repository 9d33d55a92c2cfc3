//go:build !linux

package answers

import "errors"

// swap exchanges two folders in one step where the system can.
func swap(_, _ string) error { return errors.ErrUnsupported }
