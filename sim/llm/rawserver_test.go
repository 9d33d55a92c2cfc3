package llm_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

// wire is a server in memory that reads requests and lets a script write whatever it likes to the connection, which then
// is closed unless the script keeps it. It belongs in a bubble of synctest, where no deadline depends on the machine.
type wire struct {
	transport *http.Transport // leads to the server, whatever the address
	requests  atomic.Int64
	sent      atomic.Int64 // bytes
}

// newWire starts a server. reply gets the number of the request, from 0, and tells whether the connection is kept for
// another.
func newWire(t testing.TB, reply func(n int, w io.Writer, gone <-chan struct{}) (keep bool)) *wire {
	t.Helper()
	s := &wire{transport: llm.NewTransport()}
	done := make(chan struct{})
	var wg sync.WaitGroup
	s.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		wg.Go(func() { s.serve(server, done, reply) })
		return client, nil
	}
	t.Cleanup(func() {
		close(done)
		s.transport.CloseIdleConnections()
		wg.Wait()
	})
	return s
}

func (s *wire) serve(conn net.Conn, done <-chan struct{}, reply func(int, io.Writer, <-chan struct{}) bool) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		n := int(s.requests.Add(1)) - 1
		if !reply(n, counting{conn, &s.sent}, done) {
			return
		}
	}
}

// counting counts what was written.
type counting struct {
	io.Writer
	n *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n.Add(int64(n))
	return n, err
}

const (
	hostileKey    = "sk-planted-0123456789abcdef"
	hostileHeader = "planted-header-fedcba9876"
)

// planted dials with secrets, two attempts and hardly a wait between them.
func planted(t testing.TB, srv *wire, edit ...func(*llm.Endpoint)) llm.Client {
	t.Helper()
	e := llm.Endpoint{
		Name: "test", BaseURL: "http://wire/v1", Model: "local-model", Key: hostileKey, Headers: map[string]string{"X-Api-Key": hostileHeader, "api-key": hostileHeader},
		Timeout: 10 * time.Second, Retry: llm.RetryPolicy{Attempts: 2, RateLimited: 2, FirstWait: time.Millisecond, MaxWait: time.Millisecond},
	}
	for _, f := range edit {
		f(&e)
	}
	d := &llm.Dialer{Models: models(t), Transport: srv.transport}
	c, err := d.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// noSecrets fails the test if an error shows a secret in any of the usual ways.
func noSecrets(t *testing.T, e *llm.Error) {
	t.Helper()
	all := fmt.Sprintf("%v %+v %#v %v %+v", e, *e, *e, e.Err, e.Err)
	for _, s := range []string{hostileKey, hostileHeader} {
		if strings.Contains(all, s) {
			t.Errorf("the error shows %q:\n%s", s, all)
		}
	}
}
