//go:build unix

package process

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that a process had resident, in bytes.
func peak(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // which alone counts bytes
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}
