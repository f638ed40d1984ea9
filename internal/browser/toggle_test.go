package browser

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// state holds the two choices that a page remembers, as a reader sees them.
type state struct{ Background, Theme, Lang string }

const stateScript = `({
	background: getComputedStyle(document.body).backgroundColor,
	theme: document.getElementById("theme").textContent.trim(),
	lang: document.documentElement.lang,
})`

// worked are the results' pages that a reader works: those with widgets, many
// folds. The others hold nothing that these do not.
var worked = []string{
	"ring/steps.html", "ringsparse/decisions.html", "dasp/walk.html", "dasp/fig3.html", "codedsgd/fig2.html", "compare/when.html", // the rest with GRADSYNC_LONG
	"ring/cost.html", "ringsparse/overlap.html", "dasp/fig2.html", "dasp/dynamic.html", "codedsgd/fig4.html", "codedsgd/accounting.html",
}

// TestUse: what a reader of a page does with it, by keyboard and pointer: texts are
// copied, widgets worked, the theme and the language chosen, and
// both are still chosen after a reload. One tab and two loads a page; one page after
// another, since the clipboard is one and what plays is timed.
func TestUse(t *testing.T) {
	widget, played := 0, 0
	for _, page := range committed(t) {
		if at := slices.Index(worked, page); strings.Contains(page, "/") && (at < 0 || !long && at >= 6) {
			continue
		}
		t.Run(page, func(t *testing.T) {
			b := newTab(t)
			file := filepath.Join(folder(t), page)
			b.open(file)
			b.step("keyboard", keyboard)
			b.unfold(true)
			b.step("copies", copies)
			b.step("themes", themes)
			speaks(b, "en", "zh")
			eval[any](b, `document.getElementById("lang").click()`)
			speaks(b, "zh", "en")
			eval[any](b, `document.getElementById("theme").click()`)
			chosen := eval[state](b, stateScript)
			b.open(file)
			if after := eval[state](b, stateScript); after != chosen {
				t.Errorf("after a reload: %+v, want %+v", after, chosen)
			}
			speaks(b, "zh", "en")
			eval[any](b, `document.getElementById("lang").click()`)
			speaks(b, "en", "zh")
			b.unfold(true)
			b.step("widgets", func(b *tab) {
				n, plays := widgets(b)
				widget, played = widget+n, played+plays
			})
		})
	}
	if widget < 8 || played < 4 {
		t.Errorf("%d widgets are worked, %d buttons play; want at least 8 and 4", widget, played)
	}
}

// themes: the button goes from the system's theme to light to dark and back, each with
// its background. It leaves the system dark.
func themes(b *tab) {
	b.t.Helper()
	light := eval[state](b, stateScript)
	b.media("screen", "prefers-color-scheme", "dark")
	dark := eval[state](b, stateScript)
	if light.Background == dark.Background {
		b.t.Fatalf("the system's dark theme has the background of the light one, %s", light.Background)
	}
	seen := map[string]bool{dark.Theme: true}
	for i, want := range []string{light.Background, dark.Background, dark.Background} {
		eval[any](b, `document.getElementById("theme").click()`)
		now := eval[state](b, stateScript)
		if now.Background != want {
			b.t.Errorf("after %d clicks, in a dark system, the background is %s, want %s", i+1, now.Background, want)
		}
		if again := seen[now.Theme]; again != (i == 2) {
			b.t.Errorf("after %d clicks the button says %q; seen before: %t", i+1, now.Theme, again)
		}
		seen[now.Theme] = true
	}
}

// speaks demands texts of one language and none of the other.
func speaks(b *tab, lang, other string) {
	b.t.Helper()
	r := eval[struct {
		Lang        string
		Shown, Lost int
		Others      []string
	}](b, `(function () {
		var shown = e => e.checkVisibility({ visibilityProperty: true });
		var mine = [...document.querySelectorAll(".`+lang+`")], others = [...document.querySelectorAll(".`+other+`")];
		return {
			lang: document.documentElement.lang,
			shown: mine.filter(shown).length,
			// Hidden although all around it is visible.
			lost: mine.filter(e => !shown(e) && shown(e.parentElement) && getComputedStyle(e).display === "none").length,
			others: others.filter(shown).slice(0, 5).map(e => e.outerHTML.slice(0, 120)),
		};
	})()`)
	if len(r.Lang) < 2 || r.Lang[:2] != lang {
		b.t.Errorf("the document's language is %q, want %q", r.Lang, lang)
	}
	if r.Shown < 3 || r.Lost > 0 {
		b.t.Errorf("in %q %d texts are visible and %d hidden, want at least 3 and none", lang, r.Shown, r.Lost)
	}
	for _, o := range r.Others {
		b.t.Errorf("in %q a text of %q is visible: %s", lang, other, o)
	}
}
