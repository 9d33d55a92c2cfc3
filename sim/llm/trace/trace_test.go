package trace_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// receiver is a collector on loopback.
type receiver struct {
	url string

	mu     sync.Mutex
	spans  []*spans.Span
	bytes  strings.Builder // everything that came, headers included
	status int
}

func listen(t *testing.T, status int) *receiver {
	t.Helper()
	r := &receiver{status: status}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		fmt.Fprintf(&r.bytes, "%s %v %s\n", req.URL.Path, req.Header, body)
		w.WriteHeader(r.status)
		var m collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &m); err != nil {
			t.Errorf("not OTLP: %v", err)
		}
		for _, rs := range m.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
			}
		}
	}))
	t.Cleanup(srv.Close)
	r.url = srv.URL
	return r
}

// fields are the attributes of a span as text.
func fields(list []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range list {
		v := kv.Value
		switch x := v.Value.(type) {
		case *common.AnyValue_StringValue:
			out[kv.Key] = x.StringValue
		case *common.AnyValue_IntValue:
			out[kv.Key] = fmt.Sprint(x.IntValue)
		case *common.AnyValue_DoubleValue:
			out[kv.Key] = fmt.Sprint(x.DoubleValue)
		case *common.AnyValue_BoolValue:
			out[kv.Key] = fmt.Sprint(x.BoolValue)
		case *common.AnyValue_ArrayValue:
			var texts []string
			for _, e := range x.ArrayValue.Values {
				texts = append(texts, e.GetStringValue())
			}
			out[kv.Key] = strings.Join(texts, ",")
		}
	}
	return out
}

// environment sets the variables for the SDK and for FromEnv alike.
func environment(t *testing.T, vars map[string]string) func(string) string {
	t.Helper()
	for k, v := range vars {
		t.Setenv(k, v)
	}
	return func(k string) string { return vars[k] }
}

const key = "sk-planted-0123456789"

// converse holds a trial of one answered and one failed call, and returns the
// tracer's error at the end.
func converse(t *testing.T, getenv func(string) string, srv *faultserver.Server) error {
	t.Helper()
	ctx := context.Background()
	tr, err := trace.FromEnv(ctx, getenv, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	e := llm.Endpoint{Name: "m", BaseURL: srv.URL, Key: key, Model: "local-model", Retry: llm.RetryPolicy{Attempts: 1}}
	c, err := llm.Dial(e, llm.Models{})
	if err != nil {
		t.Fatal(err)
	}
	c = llm.Chain(c, tr.Wrap(e))
	tr.Hide(llm.NewRedactor(e))
	tag := llm.Tag{Domain: "mock", System: "A", Task: "t1", Trial: 2, Attempt: 1, Role: "agent"}
	ctx, end := tr.Trial(ctx, tag)
	zero, policy := 0.0, "the policy "+key
	req := llm.Request{Tag: tag, Temperature: &zero, Messages: []llm.Message{{Role: llm.System, Content: &policy}}}
	if _, err := c.Complete(ctx, req); err != nil {
		t.Fatal(err)
	}
	req.Tag.Ordinal = 1
	if _, err := c.Complete(ctx, req); err == nil {
		t.Fatal("no error")
	}
	end("infrastructure_error", "it broke, "+key)
	return tr.Close(context.Background())
}

func answers(t *testing.T) *faultserver.Server {
	return faultserver.New(t, faultserver.TextAndCalls("secret words", faultserver.Call{ID: "c1", Name: "f", Arguments: "{}"}).With("X-Request-Id", "req-7"),
		faultserver.Status(503, "busy "+key))
}

// TestSpans compares all that a collector gets of a trial.
func TestSpans(t *testing.T) {
	r := listen(t, http.StatusOK)
	srv := answers(t)
	getenv := environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.url, "OTEL_EXPORTER_OTLP_HEADERS": "x-team=blue"})
	if err := converse(t, getenv, srv); err != nil {
		t.Fatal(err)
	}
	if len(r.spans) != 3 {
		t.Fatalf("%d spans, want 3", len(r.spans))
	}
	slices.SortFunc(r.spans, func(a, b *spans.Span) int { return int(a.StartTimeUnixNano) - int(b.StartTimeUnixNano) })
	port := srv.URL[strings.LastIndex(srv.URL, ":")+1 : len(srv.URL)-len("/v1")]
	trial := map[string]string{"tauguide.domain": "mock", "tauguide.system": "A", "tauguide.task": "t1", "tauguide.trial": "2", "tauguide.attempt": "1"}
	asked := map[string]string{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai_compatible", "gen_ai.request.model": "local-model",
		"gen_ai.request.temperature": "0", "server.address": "127.0.0.1", "server.port": port, "tauguide.role": "agent"}
	want := []struct {
		name   string
		fields []map[string]string
		status spans.Status_StatusCode
	}{
		{"trial mock/A", []map[string]string{trial, {"tauguide.termination": "infrastructure_error"}}, spans.Status_STATUS_CODE_ERROR},
		{"chat local-model", []map[string]string{trial, asked, {"tauguide.ordinal": "0", "gen_ai.response.model": "scripted", "gen_ai.response.id": "req-7",
			"gen_ai.response.finish_reasons": "tool_calls", "gen_ai.usage.input_tokens": "10", "gen_ai.usage.output_tokens": "5",
			"tauguide.attempts": "1", "tauguide.tool_calls": "1"}}, spans.Status_STATUS_CODE_UNSET},
		{"chat local-model", []map[string]string{trial, asked, {"tauguide.ordinal": "1", "error.type": "server", "http.response.status_code": "503", "tauguide.attempts": "1"}}, spans.Status_STATUS_CODE_ERROR},
	}
	for i, w := range want {
		s := r.spans[i]
		all := map[string]string{}
		for _, f := range w.fields {
			for k, v := range f {
				all[k] = v
			}
		}
		if diff := cmp.Diff(all, fields(s.Attributes)); diff != "" {
			t.Errorf("span %d (-want +got):\n%s", i, diff)
		}
		if s.Name != w.name || s.Status.GetCode() != w.status {
			t.Errorf("span %d: name %q, status %v", i, s.Name, s.Status)
		}
		if i > 0 && (string(s.ParentSpanId) != string(r.spans[0].SpanId) || s.Kind != spans.Span_SPAN_KIND_CLIENT) {
			t.Errorf("span %d is not a client span under the trial's", i)
		}
	}
	everything := r.bytes.String()
	for _, hidden := range []string{"secret words", "the policy", "planted", "Bearer"} {
		if strings.Contains(everything, hidden) {
			t.Errorf("the collector was told %q", hidden)
		}
	}
	for _, sent := range []string{"/v1/traces", "X-Team:[blue]", "service.name", "v1.2.3"} {
		if !strings.Contains(everything, sent) {
			t.Errorf("the collector was not told %q", sent)
		}
	}
}

