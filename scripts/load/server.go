package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// answer is what the server says to everything.
const answer = `{"id":"load","object":"chat.completion","created":1,"model":"load","choices":[{"index":0,"finish_reason":"stop",` +
	`"message":{"role":"assistant","content":"Let me think about that for a moment. Could you tell me a little more?"}}],` +
	`"usage":{"prompt_tokens":2500,"completion_tokens":16,"total_tokens":2516}}`

// server answers after a while, and refuses what exceeds its rate: a bucket that fills with time.
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
func serve(_ context.Context, o options) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &server{o: o, level: float64(o.burst)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("GET /v1/counts", s.report)
	fmt.Printf("http://%s/v1\n", l.Addr())
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = srv.Close()
	}()
	if err := srv.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	_, _ = io.Copy(io.Discard, r.Body)
	if !s.admit(start) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`, http.StatusTooManyRequests)
		return
	}
	time.Sleep(s.o.latency - time.Since(start))
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying--
	s.Answered++
	s.last = time.Now()
}

// admit counts a request in, or refuses it.
func (s *server) admit(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first.IsZero() {
		s.first, s.at = now, now
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

func (s *server) report(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Span = s.last.Sub(s.first).Seconds()
	_ = json.NewEncoder(w).Encode(s.counts)
}
