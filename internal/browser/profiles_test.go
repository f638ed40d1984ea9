package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gradsync/internal/oktest"
	"gradsync/internal/repo"
	"gradsync/reports"
)

// quick copies a document's results of profile quick into a new folder.
func quick(paper string) (results string, err error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(root, "experiments", "results", paper, "*.json"))
	if err != nil || len(files) < 2 {
		return "", fmt.Errorf("%d results of %s: %v", len(files), paper, err)
	}
	if results, err = os.MkdirTemp(scratch, "results"); err != nil {
		return "", err
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err == nil {
			err = write(filepath.Join(results, paper, filepath.Base(file)), raw)
		}
		if err != nil {
			return "", err
		}
	}
	return results, nil
}

func write(file string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// twoProfiles renders the pages of the ring, once, with every result of profile quick under the
// name of standard too: only the switch between them is looked at.
var twoProfiles = sync.OnceValues(func() (out string, err error) {
	results, err := quick("ring")
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(results, "ring", "*.json"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if other := bytes.Replace(raw, []byte(`"profile": "quick"`), []byte(`"profile": "standard"`), 1); !bytes.Equal(other, raw) { // records of runs stay
			if err := write(filepath.Join(results, "ring", "standard", filepath.Base(file)), other); err != nil {
				return "", err
			}
		}
	}
	if out, err = os.MkdirTemp(scratch, "pages"); err != nil {
		return "", err
	}
	_, err = reports.Render(reports.Options{Results: results, Out: out})
	return out, err
})

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

// shows demands one profile of a page, and all its plots.
func shows(b *tab, when, profile string) {
	b.t.Helper()
	if s := eval[sides](b, sidesScript); s.Chosen != profile || len(s.Shown) != 1 || s.Shown[0] != profile {
		b.t.Errorf("%s: %q is chosen and %q shown, want %q", when, s.Chosen, s.Shown, profile)
	}
	for _, bad := range eval[[]string](b, `(`+plotless+`)()`) {
		b.t.Errorf("%s: %s", when, bad)
	}
}

// TestProfiles: a page of two profiles shows one, a click or an arrow key the other; the
// choice is kept on the next page, and a link to what the other profile shows chooses it.
func TestProfiles(t *testing.T) {
	t.Parallel()
	started(t)
	pages := oktest.Must(twoProfiles())(t)
	b := newTab(t)
	open := func(page string) { b.open(filepath.Join(pages, page)) }
	open("ring/cost.html")
	shows(b, "at first", "standard")
	b.click(`label[for="show-quick"]`)
	b.frames(2)
	shows(b, "after a click", "quick")
	open("ring/scaling.html")
	shows(b, "on another result's page", "quick")
	open("ring/claims.html")
	shows(b, "on the list of claims", "quick")
	eval[any](b, `document.querySelector("input.profile:checked").focus()`)
	b.press(kb.ArrowLeft)
	shows(b, "after an arrow key", "standard")
	open("ring/cost.html")
	shows(b, "on the first page again", "standard")
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
	pages := oktest.Must(twoProfiles())(t)
	b := newTab(t)
	page := filepath.Join(pages, "ring", "cost.html")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(page)
	for _, profile := range []string{"standard", "quick"} {
		b.click(`label[for="show-` + profile + `"]`)
		if s := eval[sides](b, sidesScript); s.Chosen != profile || len(s.Shown) != 1 || s.Shown[0] != profile {
			t.Errorf("after a click on %s %q is chosen and %q shown", profile, s.Chosen, s.Shown)
		}
	}
}
