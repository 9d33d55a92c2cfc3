//go:build unix

package runs_test

import (
	"os"
	"syscall"
)

// nobody is a user without rights of its own.
const nobody = 65534

// becomeNobody gives up the rights of root; any other user has none to give up.
func becomeNobody() error {
	if os.Geteuid() != 0 {
		return nil
	}
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

// ownedByNobody gives a file to the user that becomeNobody makes.
func ownedByNobody(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, nobody, nobody)
}
