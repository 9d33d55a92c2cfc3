package llm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// wording is a failed reply and the kind that it is.
type wording struct {
	Provider string          `json:"provider"`
	Status   int             `json:"status"`
	Kind     llm.Kind        `json:"kind"`
	Body     json.RawMessage `json:"body"`
}

// classified is what the shipped table makes of a reply.
func (w wording) classified(m llm.Models) *llm.Error {
	if w.Status < 300 {
		return m.ReadAnswer(w.Status, w.Body)
	}
	return m.Classify(w.Status, nil, w.Body, llm.TestEpoch)
}

// TestFailureTable classifies the wordings of many providers. The rows were written on the first two files, and not on the
// last.
func TestFailureTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file  string
		least float64
	}{{"failures_rules.jsonl", 1}, {"failures_more.jsonl", 1}, {"failures_held_out.jsonl", 0.85}} {
		text, err := os.ReadFile(filepath.Join("testdata", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		m, all, right, providers := models(t), 0, 0, map[string]bool{}
		for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
			var w wording
			if err := json.Unmarshal(s.Bytes(), &w); err != nil {
				t.Fatal(err)
			}
			all++
			providers[w.Provider] = true
			switch e := w.classified(m); {
			case e == nil:
				t.Logf("%s: %s %d: no error\n%s", tt.file, w.Provider, w.Status, w.Body)
			case e.Kind != w.Kind:
				t.Logf("%s: %s %d: kind %s, want %s\n%s", tt.file, w.Provider, w.Status, e.Kind, w.Kind, w.Body)
			default:
				right++
			}
		}
		share := float64(right) / float64(all)
		t.Logf("%s: %d of %d right (%.0f %%), from %d providers", tt.file, right, all, 100*share, len(providers))
		if all < 60 || len(providers) < 15 || share < tt.least {
			t.Errorf("%s: %d bodies of %d providers, %.0f %% right, want 60 of 15, %.0f %%", tt.file, all, len(providers), 100*share, 100*tt.least)
		}
	}
}

// TestFieldWordings classifies the bodies of public reports.
func TestFieldWordings(t *testing.T) {
	t.Parallel()
	m, dir := models(t), domaintest.Shared(t)
	for folder, kind := range map[string]llm.Kind{
		"01-context-overflow-wordings": llm.KindContextWindow, "02-moderation-wordings": llm.KindContentFilter, "03-billing-wordings": llm.KindQuota,
	} {
		text, err := os.ReadFile(filepath.Join(dir, "field", folder, "wordings.json"))
		if err != nil {
			t.Skipf("shared reference data not found: %v", err)
		}
		var list []wording
		if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
			t.Fatalf("%s: %d bodies, %v", folder, len(list), err)
		}
		for _, w := range list {
			if e := w.classified(m); e.Kind != kind || e.Retryable() {
				t.Errorf("%s: kind %s, retryable %t, want %s, not to be tried again\n%s", folder, e.Kind, e.Retryable(), kind, w.Body)
			}
		}
	}
}

// TestUnknownRefusal: a refusal that no row fits is a bad request, told once with its body and counted.
func TestUnknownRefusal(t *testing.T) {
	t.Parallel()
	tea := faultserver.Status(418, `{"error":{"message":"I am a teapot"}}`)
	srv := faultserver.New(t, tea, tea, tea)
	var said []string
	meter := &llm.Meter{}
	d := llm.Dialer{Models: models(t), Meter: meter, Warn: func(text string) { said = append(said, text) }}
	c, err := d.Dial(llm.Endpoint{Name: "tea", BaseURL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if e := refuse(t, c); e.Kind != llm.KindBadRequest || !e.Unknown {
			t.Errorf("kind %s, unknown %t", e.Kind, e.Unknown)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "I am a teapot") || !strings.Contains(said[0], `"tea"`) {
		t.Errorf("said %q, want the body once", said)
	}
	if n := meter.Total().Unknown; n != 3 {
		t.Errorf("counted %d, want 3", n)
	}
}

// TestTemplateIsNotRetried: a history that a chat template refuses is refused again, and the hint says what to set.
func TestTemplateIsNotRetried(t *testing.T) {
	t.Parallel()
	srv := faultserver.New(t, faultserver.Status(500, `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant at row 2, column 5","type":"server_error"}}`))
	e := refuse(t, once(t, srv, func(e *llm.Endpoint) { e.Retry = llm.RetryPolicy{} }))
	if e.Kind != llm.KindTemplate || e.Attempts != 1 || !strings.Contains(e.Error(), "echo: never") || !strings.Contains(e.Error(), "roles: alternate") {
		t.Errorf("after %d attempts: %v", e.Attempts, e)
	}
}

// TestFailureRowsAreChecked names the row and the key of what is wrong.
func TestFailureRowsAreChecked(t *testing.T) {
	t.Parallel()
	good := llm.FailureRow{Kind: llm.KindQuota, Status: []int{402}}
	for want, row := range map[string]llm.FailureRow{
		"rows[1].kind": {Kind: "odd", Status: []int{400}}, "rows[1]: it would fit everything": {Kind: llm.KindQuota},
		"rows[1].message": {Kind: llm.KindQuota, Message: []string{"("}}, "rows[1].param": {Kind: llm.KindQuota, Param: []string{"(?!x)"}},
	} {
		if _, err := (llm.Models{}).WithFailures(good, row); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
}
