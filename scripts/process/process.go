// Package process runs programs to their end and tells what they took.
package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Cost is what a process took.
type Cost struct {
	Wall      time.Duration
	Processor time.Duration // user and system
	Peak      int64         // bytes resident at most; 0 where the system does not tell
}

// Run runs a program. What a failed one wrote to its standard error, unless that goes elsewhere, is in the error.
func Run(cmd *exec.Cmd) (Cost, error) {
	var said bytes.Buffer
	if cmd.Stderr == nil {
		said.WriteByte('\n')
		cmd.Stderr = &said
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w%s", filepath.Base(cmd.Path), err, bytes.TrimRight(said.Bytes(), "\n"))
	}
	return Of(cmd.ProcessState, time.Since(start)), nil
}

// Of is the cost of a process that has ended after so long.
func Of(p *os.ProcessState, wall time.Duration) Cost {
	return Cost{Wall: wall, Processor: p.UserTime() + p.SystemTime(), Peak: peak(p)}
}
