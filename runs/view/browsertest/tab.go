package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Look is how a tab shows pages. The zero value is a wide and light one.
type Look struct {
	Width, Height int64 // in pixels
	Dark          bool
	NoScript      bool
}

func (l Look) String() string {
	theme := "light"
	if l.Dark {
		theme = "dark"
	}
	return fmt.Sprintf("%dx%d-%s", l.Width, l.Height, theme)
}

// Wide, Medium and Narrow are the sizes that every page must do well at.
var (
	Wide   = Look{Width: 1400, Height: 900}
	Medium = Look{Width: 1100, Height: 800}
	Narrow = Look{Width: 390, Height: 844}
)

// Looks are all sizes in both themes.
func Looks() []Look {
	var all []Look
	for _, l := range []Look{Wide, Medium, Narrow} {
		all = append(all, l)
		l.Dark = true
		all = append(all, l)
	}
	return all
}

// Tab is a tab of the browser that belongs to a test. Whatever its pages do wrong fails the test.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	from     string // what the pages may load from: a server, or a folder
	problems []string
}

// New opens a tab. It skips the test where no browser is installed.
func New(t testing.TB, l Look) *Tab {
	t.Helper()
	if l.Width == 0 {
		l.Width, l.Height = Wide.Width, Wide.Height
	}
	b := &Tab{t: t}
	ctx, closeTab := chromedp.NewContext(started(t), chromedp.WithListener(b.note))
	t.Cleanup(closeTab)
	if end, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := end.Deadline(); ok { // that of go test, which would not say what was waited for
			var stop context.CancelFunc
			ctx, stop = context.WithDeadline(ctx, at.Add(-10*time.Second))
			t.Cleanup(stop)
		}
	}
	b.ctx = ctx
	theme := "light"
	if l.Dark {
		theme = "dark"
	}
	b.Do(call(log.Enable, cdp.Empty{}), call(network.Enable, network.EnableParams{}),
		call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: 1}),
		call(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.NoScript}),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}))
	t.Cleanup(b.check)
	return b
}

// call is a command of the browser as an action.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// icon is what browsers ask every server for, unasked.
const icon = "/favicon.ico"

// note keeps what a page must not do.
func (b *Tab) note(event any) {
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		b.problem("a dialog: %s %q", e.Type, e.Message)
		go func() { _, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) }()
	case *page.EventWindowOpen:
		b.problem("a window: %s", e.URL)
	case *runtime.EventExceptionThrown:
		b.problem("an exception: %v", &chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails})
	case *runtime.EventConsoleAPICalled:
		var said []string
		for _, a := range e.Args {
			said = append(said, string(a.Value)+a.Description)
		}
		b.problem("the console: %s %s", e.Type, strings.Join(said, " "))
	case *log.EventEntryAdded: // breaches of the policy among them
		if !strings.HasSuffix(e.Entry.URL, icon) {
			b.problem("the log: %s %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.mu.Lock()
		from := b.from
		b.mu.Unlock()
		if !strings.HasPrefix(e.Request.URL, from) {
			b.problem("a request: %s", e.Request.URL)
		}
	}
}

func (b *Tab) problem(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// check fails the test for what its pages did wrong.
func (b *Tab) check() {
	b.t.Helper()
	for _, p := range b.Problems() {
		b.t.Errorf("a page made %s", p)
	}
}

// Problems returns what the pages did wrong, and forgets it: for tests that expect something.
func (b *Tab) Problems() []string {
	_ = chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void]("0")) // what happened before is told before the answer
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.problems
	b.problems = nil
	return all
}

// Do runs actions of chromedp.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Open loads the page at an address, which may be of a file, and waits until it is there whole. Pages may load from the
// same server, or from the same folder and those in it.
func (b *Tab) Open(address string) {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	from := u.Scheme + "://" + u.Host + "/"
	if u.Scheme == "file" {
		from = "file://" + filepath.ToSlash(filepath.Dir(u.Path)) + "/"
	}
	b.mu.Lock()
	if !strings.HasPrefix(address, b.from) || b.from == "" {
		b.from = from
	}
	b.mu.Unlock()
	b.Do(chromedp.Navigate(address))
}

// Eval evaluates an expression in the page.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// Text is what a reader sees of the first element that a selector finds.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return Eval[string](b, "document.querySelector("+quote(selector)+").innerText")
}

// Until waits for a condition of the page, an expression, across loads. It has no limit of its own.
func (b *Tab) Until(condition string) {
	b.t.Helper()
	look := "new Promise(done => { const look = () => (" + condition + ") ? done(true) : setTimeout(look, 10); look() })"
	var err error
	for b.ctx.Err() == nil {
		if _, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise)); err == nil {
			return
		}
		if threw := (*chromedp.ExceptionError)(nil); errors.As(err, &threw) {
			break // other errors come from a load in between
		}
	}
	b.check()
	b.t.Fatalf("waited for %s: %v", condition, err)
}

// Click clicks on the first element that a selector finds, once it is visible.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Follow clicks on a link and waits for the page that it leads to.
func (b *Tab) Follow(selector string) {
	b.t.Helper()
	b.loads(chromedp.Click(chromedp.CSS(selector)), "a click on "+selector)
}

// FollowKey presses a key that leads to another page, and waits for it.
func (b *Tab) FollowKey(key string) {
	b.t.Helper()
	b.loads(press(key), "the key "+key)
}

// FollowScript runs a script that leads to another page, and waits for it.
func (b *Tab) FollowScript(script string) {
	b.t.Helper()
	b.loads(chromedp.Evaluate[chromedp.Void](script), script)
}

func (b *Tab) loads(do chromedp.Action[chromedp.Void], what string) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, do); err != nil {
		b.t.Fatalf("the page that %s leads to: %v", what, err)
	}
}

// Press presses keys one after the other: letters, or those of package kb.
func (b *Tab) Press(keys string) {
	b.t.Helper()
	b.Do(press(keys))
}

// press has a letter come with its key, as a keyboard does: a page that takes the key for itself keeps the letter out of fields.
func press(keys string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			events := kb.Encode(r)
			down, up := events[0], events[len(events)-1]
			if len(events) == 3 {
				down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			}
			for _, e := range []*input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Keys that have no letter.
const (
	Enter  = kb.Enter
	Escape = kb.Escape
	TabKey = kb.Tab
)

// Fits fails the test where the page is wider than its window.
func (b *Tab) Fits() {
	b.t.Helper()
	out := Eval[struct {
		Width, Window int
		Wide          []string
		At            string
	}](b, `(() => { const e = document.documentElement, w = e.clientWidth;
		const name = n => n.tagName.toLowerCase() + (n.id ? '#' + n.id : '') + [...n.classList].map(c => '.' + c).join('');
		const boxed = n => { for (n = n.parentElement; n && n !== document.body; n = n.parentElement) if (getComputedStyle(n).overflowX !== 'visible') return true; return false };
		return {At: location.href, Width: e.scrollWidth, Window: w, Wide: e.scrollWidth <= w ? [] : [...document.body.querySelectorAll('*')].filter(n => n.getBoundingClientRect().right > w + 1 && !boxed(n)).slice(0, 8).map(name)} })()`)
	if out.Width > out.Window {
		b.t.Errorf("%s scrolls sideways: %d pixels in a window of %d: %s", out.At, out.Width, out.Window, strings.Join(out.Wide, ", "))
	}
}

// Shoot writes a picture of what the window shows (PNG).
func (b *Tab) Shoot(file string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// quote makes a literal of JavaScript.
func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
