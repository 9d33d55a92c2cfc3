package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// showCalls lists the model calls of a trial, or prints one.
func showCalls(p process, o showOptions, r *store.Run, key sim.Key) error {
	if o.call != "" && (o.full || o.walk || o.html != "" || o.beside != "" || o.calls) {
		return usage(errors.New("--call goes with --raw or --json alone\nhint: leave the other flag out"))
	}
	v, err := readTrial(p, report.Reader(r, p.env), key)
	if err != nil {
		return err
	}
	calls, grading, err := transcript.CallsOf(r, v)
	if err != nil {
		p.notef("without what models were sent: %v", err)
	}
	calls = append(calls, grading...)
	if o.calls {
		return p.paged(!o.noPager, func(w io.Writer, page terminal.Page) error {
			return report.Print(w, page, false, show.Calls(calls))
		})
	}
	at := slices.IndexFunc(calls, func(a transcript.Asked) bool { return a.Name() == o.call })
	switch {
	case at < 0:
		return usage(fmt.Errorf("the trial has no model call %q\nhint: --calls lists them, as agent/0", o.call))
	case calls[at].Sent == nil:
		return fmt.Errorf("%s of %s: %s", o.call, key.String(), calls[at].Why)
	case o.raw:
		body, err := calls[at].Sent[len(calls[at].Sent)-1].Body()
		if err != nil {
			return err
		}
		return rawText(p, body)
	case o.json:
		return tries(p, calls[at])
	}
	x, err := transcript.ExchangeOf(calls, at)
	if err != nil {
		return err
	}
	return p.paged(!o.noPager, func(w io.Writer, page terminal.Page) error {
		return show.PrintCall(w, x, show.Options{Page: page})
	})
}

// tries prints each request that was sent for a call, and what came, as texts within JSON; an answer that is no text is in
// base64 under bytes.
func tries(p process, a transcript.Asked) error {
	type try struct {
		Request string `json:"request"`
		Status  int    `json:"status,omitempty"`
		Answer  string `json:"answer,omitempty"`
		Bytes   []byte `json:"bytes,omitempty"`
		Cut     bool   `json:"cut,omitempty"`
		Error   string `json:"error,omitempty"`
	}
	var out []try
	for _, s := range a.Sent {
		body, err := s.Body()
		if err != nil {
			return err
		}
		t := try{Request: string(body), Status: s.Status, Cut: s.Cut, Error: s.Error}
		if utf8.Valid(s.Answer) {
			t.Answer = string(s.Answer)
		} else {
			t.Bytes = s.Answer
		}
		out = append(out, t)
	}
	return p.json(map[string]any{"call": a.ModelCall, "tries": out})
}
