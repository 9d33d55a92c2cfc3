package view_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view"
)

func TestHeaders(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, path := range []string{"/", "/style.css", "/script.js", "/small/", aTrial, aTrial + "a0/record.json", "/nowhere/"} {
		_, _, head := s.get(path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got := head.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestMethods(t *testing.T) {
	s := serve(t, smallRun(t))
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "OPTIONS": 405, "TRACE": 405, "PROPFIND": 405} {
		r, err := http.NewRequest(method, s.url+"/small/", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if got.StatusCode != want || want == 405 && got.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: status %d, want %d", method, got.StatusCode, want)
		}
	}
}

// TestHost refuses names that are not the loopback's: a page from elsewhere whose name leads here must read nothing.
func TestHost(t *testing.T) {
	site, err := view.Open([]string{smallRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:7575": 200, "127.8.9.10:1": 200, "localhost": 200, "LOCALHOST:80": 200, "[::1]": 200, "[::1]:7575": 200, "[::ffff:127.0.0.1]:1": 200,
		"evil.example": 403, "evil.example:7575": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "0.0.0.0:7575": 403, "[::]:1": 403, "10.0.0.1": 403,
		"": 403, ":7575": 403, "localhost:x": 403, "[::1": 403, "2130706433": 403, "127.1": 403, "[fe80::1%25lo]": 403, "localhost.": 403,
	} {
		r := httptest.NewRequest("GET", "http://x/small/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		site.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: status %d, want %d", host, w.Code, want)
		}
		if want == 403 && strings.Contains(w.Body.String(), "cancel") {
			t.Errorf("host %q reads the run", host)
		}
	}
}

func TestListen(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.2:0", "", ""} {
		l, err := view.Listen(addr)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
			t.Errorf("%s listens on %s", addr, ip)
		}
		defer l.Close() // so that the usual port is taken when it is asked for again
	}
	for _, addr := range []string{":0", ":7575", "0.0.0.0:0", "[::]:0", "example.com:80", "10.1.2.3:80", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", "127.0.0.1:-1", "*:1"} {
		l, err := view.Listen(addr)
		if err == nil {
			l.Close()
		}
		if bad := (*view.AddrError)(nil); !errors.As(err, &bad) || bad.Addr != addr {
			t.Errorf("%q: error %v, want an AddrError", addr, err)
		}
	}
	taken, err := view.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := view.Listen(taken.Addr().String()); err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("a port in use: %v", err)
	}
}

// TestServeEnds stops a server that has an open connection.
func TestServeEnds(t *testing.T) {
	site, err := view.Open([]string{smallRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	l, err := view.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- site.Serve(ctx, l) }()
	if r, err := http.Get("http://" + l.Addr().String() + "/"); err != nil || r.StatusCode != 200 {
		t.Fatalf("%v, %v", r, err)
	} else {
		r.Body.Close()
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("error %v", err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the port is still open")
	}
}

// TestPaths sends paths as no client would: none may reach a file.
func TestPaths(t *testing.T) {
	dir := smallRun(t)
	s := serve(t, dir)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret.txt"), []byte("TOP SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/../secret.txt", "/small/../../secret.txt", "/%2e%2e/secret.txt", "/small/%2e%2e%2f%2e%2e%2fsecret.txt", "/..%2fsecret.txt", "/small/trial/..%2f..%2f/x/y/0/",
		"/small/trial/retail/ReAct/..%2f..%2f..%2fmanifest/0/a0/record.json", "/small/trial/retail/ReAct/cancel-gift-card-order/0/../../../../../manifest.json",
		"/small/manifest.json", "/small/trials/retail", "/small/trial/retail/ReAct/cancel-gift-card-order/0/a0/record.json%00", "//secret.txt", `/..\secret.txt`, "/%5c..%5csecret.txt",
		"/small/trial/retail/ReAct/cancel-gift-card-order/00/", "/small/trial/retail/ReAct/cancel-gift-card-order/-1/", "/small/trial/retail/ReAct/cancel-gift-card-order/99999999999999999999/",
		"/small/trial/retail/ReAct/cancel-gift-card-order/0/a-1/", "/small/trial/retail/ReAct/cancel-gift-card-order/0/a0/record.json/x", "/small/trial/retail/Guided/finish_task/0/",
		aTrial + "beside/nowhere/ReAct/0/", aTrial + "beside/small/Nobody/0/", aTrial + "beside/small/ReAct/7/", aTrial + "beside/small/ReAct/", "/templates/start.html", "/.", "/small/\xff/",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body := make([]byte, 1<<16)
		n, _ := bufio.NewReader(r.Body).Read(body)
		conn.Close()
		if r.StatusCode != 404 && r.StatusCode != 400 || strings.Contains(string(body[:n]), "SECRET") {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
	}
}

// TestContrast computes the contrast of every colour of text on every ground, in light and dark.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("style/base.css")
	if err != nil {
		t.Fatal(err)
	}
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(css, -1)
	if len(roots) != 2 {
		t.Fatalf("%d sets of colours", len(roots))
	}
	for _, root := range roots {
		colour := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([\w-]+): #(\w{6})`).FindAllSubmatch(root[1], -1) {
			colour[string(m[1])] = luminance(t, string(m[2]))
		}
		for _, ink := range []string{"ink", "dim", "link", "good", "bad", "odd", "event-ink"} {
			for _, ground := range []string{"ground", "paper", "shade", "agent", "user", "event", "good-ground", "bad-ground", "odd-ground"} {
				a, b := colour[ink], colour[ground]
				if c := (max(a, b) + 0.05) / (min(a, b) + 0.05); c < 4.5 || a == 0 || b == 0 {
					t.Errorf("%s on %s: contrast %.2f", ink, ground, c)
				}
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}
