//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that a process had resident.
func peak(p *os.ProcessState) string {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return "unknown"
	}
	bytes := int64(u.Maxrss)
	if runtime.GOOS != "darwin" { // which alone counts bytes
		bytes *= 1024
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
