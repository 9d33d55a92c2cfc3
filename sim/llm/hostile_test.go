package llm_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

func okBody() string { return faultserver.Text("hello").Body }

// head is a status line with headers, lines without their ends.
func head(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// bomb is 100 MB of blanks, packed.
func bomb() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	blank := bytes.Repeat([]byte(" "), 1<<20)
	for range 100 {
		_, _ = w.Write(blank)
	}
	_ = w.Close()
	return b.String()
}

// TestOddReplies sends replies that are wrong in their framing, or unusual but
// right. What is wrong is retried as often as the policy allows and no more.
func TestOddReplies(t *testing.T) {
	t.Parallel()
	const jsonType = "Content-Type: application/json"
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d", n) }
	body := okBody()
	whole := head("HTTP/1.1 200 OK", jsonType, length(len(body))) + body
	packed := zipped(body)
	echo := "key " + hostileKey + " and " + hostileHeader
	page := "<html><head><title>Sign in</title></head><body>" + echo + "</body></html>"
	tests := []struct {
		name     string
		reply    string
		kind     llm.Kind // "" for an answer
		status   int
		message  string
		attempts int
	}{
		{"HTTP/1.0 without a length", head("HTTP/1.0 200 OK", jsonType) + body, "", 0, "", 1},
		{"HTTP/1.0 without a length, cut", head("HTTP/1.0 200 OK", jsonType) + body[:40], llm.KindMalformed, 200, "cut off", 2},
		{"HTTP/1.1 until the connection closes", head("HTTP/1.1 200 OK", jsonType, "Connection: close") + body, "", 0, "", 1},
		{"length too large", head("HTTP/1.1 200 OK", jsonType, length(len(body)+9)) + body, llm.KindMalformed, 200, "cut off", 2},
		{"length too small", head("HTTP/1.1 200 OK", jsonType, length(len(body)-9)) + body, llm.KindMalformed, 200, "cut off", 2},
		{"length that is no number", head("HTTP/1.1 200 OK", jsonType, "Content-Length: many") + body, llm.KindNetwork, 0, "Content-Length", 2},
		{"two lengths", head("HTTP/1.1 200 OK", jsonType, length(3), length(4)) + body, llm.KindNetwork, 0, "Content-Length", 2},
		{"chunk without an end", head("HTTP/1.1 200 OK", jsonType, "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n", len(body), body), llm.KindMalformed, 200, "cut off", 2},
		{"chunk of no size", head("HTTP/1.1 200 OK", jsonType, "Transfer-Encoding: chunked") + "zz\r\n" + body, llm.KindMalformed, 200, "cut off", 2},
		{"no HTTP at all", "SSH-2.0-OpenSSH_9.7 " + echo + "\r\n", llm.KindNetwork, 0, "malformed HTTP", 2},
		{"nothing", "", llm.KindNetwork, 0, "EOF", 2},

		{"packed as asked", head("HTTP/1.1 200 OK", jsonType, "Content-Encoding: gzip", length(len(packed))) + packed, "", 0, "", 1},
		{"packed without a word", head("HTTP/1.1 200 OK", jsonType, length(len(packed))) + packed, llm.KindMalformed, 200, "not JSON", 2},
		{"packed only by word", head("HTTP/1.1 200 OK", jsonType, "Content-Encoding: gzip", length(len(body))) + body, llm.KindMalformed, 200, "gzip", 2},
		{"packed and cut", head("HTTP/1.1 200 OK", jsonType, "Content-Encoding: gzip", length(len(packed)-12)) + packed[:len(packed)-12], llm.KindMalformed, 200, "cut off", 2},
		{"packed otherwise", head("HTTP/1.1 200 OK", jsonType, "Content-Encoding: br", length(5)) + "\x8b\x02\x80\x7b\x03", llm.KindMalformed, 200, "not JSON", 2},

		{"204", head("HTTP/1.1 204 No Content"), llm.KindMalformed, 204, "empty", 2},
		{"202", head("HTTP/1.1 202 Accepted", length(0)), llm.KindMalformed, 202, "empty", 2},
		{"205", head("HTTP/1.1 205 Reset Content", length(0)), llm.KindMalformed, 205, "empty", 2},
		{"304", head("HTTP/1.1 304 Not Modified"), llm.KindBadRequest, 304, "redirected", 1},
		{"200 of blanks", head("HTTP/1.1 200 OK", length(4)) + " \r\n ", llm.KindMalformed, 200, "empty", 2},
		{"page of a proxy with status 200", head("HTTP/1.1 200 OK", "Content-Type: text/html", length(len(page))) + page, llm.KindMalformed, 200, "not JSON: Sign in", 2},
		{"page of a proxy with status 511", head("HTTP/1.1 511 Network Authentication Required", "Content-Type: text/html", length(len(page))) + page, llm.KindServer, 511, "Sign in", 2},

		{"100, 102 and 103 before the answer", head("HTTP/1.1 100 Continue") + head("HTTP/1.1 102 Processing") + head("HTTP/1.1 103 Early Hints", "Link: </x>") + whole, "", 0, "", 1},
		{"101", head("HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"), llm.KindMalformed, 101, "switched to another protocol", 2},
		{"status 99", head("HTTP/1.1 99 Odd", length(0)), llm.KindNetwork, 0, "malformed HTTP", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := newWire(t, func(_ int, w io.Writer, _ <-chan struct{}) bool {
					_, _ = io.WriteString(w, tt.reply)
					return false
				})
				resp, err := planted(t, srv).Complete(t.Context(), hello())
				if n := int(srv.requests.Load()); n != tt.attempts {
					t.Errorf("%d requests were made, want %d", n, tt.attempts)
				}
				if tt.kind == "" {
					if err != nil || resp.Message.Text() != "hello" {
						t.Errorf("got %q, error %v", resp.Message.Text(), err)
					}
					return
				}
				if err == nil {
					t.Fatalf("got the answer %+v", resp)
				}
				e := refuseErr(t, err)
				if e.Kind != tt.kind || e.Status != tt.status || !strings.Contains(e.Message, tt.message) || e.Attempts != tt.attempts {
					t.Errorf("got %s, status %d, %d attempts, %q; want %s, %d, %d, %q", e.Kind, e.Status, e.Attempts, e.Message, tt.kind, tt.status, tt.attempts, tt.message)
				}
				if e.Retryable() != (tt.attempts > 1) {
					t.Errorf("retryable %t", e.Retryable())
				}
				noSecrets(t, e)
			})
		})
	}
}

