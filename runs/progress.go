package runs

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/tauguide/tauguide/runs/terminal"
)

// How often progress is looked at, and how often it is said where there is no terminal.
const (
	reportEvery = 250 * time.Millisecond
	lineEvery   = time.Minute
)

// count changes the progress.
func (x *execution) count(change func(*Progress)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(&x.progress)
}

// report starts telling the reporter; the function that it returns tells it the end and stops.
func (x *execution) report() (stop func()) {
	r := x.options.Progress
	if r == nil {
		return func() {}
	}
	r.Update(x.snapshot(false)) // before anything is spent
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(reportEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				r.Update(x.snapshot(false))
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
		r.Update(x.snapshot(true))
	}
}

func (x *execution) snapshot(final bool) Progress {
	x.mu.Lock()
	p := x.progress
	x.mu.Unlock()
	total := x.meter.Total()
	p.Elapsed, p.Final, p.Cost = time.Since(x.started), final, total.KnownCost()
	if p.Cost == nil && !p.Scripted && !x.clients.unpriced() {
		p.Cost = &total.Cost // only scripted models tell no cost, and have none
	}
	p.Billed = total.Billed > 0 && p.Cost != nil
	p.Waiting, p.Pace = x.clients.queues()
	p.Replayed = total.Replayed
	if total.WouldUnknown == 0 {
		p.WouldCost = &total.WouldCost
	}
	var oldest time.Time
	if p.Retrying, oldest = x.meter.Ongoing(); !oldest.IsZero() {
		p.Oldest = time.Since(oldest)
	}
	p.CallRate = x.calls.rate(time.Now(), total.Calls+total.Replayed)
	if total.UnknownPrompt == 0 && total.UnknownCompletion == 0 {
		n := total.PromptTokens + total.CompletionTokens
		p.Tokens = &n
	}
	return p
}

// Line is the progress in words.
func (p Progress) Line() string { return p.Name + ": " + strings.Join(p.parts(), ", ") }

// parts are what there is to say, what matters most first.
func (p Progress) parts() []string {
	out := []string{fmt.Sprintf("%d/%d", p.Done, p.Planned)}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if p.Done > 0 {
		say("%.0f %% evaluable", math.Floor(100*float64(p.Done-p.Faults)/float64(p.Done)))
	}
	say("%d running", p.Running)
	say("%d void", p.Faults)
	if !p.Scripted {
		out = append(out, p.dollars())
	}
	switch {
	case p.Done == 0:
		say("%s so far", about(p.Elapsed))
	case p.Done < p.Planned:
		say("%s left", about(p.Elapsed/time.Duration(p.Done)*time.Duration(p.Planned-p.Done)))
	}
	if p.Pending > 0 {
		say("%d unscored", p.Pending)
	}
	waiting := fmt.Sprintf("%d waiting", p.Waiting)
	if p.Pace > 0 {
		waiting += fmt.Sprintf(" (slowed to %s calls/s)", short(p.Pace))
	}
	if p.Waiting > 0 || p.Pace > 0 {
		out = append(out, waiting)
	}
	if p.Retrying > 0 {
		say("%d retrying", p.Retrying)
	}
	if p.Oldest >= longCall {
		say("oldest call %s", p.Oldest.Round(time.Second))
	}
	if s := p.Elapsed.Seconds(); s > 0 && p.Done > 0 {
		say("%s trials/min", short(float64(p.Done)/s*60))
	}
	if p.CallRate > 0 {
		say("%s calls/s", short(p.CallRate))
	}
	tokens := "?"
	if p.Tokens != nil {
		tokens = short(float64(*p.Tokens))
	}
	say("%s tokens", tokens)
	if p.Replayed > 0 {
		replayed := short(float64(p.Replayed)) + " answers replayed"
		if !p.Scripted {
			replayed += ", which cost " + dollars(p.WouldCost) + " when they were recorded"
		}
		out = append(out, replayed)
	}
	return out
}

// dollars is what was spent, and what all of it will come to if the rest costs as much for each trial.
func (p Progress) dollars() string {
	out := dollars(p.Cost)
	if p.Billed {
		out += " (billed)"
	}
	if p.Cost != nil && *p.Cost > 0 && p.Done > 0 && p.Done < p.Planned {
		forecast := *p.Cost / float64(p.Done) * float64(p.Planned)
		out += " of ~" + dollars(&forecast)
	}
	return out
}

func dollars(v *float64) string {
	if v == nil {
		return "$?"
	}
	if *v >= 10 {
		return fmt.Sprintf("$%.0f", *v)
	}
	return fmt.Sprintf("$%.2f", *v)
}

