package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/tauguide/tauguide/runs/terminal"
)

// defaultPager shows colours, and ends at once where all fits the screen.
const defaultPager = "less -FR"

// noPager is the least code by which a shell says that it found no such command, or may not run it.
const noPager = 126

// paged writes to stdout and, where that is a terminal and a pager is wanted, through it. Where none can be started the
// text goes to the terminal itself.
func (p process) paged(wanted bool, write func(io.Writer, terminal.Page) error) error {
	plain := func() error { return write(p.out.Styled(), p.out.Page) }
	if !wanted || !p.out.Terminal {
		return plain()
	}
	pager := exec.Command("sh", "-c", cmp.Or(p.env("PAGER"), defaultPager))
	pager.Stdout, pager.Stderr = p.out.Raw(), os.Stderr
	in, err := pager.StdinPipe()
	if err != nil || pager.Start() != nil {
		return plain()
	}
	to := terminal.New(in, p.env)
	to.Page = p.out.Page
	_ = write(to.Styled(), to.Page) // a reader who has seen enough closes the pager
	_ = in.Close()
	var ended *exec.ExitError
	if errors.As(pager.Wait(), &ended) && ended.ExitCode() >= noPager {
		return plain()
	}
	return nil
}
