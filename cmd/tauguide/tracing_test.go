package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestTracesOfARun runs with a collector on loopback: each trial is a span, each call one below it, and no key is told.
func TestTracesOfARun(t *testing.T) {
	var mu sync.Mutex
	var raw bytes.Buffer
	names, parents := map[string]int{}, map[string]bool{}
	var children []string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var m collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &m); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		raw.Write(body)
		for _, rs := range m.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					name, _, _ := strings.Cut(s.Name, " ")
					names[name]++
					if name == "trial" {
						parents[string(s.SpanId)] = true
					} else {
						children = append(children, string(s.ParentSpanId))
					}
				}
			}
		}
	}))
	defer srv.Close()
	models := httptest.NewServer(scriptedModels(t, 0))
	defer models.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	t.Setenv("PLANTED_KEY", "sk-planted-0123456789")
	t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
	file := filepath.Join(t.TempDir(), "t.yaml")
	text := "note: traced, sk-planted-0123456789 in its policy\nmodels: {m: {synthetic: true, base_url: " + models.URL + "/v1, key: $PLANTED_KEY}}\nuser: {model: m}\n" +
		"domains: [{name: mock, tasks: [add_task]}]\nsystems: [{name: A, agent: react, model: m}]\ntrials: 3\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, os.Getenv, "run", file, "--out", filepath.Join(t.TempDir(), "run")); code != exitOK || strings.Contains(stderr, "traces") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if names["trial"] != 3 || names["chat"] < 6 || len(names) != 2 {
		t.Errorf("spans %v", names)
	}
	for _, p := range children {
		if !parents[p] {
			t.Error("a call's span is under no trial's")
			break
		}
	}
	if bytes.Contains(raw.Bytes(), []byte("planted")) {
		t.Error("the collector was told the key")
	}
}

// TestTracesThatCannotBe are bad usage, before anything starts; a collector that is not there is a warning.
func TestTracesThatCannotBe(t *testing.T) {
	config := filepath.Join(t.TempDir(), "t.yaml")
	text := "note: x\nmodels: {m: {synthetic: true}}\nuser: {model: m}\ndomains: [{name: mock, tasks: [add_task]}]\nsystems: [{name: A, agent: noop}]\ntrials: 1\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", nowhere(t))
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	if code, _, stderr := command(t, os.Getenv, "run", config, "--out", filepath.Join(t.TempDir(), "run")); code != exitOK || !strings.Contains(stderr, "warning: traces") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	dir := filepath.Join(t.TempDir(), "run")
	if code, _, stderr := command(t, os.Getenv, "run", config, "--out", dir); code != exitUsage || !strings.Contains(stderr, "use http/protobuf") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the run was begun")
	}
}