// about is a time to two digits or so: 42s, 12m, 3h20m.
func about(d time.Duration) string {
	unit := time.Second
	if d >= 2*time.Minute {
		unit = time.Minute
	}
	out := d.Round(unit).String()
	if unit == time.Minute {
		out = strings.TrimSuffix(out, "0s")
	}
	return out
}

// longCall is from when on the oldest call under way is worth a word.
const longCall = 10 * time.Second

// rateSpan is how far back the rate of calls looks.
const rateSpan = 10 * time.Second

// rateMeter computes the rate of something that is counted, over the last seconds. Used from one goroutine.
type rateMeter struct{ seen []sighting }

type sighting struct {
	at    time.Time
	count int64
}

// rate takes in how many there are now, and returns how many came per second of late.
func (r *rateMeter) rate(now time.Time, count int64) float64 {
	r.seen = append(r.seen, sighting{now, count})
	for len(r.seen) > 2 && now.Sub(r.seen[1].at) >= rateSpan {
		r.seen = r.seen[1:]
	}
	first := r.seen[0]
	if d := now.Sub(first.at).Seconds(); d > 0 {
		return float64(count-first.count) / d
	}
	return 0
}

// short writes a number with about three digits: 950, 12.3k, 4.56M.
func short(n float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.3g%s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", n)
}

// NewReporter shows progress on f, which is stderr as a rule: one line that is drawn again and again if f is a terminal, else
// a line every minute. On a terminal that cannot go back in a line, or in CI, getenv says so, and lines it is. Lines and
// warnings are written to text, which leads to f and keeps what servers say from steering the terminal.
func NewReporter(f *os.File, text io.Writer, getenv func(string) string) Reporter {
	if term.IsTerminal(int(f.Fd())) && getenv("CI") == "" && getenv("TERM") != "dumb" {
		return &live{out: f, text: text}
	}
	return NewLineReporter(text)
}

// NewLineReporter writes progress as plain lines.
func NewLineReporter(w io.Writer) Reporter { return &lines{out: w, last: -lineEvery} }

// NewWarningReporter writes warnings and nothing else.
func NewWarningReporter(w io.Writer) Reporter { return &warnings{out: w} }

type lines struct {
	out       io.Writer
	last      time.Duration
	lastFault string
	warned    int // warnings that were shown
}

// Update writes a line if it is time for one. What cannot be written is not worth stopping for.
func (l *lines) Update(p Progress) {
	l.warned = warn(l.out, p, l.warned)
	if p.LastFault != "" && p.LastFault != l.lastFault {
		l.lastFault = p.LastFault
		fmt.Fprintf(l.out, "%s: void trial: %s\n", p.Name, p.LastFault)
	}
	if !p.Final && p.Elapsed-l.last < lineEvery {
		return
	}
	l.last = p.Elapsed
	fmt.Fprintln(l.out, p.Line())
}

type warnings struct {
	out    io.Writer
	warned int
}

func (w *warnings) Update(p Progress) { w.warned = warn(w.out, p, w.warned) }

// warn shows the warnings from the given one on, and returns how many there are.
func warn(w io.Writer, p Progress, from int) int {
	for _, text := range p.Warnings[min(from, len(p.Warnings)):] {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	return len(p.Warnings)
}

// live draws one line again and again: what there is to say, and a bar in what room it leaves.
type live struct {
	out    *os.File
	text   io.Writer
	bar    *progressbar.ProgressBar
	warned int
}

// The columns of the bar at most, and those of the percentage and the spaces around it.
const (
	barWidth   = 20
	frameWidth = len(" 100%   ")
)

// Update draws the line anew. A terminal that is gone shows nothing.
func (l *live) Update(p Progress) {
	if l.bar == nil {
		l.bar = progressbar.NewOptions(max(1, p.Planned), progressbar.OptionSetWriter(l.out), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}))
	}
	if len(p.Warnings) > l.warned {
		_ = l.bar.Clear()
		l.warned = warn(l.text, p, l.warned)
	}
	width, _, err := term.GetSize(int(l.out.Fd()))
	if err != nil || width == 0 {
		width = 80
	}
	l.bar.Describe(p.fitting(width - frameWidth))
	_ = l.bar.Set(p.Done)
	if p.Final {
		_ = l.bar.Exit()
		fmt.Fprintln(l.out)
	}
}

// fitting is as much of what there is to say as a line has room for: one that wraps cannot be drawn over.
func (p Progress) fitting(room int) (line string) {
	for i, part := range p.parts() {
		if i > 0 {
			part = line + ", " + part
		}
		if terminal.Columns(part) > room {
			break
		}
		line = part
	}
	return line
}
