package view

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/tauguide/tauguide/guide/export/svg"
)

// DefaultAddr is where pages are served unless told otherwise, so that their addresses can be known before and kept.
const DefaultAddr = "127.0.0.1:7575"

// Address is that of a run's page once the pages of the run, or of the folder that it is in, are served at DefaultAddr.
func Address(dir string) string {
	name := baseName(dir)
	return "http://" + DefaultAddr + "/" + newSlugs([]string{name}).slug[name] + "/"
}

// refreshSeconds is how often a browser loads a list again while its run is being written.
const refreshSeconds = 5

// AddrError means that pages may not be served on an address. Whoever reaches them reads all that was recorded,
// and there is no password.
type AddrError struct{ Addr, Why string }

func (e *AddrError) Error() string {
	return fmt.Sprintf("address %q %s: pages are served to this machine alone\nhint: use an address such as 127.0.0.1:7575; from elsewhere, "+
		"reach it through an SSH tunnel, or copy what --export writes", e.Addr, e.Why)
}

// Listen opens a port of the loopback: of no address DefaultAddr, or any free port where that is taken. An error is an
// *AddrError where the address is not of the loopback.
func Listen(addr string) (net.Listener, error) {
	if addr == "" {
		if l, err := net.Listen("tcp", DefaultAddr); err == nil {
			return l, nil
		}
		addr = "127.0.0.1:0"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &AddrError{addr, "is not of the form HOST:PORT"}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, &AddrError{addr, fmt.Sprintf("has no port from 0 to 65535 but %q", port)}
	} else if port = strconv.FormatUint(n, 10); !loopback(host) {
		return nil, &AddrError{addr, "is not of the loopback"}
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // whatever the name resolves to here
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w\nhint: choose another with --addr", addr, err)
	}
	return l, nil
}

// loopback reports whether a host is this machine by its own account: a name or an address without a port.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Zone() == "" && a.Unmap().IsLoopback()
}

// loopbackHost reports whether the Host header of a request names the loopback. A page from elsewhere whose name was made to
// resolve to this machine comes with its own name.
func loopbackHost(header string) bool {
	host, port, err := net.SplitHostPort(header)
	if err != nil {
		host, port, err = net.SplitHostPort(header + ":0")
	}
	_, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil && loopback(host)
}

// prepare does ahead what takes long for the first page of a trial, while readers look at those that lead there. Pages say
// themselves what is wrong.
func (s *Site) prepare() {
	defer func() { _ = recover() }()
	_ = svg.Prepare()
	for _, r := range s.opened() {
		if d, err := r.read(); err == nil {
			d.reader.Prepare()
		}
	}
}

// policy is what pages may load, wherever they are: their own parts alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'"

// Handler serves the pages. It answers GET and HEAD for hosts of the loopback, and nothing else.
func (s *Site) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy+"; frame-ancestors 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !loopbackHost(r.Host):
			http.Error(w, "this server answers to the names of this machine's loopback alone, such as 127.0.0.1 and localhost", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "pages can be read, and nothing else", http.StatusMethodNotAllowed)
		default:
			s.get(r.URL.EscapedPath(), r.URL.Query(), served).write(w)
		}
	})
}

func (p page) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", p.kind)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	if p.name != "" {
		h.Set("Content-Disposition", `attachment; filename="`+p.name+`"`)
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(p.body) // a reader who went away is not an error
}

// Serve answers on a listener until ctx is done, and then lets running requests end for a moment. It returns nil then.
func (s *Site) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 1 << 16}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	go s.prepare()
	select {
	case err := <-done:
		return fmt.Errorf("serve pages: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end serving pages: %w", err)
	}
	return nil
}
