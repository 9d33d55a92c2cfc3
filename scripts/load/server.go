package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// answer is what the server says to everything.
const answer = `{"id":"load","object":"chat.completion","created":1,"model":"load","choices":[{"index":0,"finish_reason":"stop",` +
	`"message":{"role":"assistant","content":"Let me think about that for a moment. Could you tell me a little more?"}}],` +
	`"usage":{"prompt_tokens":2500,"completion_tokens":16,"total_tokens":2516}}`

const refusal = `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`

// server answers after a while, and refuses what exceeds its rate: a bucket that fills with time. It shares the machine
// with what it measures, so it speaks no more of HTTP than it needs to.
type server struct {
	o options

	mu          sync.Mutex
	level       float64
	at          time.Time // of the level
	first, last time.Time
	counts
	flying int64
}

// serve answers until stdin ends.
func serve(o options) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &server{o: o, level: float64(o.burst)}
	fmt.Printf("http://%s/v1\n", l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = l.Close()
	}()
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		go s.converse(c)
	}
}

// converse answers the requests of one connection.
func (s *server) converse(c net.Conn) {
	defer c.Close()
	in := bufio.NewReaderSize(c, 32<<10)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return // the client has gone
		}
		start := time.Now()
		size, _ := io.Copy(io.Discard, r.Body)
		status, body := "200 OK", answer
		switch {
		case strings.HasSuffix(r.URL.Path, "/counts"):
			body = s.report()
		case !s.admit(start, size):
			status, body = "429 Too Many Requests\r\nRetry-After: 1", refusal
		default:
			time.Sleep(s.o.latency - time.Since(start))
			s.answered()
		}
		if _, err := fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body); err != nil {
			return
		}
	}
}

// admit counts a request in, or refuses it.
func (s *server) admit(now time.Time, size int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first.IsZero() {
		s.first, s.at = now, now
	}
	s.Bytes += size
	if rand.Float64() < s.o.refuse {
		s.Refused++
		return false
	}
	if s.o.rate > 0 {
		s.level = min(float64(s.o.burst), s.level+now.Sub(s.at).Seconds()*s.o.rate)
		s.at = now
		if s.level < 1 {
			s.Refused++
			return false
		}
		s.level--
	}
	s.flying++
	s.Most = max(s.Most, s.flying)
	return true
}

func (s *server) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying--
	s.Answered++
	s.last = time.Now()
}

// report returns what was seen, and starts over.
func (s *server) report() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Span = s.last.Sub(s.first).Seconds()
	out, _ := json.Marshal(s.counts) // of numbers
	s.counts, s.first = counts{}, time.Time{}
	return string(out)
}
