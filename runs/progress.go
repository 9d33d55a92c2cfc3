package runs

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// How often progress is looked at, and how often it is said where there is no terminal.
const (
	reportEvery = 250 * time.Millisecond
	lineEvery   = 5 * time.Second
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
	if len(x.progress.Warnings) > 0 {
		r.Update(x.snapshot(false)) // before anything is spent
	}
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
func (p Progress) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d/%d done, %d running", p.Name, p.Done, p.Planned, p.Running)
	p.details(&b)
	return b.String()
}

func (p Progress) details(b *strings.Builder) {
	if p.Waiting > 0 {
		fmt.Fprintf(b, ", %d waiting", p.Waiting)
	}
	if p.Pace > 0 {
		fmt.Fprintf(b, " (slowed to %s calls/s)", short(p.Pace))
	}
	if p.Retrying > 0 {
		fmt.Fprintf(b, ", %d retrying", p.Retrying)
	}
	if p.Oldest >= longCall {
		fmt.Fprintf(b, ", oldest call %s", p.Oldest.Round(time.Second))
	}
	fmt.Fprintf(b, ", %d void", p.Faults)
	if p.Pending > 0 {
		fmt.Fprintf(b, ", %d unscored", p.Pending)
	}
	if s := p.Elapsed.Seconds(); s > 0 && p.Done > 0 {
		fmt.Fprintf(b, ", %s trials/min", short(float64(p.Done)/s*60))
	}
	if p.CallRate > 0 {
		fmt.Fprintf(b, ", %s calls/s", short(p.CallRate))
	}
	tokens := "?"
	if p.Tokens != nil {
		tokens = short(float64(*p.Tokens))
	}
	fmt.Fprintf(b, ", %s tokens, $%s", tokens, dollars(p.Cost))
	if p.Billed {
		b.WriteString(" (billed)")
	}
	if p.Replayed > 0 {
		fmt.Fprintf(b, "; %s answers replayed, which cost $%s when they were recorded", short(float64(p.Replayed)), dollars(p.WouldCost))
	}
}

func dollars(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.2f", *v)
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

// NewReporter shows progress on f, which is stderr as a rule: a bar if f is a terminal, else a plain line every few
// seconds. On a terminal without colours, or in CI, getenv says so, and lines it is. Lines and warnings are written to
// text, which leads to f and keeps what servers say from steering the terminal; the bar steers it itself.
func NewReporter(f *os.File, text io.Writer, getenv func(string) string) Reporter {
	if term.IsTerminal(int(f.Fd())) && getenv("CI") == "" && getenv("TERM") != "dumb" {
		return &bar{out: f, text: text}
	}
	return NewLineReporter(text)
}

// NewLineReporter writes progress as plain lines.
func NewLineReporter(w io.Writer) Reporter { return &lines{out: w} }

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

// warn shows the warnings from the given one on, and returns how many there are.
func warn(w io.Writer, p Progress, from int) int {
	for _, text := range p.Warnings[min(from, len(p.Warnings)):] {
		fmt.Fprintf(w, "%s: warning: %s\n", p.Name, text)
	}
	return len(p.Warnings)
}

// bar draws a progress bar.
type bar struct {
	out    *os.File
	text   io.Writer
	bar    *progressbar.ProgressBar
	warned int
}

// barWidth is what the bar takes of a line, percentage, count and times included.
const (
	barWidth   = 24
	frameWidth = barWidth + 40
)

// fitting cuts a text to what the line has room for: a line that wraps cannot be drawn over.
func (b *bar) fitting(text string) string {
	width, _, err := term.GetSize(int(b.out.Fd()))
	if room := max(0, width-frameWidth); err == nil && width > 0 && len(text) > room {
		return text[:room]
	}
	return text
}

// Update redraws the bar.
func (b *bar) Update(p Progress) {
	if len(p.Warnings) > b.warned {
		if b.bar != nil {
			_ = b.bar.Clear() // a terminal that is gone shows nothing
		}
		b.warned = warn(b.text, p, b.warned)
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions(max(1, p.Planned), progressbar.OptionSetWriter(b.out), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionShowDescriptionAtLineEnd(), progressbar.OptionUseANSICodes(true))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d running", p.Name, p.Running)
	p.details(&text)
	b.bar.Describe(b.fitting(text.String()))
	_ = b.bar.Set(p.Done) // a terminal that is gone shows nothing
	if p.Final {
		_ = b.bar.Exit()
		fmt.Fprintln(b.out)
	}
}
