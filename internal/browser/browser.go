// Package browser opens pages in a headless Chromium, for tests.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// limit ends a browser that hangs.
const limit = 100 * time.Second

// Find returns the path of the browser that CADENCE_BROWSER names or, without it, of the
// first on the path, and "" if there is none.
func Find() string {
	names := []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "headless-shell"}
	if path := os.Getenv("CADENCE_BROWSER"); path != "" {
		names = []string{path}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Page is a tab of a browser, with what it asked for and what went wrong in it.
type Page struct {
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

// Open opens a tab that ends with the test. Without a browser the test is skipped, unless
// CADENCE_REQUIRE_BROWSER is set: then it fails.
func Open(t *testing.T) *Page {
	t.Helper()
	path := Find()
	if path == "" {
		const why = "no browser: `make chromium` installs one, and CADENCE_BROWSER names one elsewhere"
		if os.Getenv("CADENCE_REQUIRE_BROWSER") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.WSURLReadTimeout(limit))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with it
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &Page{ctx: ctx}
	chromedp.ListenTarget(ctx, p.listen)
	p.Do(t, network.Enable(), log.Enable(), runtime.Enable(), emulation.SetFocusEmulationEnabled(true))
	return p
}

func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning || e.Type == runtime.APITypeAssert {
			var said []string
			for _, a := range e.Args {
				said = append(said, string(a.Value))
			}
			p.errors = append(p.errors, fmt.Sprintf("console: %s", strings.Join(said, " ")))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			p.errors = append(p.errors, e.Entry.Text)
		}
	}
}

// Do runs actions, and ends the test when one fails.
func (p *Page) Do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		t.Fatalf("in the browser: %v; the console has %q", err, p.Errors())
	}
}

// Eval evaluates a JavaScript expression and returns its value.
func Eval[T any](t *testing.T, p *Page, expression string) T {
	t.Helper()
	var v T
	p.Do(t, chromedp.Evaluate(expression, &v))
	return v
}

// Wait waits until a JavaScript expression is true.
func (p *Page) Wait(t *testing.T, expression string) {
	t.Helper()
	p.Do(t, chromedp.Poll(expression, nil, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(limit)))
}

// Requests returns the addresses that the page asked for, itself included.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.requests...)
}

// Forget forgets the requests and the errors so far.
func (p *Page) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.errors = nil, nil
}

// Errors returns what the console has: exceptions, errors, warnings, and what the
// page's own policy forbade.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.errors...)
}
