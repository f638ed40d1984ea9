package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"gradsync/internal/oktest"
)

// patience is how long one step in a page may take on a busy machine.
const patience = 4 * time.Minute

// tab is a page in a profile of its own, with what it logged and asked for.
type tab struct {
	t    *testing.T
	ctx  context.Context
	stop func()

	mu       sync.Mutex
	troubles []string // warnings, errors, exceptions, broken policy
	requests []string // addresses
}

// spare are the tabs that tests have done with. A tab costs a process and a profile, which is
// more than most pages cost in it.
var spare struct {
	mu   sync.Mutex
	tabs []*tab
}

// newTab returns a tab of 1280 by 900 that remembers nothing of other tests, until the test ends.
// What it logs fails the test then.
func newTab(t *testing.T) *tab {
	t.Helper()
	started(t)
	spare.mu.Lock()
	var b *tab
	if n := len(spare.tabs); n > 0 {
		b, spare.tabs = spare.tabs[n-1], spare.tabs[:n-1]
	}
	spare.mu.Unlock()
	if b == nil {
		b = &tab{t: t}
		b.ctx, b.stop = chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.listen))
		oktest.Nil(t, chromedp.Do(b.ctx))
		// Not needed here, and slow on large pages.
		call(b, css.Disable, cdp.Empty{})
		call(b, dom.Disable, cdp.Empty{})
		call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	}
	b.mu.Lock()
	b.t, b.troubles, b.requests = t, nil, nil
	b.mu.Unlock()
	b.size(1280, 900)
	t.Cleanup(func() { b.leave(t) })
	return b
}

// leave forgets what the page keeps and makes the tab a spare one; after a failure it is closed.
func (b *tab) leave(t *testing.T) {
	b.mu.Lock()
	troubles := slices.Clone(b.troubles)
	b.mu.Unlock()
	slices.Sort(troubles)
	for _, x := range slices.Compact(troubles) {
		t.Error("the page says: " + x)
	}
	if t.Failed() || t.Skipped() {
		b.stop()
		return
	}
	b.media("")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
	eval[any](b, `localStorage.clear(), sessionStorage.clear()`)
	spare.mu.Lock()
	spare.tabs = append(spare.tabs, b)
	spare.mu.Unlock()
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.troubles = append(b.troubles, "uncaught: "+(&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			b.troubles = append(b.troubles, fmt.Sprintf("console.%s: %s", e.Type, words(e.Args)))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.troubles = append(b.troubles, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

func words(args []*runtime.RemoteObject) string {
	var out []string
	for _, a := range args {
		out = append(out, a.Description+string(a.Value))
	}
	return strings.Join(out, " ")
}

func (b *tab) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.requests...)
}

// do takes a step and returns its value.
func do[T any](b *tab, step chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return oktest.Must(chromedp.Run(ctx, step))(b.t)
}

// call sends a command of the protocol to the tab.
func call[P, R any](b *tab, c cdp.Command[P, R], p P) R {
	b.t.Helper()
	return do(b, func(ctx context.Context, x *chromedp.Target) (R, error) { return cdp.Call(ctx, x, c, p) })
}

// eval is the value of an expression, or of the promise that it is.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	return do(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// js is a Go value as an expression.
func js(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// open loads a file and waits until it is there: on a busy machine the page before may answer for a moment after
// Navigate has returned.
func (b *tab) open(file string) {
	b.t.Helper()
	eval[any](b, `window.gradsyncBefore = true`)
	do(b, chromedp.Navigate(address(file)))
	for begun := time.Now(); !eval[bool](b, `!window.gradsyncBefore && document.readyState === "complete"`); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > patience {
			b.t.Fatalf("%s did not come", file)
		}
	}
}

func address(file string) string { return (&url.URL{Scheme: "file", Path: file}).String() }

// size sets the window; a phone's, when narrow.
func (b *tab) size(w, h int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: w, Height: h, DeviceScaleFactor: 1, Mobile: w < 600})
}

// media sets the medium ("screen", "print") and features such as
// prefers-color-scheme, given as name, value, name, value.
func (b *tab) media(medium string, features ...string) {
	b.t.Helper()
	p := emulation.SetEmulatedMediaParams{Media: medium}
	for i := 0; i < len(features); i += 2 {
		p.Features = append(p.Features, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	call(b, emulation.SetEmulatedMedia, p)
}

// frames waits until the page has been painted n times.
func (b *tab) frames(n int) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(async () => { for (let i = 0; i < %d; i++) await new Promise(requestAnimationFrame); return true; })()`, n))
}

// press types keys into what has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	do(b, chromedp.KeyEvent(keys))
}

// click clicks what a selector finds, where it stands.
func (b *tab) click(selector string) {
	b.t.Helper()
	box := eval[struct{ X, Y float64 }](b, `(function () {
		var e = document.querySelector(`+js(selector)+`);
		e.scrollIntoView({ block: "center" });
		var r = e.getBoundingClientRect();
		return { x: (r.left + r.right) / 2, y: (r.top + r.bottom) / 2 };
	})()`)
	do(b, chromedp.MouseClickXY(box.X, box.Y))
}

// step runs f as a test of its own in the tab, so that a failure names it and the next step is taken all the same.
func (b *tab) step(name string, f func(*tab)) {
	b.t.Helper()
	outer := b.t
	outer.Run(name, func(t *testing.T) {
		b.t = t
		defer func() { b.t = outer }()
		f(b)
	})
}

// unfold opens what is folded away, or closes it.
func (b *tab) unfold(open bool) {
	b.t.Helper()
	eval[any](b, `document.querySelectorAll("details.fold").forEach(d => d.open = `+js(open)+`)`)
}

// settled waits until the fonts are there and the page has been painted with them.
func (b *tab) settled() {
	b.t.Helper()
	eval[bool](b, `document.fonts.ready.then(() => true)`)
	b.frames(4)
}

// plotless is a function of a page that names the plots of the chosen profile, but for those in closed folds, of which
// nothing can be seen.
const plotless = `() => [...document.querySelectorAll("figure.plot")].filter(f => {
	if (f.closest("details:not([open])")) return false;
	const p = f.closest(".profiled"), d = f.querySelector(".area svg, .rows, .cells"), r = d && d.getBoundingClientRect();
	return (!p || p.checkVisibility()) && (!d || !d.checkVisibility() || r.width < 200 || r.height < 40);
}).map(f => "no drawing in " + f.id)`
