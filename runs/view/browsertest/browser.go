// Package browsertest shows pages to tests in a real browser without a window, and fails a test whose page does what no
// page of ours may: ask with a dialog, report an error, break its policy, or load anything from elsewhere.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Env names the program to use instead of the one that is installed.
const Env = "TAUGUIDE_BROWSER"

// names are what a Chromium may be called.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// browser is the one of this test process, started by the first test that needs it.
var browser struct {
	sync.Mutex
	ctx  context.Context
	stop context.CancelFunc
}

// Close ends the browser, if any. TestMain calls it.
func Close() {
	browser.Lock()
	defer browser.Unlock()
	if browser.stop != nil {
		browser.stop()
		browser.ctx, browser.stop = nil, nil
	}
}

// started returns the browser's context. A test skips where none is installed, and .ci/run fails if one does.
func started(t testing.TB) context.Context {
	t.Helper()
	path := os.Getenv(Env)
	for i := 0; path == "" && i < len(names); i++ {
		path, _ = exec.LookPath(names[i])
	}
	if path == "" {
		t.Skipf("no browser found: install Debian's chromium, or name one in %s", Env)
	}
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(5*time.Minute),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.Flag("hide-scrollbars", false))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // it does not start for root otherwise
		}
		ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ = chromedp.NewContext(ctx)
		if err := chromedp.Do(ctx); err != nil {
			stop()
			t.Fatalf("start %s: %v", path, err)
		}
		browser.ctx, browser.stop = ctx, func() { _ = chromedp.Cancel(ctx); stop() }
	}
	return browser.ctx
}
