package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gradsync/internal/repo"
	"gradsync/reports"
)

// quick copies a document's results of profile quick into a new folder.
func quick(t *testing.T, paper string) (results string) {
	t.Helper()
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "experiments", "results", paper, "*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d results of %s: %v", len(files), paper, err)
	}
	results = t.TempDir()
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(results, paper, filepath.Base(file)), raw)
	}
	return results
}

func write(t *testing.T, file string, raw []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// twoProfiles renders the pages of the ring with every result of profile quick under the
// name of standard too: only the switch between them is looked at.
func twoProfiles(t *testing.T) (out string) {
	t.Helper()
	results := quick(t, "ring")
	out = t.TempDir()
	files, err := filepath.Glob(filepath.Join(results, "ring", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if other := bytes.Replace(raw, []byte(`"profile": "quick"`), []byte(`"profile": "standard"`), 1); !bytes.Equal(other, raw) { // records of runs stay
			write(t, filepath.Join(results, "ring", "standard", filepath.Base(file)), other)
		}
	}
	if _, err := reports.Render(reports.Options{Results: results, Out: out}); err != nil {
		t.Fatal(err)
	}
	return out
}

// sides are the profiles that a page shows, and the one whose button is chosen.
type sides struct {
	Chosen string
	Shown  []string
}

const sidesScript = `({
	chosen: document.querySelector("input.profile:checked").value,
	shown: [...new Set([...document.querySelectorAll(".profiled")].filter(e => e.checkVisibility())
		.map(e => [...e.classList].find(c => c.startsWith("p-")).slice(2)))],
})`

// shows demands one profile of a page, and all its charts drawn.
func shows(b *tab, when, profile string) {
	b.t.Helper()
	if s := eval[sides](b, sidesScript); s.Chosen != profile || len(s.Shown) != 1 || s.Shown[0] != profile {
		b.t.Errorf("%s: %q is chosen and %q shown, want %q", when, s.Chosen, s.Shown, profile)
	}
	all := eval[int](b, `[...document.querySelectorAll("figure.chart")].filter(f => f.checkVisibility()).length`)
	if n := b.drawn(); n != all {
		b.t.Errorf("%s: %d of %d charts are drawn", when, n, all)
	}
}

// TestProfiles: a page of two profiles shows one, a click or an arrow key the other; the
// choice is kept on the next page, and a link to what the other profile shows chooses it.
func TestProfiles(t *testing.T) {
	t.Parallel()
	started(t)
	pages := twoProfiles(t)
	b := newTab(t)
	open := func(page string) { b.open(filepath.Join(pages, page)) }
	open("ring/cost.html")
	shows(b, "at first", "quick")
	b.click(`label[for="show-standard"]`)
	b.frames(2)
	shows(b, "after a click", "standard")
	open("ring/scaling.html")
	shows(b, "on another result's page", "standard")
	open("ring.html")
	shows(b, "on the document's page", "standard")
	eval[any](b, `document.querySelector("input.profile:checked").focus()`)
	b.press(kb.ArrowLeft)
	shows(b, "after an arrow key", "quick")
	open("ring/cost.html")
	shows(b, "on the first page again", "quick")
	for _, link := range []struct{ to, profile string }{{"#cost-standard", "standard"}, {"#cost", "quick"}, {"#cost-standard-naive", "standard"}} {
		eval[any](b, `location.hash = `+js(link.to))
		b.frames(4)
		if top := eval[float64](b, `document.querySelector(location.hash).getBoundingClientRect().top`); top < -5 || top > 900 {
			t.Errorf("after a link to %s it stands at %g px of a window of 900", link.to, top)
		}
		shows(b, "after a link to "+link.to, link.profile)
	}
	do(b, chromedp.Navigate(address(filepath.Join(pages, "ring", "scaling.html"))+"#scaling-standard"))
	shows(b, "opened by a link", "standard")
}

// TestProfilesWithoutScripts: the switch needs no script.
func TestProfilesWithoutScripts(t *testing.T) {
	t.Parallel()
	started(t)
	b := newTab(t)
	page := filepath.Join(twoProfiles(t), "ring", "cost.html")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(page)
	for _, profile := range []string{"standard", "quick"} {
		b.click(`label[for="show-` + profile + `"]`)
		if s := eval[sides](b, sidesScript); s.Chosen != profile || len(s.Shown) != 1 || s.Shown[0] != profile {
			t.Errorf("after a click on %s %q is chosen and %q shown", profile, s.Chosen, s.Shown)
		}
	}
}
