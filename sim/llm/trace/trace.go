// Package trace sends OpenTelemetry traces of trials and model calls to a
// collector, over OTLP and HTTP, if the standard environment variables ask for
// it. Spans carry the attributes of the conventions for generative AI; what was
// said is in them only on request.
//
// Without the variables there is no tracer, and nothing of this costs anything.
package trace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/tauguide/tauguide/sim/llm"
)

// scope names the instrumentation in the spans.
const scope = "github.com/tauguide/tauguide/sim/llm/trace"

// Tracer makes spans. All methods of a nil Tracer do nothing. It is safe for
// concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   api.Tracer
	exporter *exporter
	contents bool
	hide     atomic.Pointer[llm.Redactor]
}

// FromEnv returns a tracer if the environment asks for traces, else nil:
//
//	OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT   where to; one of them turns traces on
//	OTEL_TRACES_EXPORTER=otlp            turns them on with the default address, =none off
//	OTEL_SDK_DISABLED=true               turns them off
//	OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true   also sends what was said
//
// Headers, timeouts, certificates, sampling, batching, service name and resource
// attributes follow their standard variables, which the SDK reads from the
// environment of the process. version is that of the program.
func FromEnv(ctx context.Context, getenv func(string) string, version string) (*Tracer, error) {
	on, err := wanted(getenv)
	if err != nil || !on {
		return nil, err
	}
	inner, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces: %w\nhint: correct the OTEL_EXPORTER_OTLP variables, or set OTEL_SDK_DISABLED=true", err)
	}
	res, err := resource.New(ctx, resource.WithAttributes(
		text("service.name", "tauguide"), text("service.version", version)), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("traces: %w\nhint: correct OTEL_RESOURCE_ATTRIBUTES", err)
	}
	t := &Tracer{exporter: &exporter{SpanExporter: inner}}
	t.provider = sdk.NewTracerProvider(sdk.WithBatcher(t.exporter), sdk.WithResource(res))
	t.tracer = t.provider.Tracer(scope, api.WithInstrumentationVersion(version))
	t.contents = strings.EqualFold(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true")
	return t, nil
}

// wanted reads the variables that turn traces on and off.
func wanted(getenv func(string) string) (bool, error) {
	if strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true") {
		return false, nil
	}
	on := getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	switch kind := strings.ToLower(strings.TrimSpace(getenv("OTEL_TRACES_EXPORTER"))); kind {
	case "":
	case "none":
		return false, nil
	case "otlp":
		on = true
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER=%s is not available\nhint: use otlp or none", kind)
	}
	if !on {
		return false, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch p := strings.TrimSpace(getenv(name)); p {
		case "":
			continue
		case "http/protobuf", "http/json":
			return true, nil
		default:
			return false, fmt.Errorf("%s=%s is not available\nhint: use http/protobuf and the collector's HTTP port, 4318 as a rule", name, p)
		}
	}
	return true, nil
}

// Hide masks secrets in all that spans will hold.
func (t *Tracer) Hide(r llm.Redactor) {
	if t != nil {
		t.hide.Store(&r)
	}
}

// masked is a text without secrets.
func (t *Tracer) masked(s string) string {
	r := t.hide.Load()
	if r == nil {
		return s
	}
	return string(r.Redact([]byte(s)))
}

// Close sends what is left and tells what went wrong while spans were sent: the
// last failure, with how many batches were lost.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	err := t.provider.Shutdown(ctx)
	if n := t.exporter.lost.Load(); n > 0 {
		return fmt.Errorf("traces: %d batches of spans were lost: %w\nhint: look at the collector and the OTEL_EXPORTER_OTLP variables", n, *t.exporter.last.Load())
	}
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	return nil
}

// exporter keeps failures to itself: they must neither reach the terminal in the
// middle of a run nor end it.
type exporter struct {
	sdk.SpanExporter
	lost atomic.Int64
	last atomic.Pointer[error]
}

// ExportSpans sends a batch.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.last.Store(&err)
		e.lost.Add(1)
	}
	return nil
}