// TestContentsOnRequest sends what was said, without secrets.
func TestContentsOnRequest(t *testing.T) {
	r := listen(t, http.StatusOK)
	getenv := environment(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": r.url + "/v1/traces", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"})
	if err := converse(t, getenv, answers(t)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.spans {
		f := fields(s.Attributes)
		for _, k := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
			if f[k] != "" {
				got = append(got, f[k])
			}
		}
	}
	in := `[{"role":"system","parts":[{"type":"text","content":"the policy [redacted]"}]}]`
	want := []string{in, `[{"role":"assistant","parts":[{"type":"text","content":"secret words"},{"type":"tool_call","id":"c1","name":"f","arguments":"{}"}],"finish_reason":"tool_calls"}]`, in}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	if strings.Contains(r.bytes.String(), "planted") {
		t.Error("the collector was told the key")
	}
}

// TestLostSpansAreTold: a collector that fails disturbs nothing, and is named at
// the end.
func TestLostSpansAreTold(t *testing.T) {
	r := listen(t, http.StatusBadRequest)
	getenv := environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.url})
	err := converse(t, getenv, answers(t))
	if err == nil || !strings.Contains(err.Error(), "batches of spans were lost") || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP") {
		t.Errorf("error %v", err)
	}
}

// TestSwitches turns traces on and off.
func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		name string
		vars map[string]string
		on   bool
		want string
	}{
		{"nothing", nil, false, ""},
		{"address", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, true, ""},
		{"disabled", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		{"none", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		{"otlp", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		{"console", map[string]string{"OTEL_TRACES_EXPORTER": "console"}, false, "use otlp or none"},
		{"grpc", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "use http/protobuf"},
		{"grpc for others", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := trace.FromEnv(t.Context(), environment(t, c.vars), "v")
			if (tr != nil) != c.on || (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("tracer %v, error %v", tr != nil, err)
			}
			if err := tr.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNoTracerCostsNothing: a nil tracer leaves clients and contexts as they are,
// and allocates nothing.
func TestNoTracerCostsNothing(t *testing.T) {
	var tr *trace.Tracer
	called := false
	c := llm.Func(func(context.Context, llm.Request) (llm.Response, error) { called = true; return llm.Response{}, nil })
	wrapped := llm.Chain(c, tr.Wrap(llm.Endpoint{}))
	if _, err := wrapped.Complete(t.Context(), llm.Request{}); err != nil || !called {
		t.Error("the client was not passed through")
	}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, end := tr.Trial(ctx, llm.Tag{})
		end("", "")
		_, _ = wrapped.Complete(ctx, llm.Request{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	tr.Hide(llm.Redactor{})
	if err := tr.Close(ctx); err != nil {
		t.Error(err)
	}
}