// TestEndlessReplies: the deadline of an attempt ends a reply that never ends, and
// of one that never ends and never pauses no more is read than the bound.
func TestEndlessReplies(t *testing.T) {
	t.Parallel()
	const chunked = "Transfer-Encoding: chunked"
	dribble := func(first string, bit func(n int) string) func(int, io.Writer, <-chan struct{}) bool {
		return func(_ int, w io.Writer, gone <-chan struct{}) bool {
			if _, err := io.WriteString(w, first); err != nil {
				return false
			}
			for n := 0; ; n++ {
				select {
				case <-time.After(2 * time.Millisecond):
				case <-gone:
					return false
				}
				if _, err := io.WriteString(w, bit(n)); err != nil {
					return false
				}
			}
		}
	}
	blank := func(int) string { return "1\r\n \r\n" }
	slow := []struct {
		name  string
		reply func(int, io.Writer, <-chan struct{}) bool
		kind  llm.Kind
	}{
		{"blanks now and then", dribble(head("HTTP/1.1 200 OK", chunked), blank), llm.KindTimeout},
		{"an answer, then blanks", dribble(head("HTTP/1.1 200 OK", chunked)+fmt.Sprintf("%x\r\n%s\r\n", len(okBody()), okBody()), blank), llm.KindTimeout},
		{"a failure that never ends", dribble(head("HTTP/1.1 500 Internal Server Error", chunked), blank), llm.KindTimeout},
		{"a redirect that never ends", dribble(head("HTTP/1.1 302 Found", "Location: /elsewhere", chunked), blank), llm.KindTimeout},
		{"headers that never end", dribble("HTTP/1.1 200 OK\r\n", func(n int) string { return fmt.Sprintf("X-%d: y\r\n", n) }), llm.KindTimeout},
		{"hints that never end", dribble("", func(int) string { return head("HTTP/1.1 102 Processing") }), llm.KindTimeout},
		{"protocols switched, then silence", func(_ int, w io.Writer, gone <-chan struct{}) bool {
			_, _ = io.WriteString(w, head("HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"))
			<-gone
			return false
		}, llm.KindMalformed},
	}
	for _, tt := range slow {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := newWire(t, tt.reply)
				c := planted(t, srv, func(e *llm.Endpoint) { e.Timeout = 100 * time.Millisecond })
				_, err := c.Complete(t.Context(), hello())
				e := refuseErr(t, err)
				if e.Kind != tt.kind || !e.Retryable() || e.Attempts != 2 || srv.requests.Load() != 2 {
					t.Errorf("got %v with %d requests, want %s after two attempts", e, srv.requests.Load(), tt.kind)
				}
				noSecrets(t, e)
			})
		})
	}
	t.Run("the caller's deadline", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := newWire(t, dribble(head("HTTP/1.1 200 OK", chunked), blank))
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := planted(t, srv).Complete(ctx, hello())
			if e := refuseErr(t, err); e.Kind != llm.KindCancelled || !errors.Is(err, context.DeadlineExceeded) || srv.requests.Load() != 1 {
				t.Errorf("got %v after %d requests", e, srv.requests.Load())
			}
		})
	})

	const most = 8 << 20      // what is read of one reply
	const inTransit = 4 << 20 // written, and not kept
	flood := strings.Repeat(" ", 1<<20)
	for _, tt := range []struct {
		name, first, more string
		kind              llm.Kind
		message           string
	}{
		{"endless answer", head("HTTP/1.1 200 OK", chunked), fmt.Sprintf("%x\r\n%s\r\n", len(flood), flood), llm.KindMalformed, "larger than 8 MB"},
		{"endless answer without chunks", head("HTTP/1.1 200 OK", "Connection: close"), flood, llm.KindMalformed, "larger than 8 MB"},
		{"answer that announces a terabyte", head("HTTP/1.1 200 OK", "Content-Length: 1099511627776"), flood, llm.KindMalformed, "larger than 8 MB"},
		{"endless page of a failure", head("HTTP/1.1 503 Service Unavailable", chunked), fmt.Sprintf("%x\r\n%s\r\n", len(flood), flood), llm.KindServer, ""},
		{"endless header", "HTTP/1.1 200 OK\r\nX-Long: ", flood, llm.KindNetwork, "header"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := newWire(t, func(_ int, w io.Writer, _ <-chan struct{}) bool {
					_, err := io.WriteString(w, tt.first)
					for err == nil {
						_, err = io.WriteString(w, tt.more)
					}
					return false
				})
				c := planted(t, srv, func(e *llm.Endpoint) { e.Retry.Attempts, e.Timeout = 1, time.Minute })
				_, err := c.Complete(t.Context(), hello())
				e := refuseErr(t, err)
				if e.Kind != tt.kind || !strings.Contains(e.Message, tt.message) || !e.Retryable() || len(e.Body) > 2048 {
					t.Errorf("got %v with %d bytes of the body", e, len(e.Body))
				}
				if n := srv.sent.Load(); n > most+inTransit {
					t.Errorf("%d MB were taken from the server", n>>20)
				}
				noSecrets(t, e)
			})
		})
	}
	t.Run("packed bomb", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			packed := bomb()
			srv := newWire(t, func(_ int, w io.Writer, _ <-chan struct{}) bool {
				_, _ = io.WriteString(w, head("HTTP/1.1 200 OK", "Content-Encoding: gzip", fmt.Sprintf("Content-Length: %d", len(packed)))+packed)
				return false
			})
			_, err := planted(t, srv, func(e *llm.Endpoint) { e.Retry.Attempts = 1 }).Complete(t.Context(), hello())
			if e := refuseErr(t, err); e.Kind != llm.KindMalformed || !strings.Contains(e.Message, "larger than 8 MB") {
				t.Errorf("got %v", e)
			}
		})
	})
}

