package runs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// callLog writes model calls to the log of a run: waits before another attempt always, but for those that a rate limit
// causes, which come in thousands; each call at level debug. A nil callLog writes nothing.
type callLog struct{ log *slog.Logger }

// retried is told of each wait of a model.
func (c *callLog) retried() llm.RetryNotice {
	if c == nil {
		return nil
	}
	return func(model string, req llm.Request, e *llm.Error, attempt int, wait time.Duration) {
		level := slog.LevelInfo
		if e.Kind == llm.KindRateLimit {
			level = slog.LevelDebug
		}
		c.log.Log(context.Background(), level, "call retried", "model", model, "key", tagKey(req.Tag), "role", req.Tag.Role, "ordinal", req.Tag.Ordinal,
			"attempt", attempt, "wait", wait.Seconds(), "kind", e.Kind, "status", e.Status, "code", e.Code, "request_id", e.RequestID, "text", e.Message)
	}
}

func tagKey(t llm.Tag) string {
	return sim.Key{Domain: t.Domain, System: t.System, Task: t.Task, Trial: t.Trial}.String()
}

// wrap logs the calls of a model.
func (c *callLog) wrap(model string) llm.Middleware {
	return func(next llm.Client) llm.Client {
		if c == nil || !c.log.Enabled(context.Background(), slog.LevelDebug) {
			return next
		}
		return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
			start := time.Now()
			resp, err := next.Complete(ctx, req)
			c.call(model, req, resp, err, time.Since(start))
			return resp, err
		})
	}
}

func (c *callLog) call(model string, req llm.Request, resp llm.Response, err error, took time.Duration) {
	attrs := []any{"model", model, "key", tagKey(req.Tag), "attempt", req.Tag.Attempt, "role", req.Tag.Role, "ordinal", req.Tag.Ordinal, "seconds", took.Seconds()}
	var e *llm.Error
	switch {
	case errors.As(err, &e):
		attrs = append(attrs, "kind", e.Kind, "status", e.Status, "code", e.Code, "request_id", e.RequestID, "sent", e.Attempts, "text", e.Message,
			"usage", e.Usage, "cost", e.Cost)
	case err != nil:
		attrs = append(attrs, "text", err.Error())
	default:
		attrs = append(attrs, "served", resp.Model, "request_id", resp.RequestID, "sent", resp.Attempts, "finish", resp.FinishReason,
			"usage", resp.Usage, "cost", resp.Cost, "dropped", resp.Dropped, "quirks", resp.Quirks, "replayed", resp.Replayed, "refusal", resp.Refusal, "cut_off", resp.CutOff, "call_in_text", resp.CallInText)
	}
	c.log.Debug("call", attrs...)
}
