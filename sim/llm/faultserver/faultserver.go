// Package faultserver is a chat-completions server for tests that answers as
// scripted, faults included: any status, header and body, delays, replies cut
// in the middle, replies that never come. It records what it was sent.
//
//	srv := faultserver.New(t, faultserver.Status(503, "busy"), faultserver.Text("hello"))
//	client, err := llm.Dial(llm.Endpoint{BaseURL: srv.URL, Model: "m"}, models)
package faultserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Reply is one scripted answer. The zero value is an empty 200 reply.
type Reply struct {
	Status int // 200 if 0
	Header map[string]string
	Body   string
	// Delay is waited before anything is sent.
	Delay time.Duration
	// CutAfter, if positive, sends that many bytes of the body and breaks the
	// connection, although the whole length was announced.
	CutAfter int
	// Hang sends nothing until the client gives up or the test ends.
	Hang bool
}

// With returns the reply with one more header.
func (r Reply) With(key, value string) Reply {
	h := map[string]string{key: value}
	for k, v := range r.Header {
		if k != key {
			h[k] = v
		}
	}
	r.Header = h
	return r
}

// After returns the reply with a delay.
func (r Reply) After(d time.Duration) Reply {
	r.Delay = d
	return r
}

// Request is what the server received.
type Request struct {
	Host         string
	Method, Path string
	Query        string
	Header       http.Header
	Body         []byte
}

// JSON decodes the body into a map; it fails the test if the body is not an
// object.
func (r Request) JSON(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(r.Body, &m); err != nil {
		t.Fatalf("request body is not an object: %v\n%s", err, r.Body)
	}
	return m
}

// Server answers POST to any path that ends in /chat/completions and records
// every request. All methods are safe for concurrent use.
type Server struct {
	URL string // base URL, up to and with /v1

	script func(n int, r Request) Reply
	done   chan struct{}
	mu     sync.Mutex
	seen   []Request
}

// New starts a server that gives the replies in order. A request beyond the
// last one is answered 418 and fails the test. The server stops with the test.
func New(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	return NewFunc(t, func(n int, _ Request) Reply {
		if n < len(replies) {
			return replies[n]
		}
		t.Errorf("faultserver: request %d, but only %d replies are scripted", n+1, len(replies))
		return Status(http.StatusTeapot, "no reply left in the script")
	})
}

// NewFunc starts a server that asks script for each reply. n counts requests
// from 0; script may be called concurrently.
func NewFunc(t testing.TB, script func(n int, r Request) Reply) *Server {
	t.Helper()
	s := &Server{script: script, done: make(chan struct{})}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL + "/v1"
	t.Cleanup(func() {
		close(s.done)
		h.Close()
	})
	return s
}

// Transport takes the connections to every host to this server, so that a client
// can be given the address of a provider. Addresses must be http.
func (s *Server) Transport() *http.Transport {
	here := strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1")
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, here)
	}}
}

// Requests returns what was received so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Last returns the latest request; it fails the test if there is none.
func (s *Server) Last(t testing.TB) Request {
	t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		t.Fatal("faultserver: no request was received")
	}
	return all[len(all)-1]
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client gave up while sending
	}
	req := Request{Host: r.Host, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body}
	s.mu.Lock()
	n := len(s.seen)
	s.seen = append(s.seen, req)
	s.mu.Unlock()
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, fmt.Sprintf("no such route: %s %s", r.Method, r.URL.Path), http.StatusNotFound)
		return
	}
	reply := s.script(n, req)
	if !s.wait(r, reply) {
		return
	}
	send(w, reply)
}

// wait holds the reply back and tells whether it is to be sent at all.
func (s *Server) wait(r *http.Request, reply Reply) bool {
	var timer <-chan time.Time
	if !reply.Hang {
		if reply.Delay == 0 {
			return true
		}
		timer = time.After(reply.Delay)
	}
	select {
	case <-timer:
		return true
	case <-r.Context().Done():
	case <-s.done:
	}
	return false
}

func send(w http.ResponseWriter, reply Reply) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	for k, v := range reply.Header {
		h.Set(k, v)
	}
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	h.Set("Content-Length", strconv.Itoa(len(reply.Body)))
	w.WriteHeader(status)
	if reply.CutAfter <= 0 || reply.CutAfter >= len(reply.Body) {
		_, _ = io.WriteString(w, reply.Body) // the client may be gone
		return
	}
	_, _ = io.WriteString(w, reply.Body[:reply.CutAfter])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