// TestOddRepliesDoNotSpillOver: what a reply leaves on its connection is not taken
// for the next reply, and a connection that is closed each time is opened again.
func TestOddRepliesDoNotSpillOver(t *testing.T) {
	t.Parallel()
	forged := head("HTTP/1.1 200 OK", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(faultserver.Text("forged").Body))) + faultserver.Text("forged").Body
	for _, tt := range []struct {
		name string
		head []string
		more string
		keep bool
	}{
		{"a second reply behind the first", []string{"HTTP/1.1 200 OK"}, forged, true},
		{"a body behind a 204", []string{"HTTP/1.1 204 No Content"}, forged, true},
		{"closed each time", []string{"HTTP/1.1 200 OK", "Connection: close"}, "", false},
		{"closed without a word", []string{"HTTP/1.1 200 OK"}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := newWire(t, func(n int, w io.Writer, _ <-chan struct{}) bool {
					body := faultserver.Text(fmt.Sprintf("answer %d", n)).Body
					first := tt.head
					if strings.Contains(first[0], "204") {
						if n > 0 {
							first = []string{"HTTP/1.1 200 OK"}
						} else {
							body = ""
						}
					}
					if body != "" {
						first = append(append([]string(nil), first...), fmt.Sprintf("Content-Length: %d", len(body)))
					}
					_, _ = io.WriteString(w, head(first...)+body+tt.more)
					return tt.keep
				})
				c := planted(t, srv)
				for range 5 {
					resp, err := c.Complete(t.Context(), hello())
					synctest.Wait() // until both ends know how the connection is
					if err != nil || !strings.HasPrefix(resp.Message.Text(), "answer ") {
						t.Fatalf("got %q, error %v", resp.Message.Text(), err)
					}
				}
				if n := srv.requests.Load(); n > 7 {
					t.Errorf("%d requests for five answers", n)
				}
			})
		})
	}
}
