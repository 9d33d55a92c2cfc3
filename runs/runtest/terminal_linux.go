package runtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// Terminal opens a terminal of that size, and what is shown on it until it is closed.
func Terminal(t testing.TB, columns, lines uint16) (tty *os.File, shown func() string) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	ioctl := func(request uintptr, arg unsafe.Pointer) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(arg)); e != 0 {
			t.Skipf("no terminals here: %v", e)
		}
	}
	var locked, number int32
	ioctl(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(syscall.TIOCGPTN, unsafe.Pointer(&number))
	ioctl(syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{lines, columns}))
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	text := make(chan string)
	go func() {
		var b strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := control.Read(buf)
			if b.Write(buf[:n]); err != nil { // the last side of the terminal was closed
				text <- b.String()
				return
			}
		}
	}()
	return tty, func() string {
		tty.Close()
		defer control.Close()
		return <-text
	}
}
