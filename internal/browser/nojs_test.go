package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// TestWithoutScripts: a reader without JavaScript sees every drawing, every row
// of every table of the chosen profile, no control that would do nothing, and can change
// the language. Without GRADSYNC_LONG every document and every fourth result.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	for i, page := range committed(t) {
		if !long && strings.Contains(page, "/") && i%4 != 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			b.open(filepath.Join(folder(t), page))
			for _, bad := range eval[[]string](b, `(function () {
				document.querySelectorAll("details.fold").forEach(d => d.open = true); // as a reader's click does
				var out = (`+plotless+`)(), shown = e => e.checkVisibility({ visibilityProperty: true });
				var name = e => e.localName + "#" + e.id + "." + e.className, unchosen = e => { var p = e.closest(".profiled"); return p && !shown(p); };
				if (document.documentElement.classList.contains("js")) out.push("a script ran");
				document.querySelectorAll("button, .needs-js, .widget, canvas, input:not(#lang, .profile)").forEach(e => {
					if (shown(e)) out.push("needs a script and is visible: " + name(e));
				});
				document.querySelectorAll("table").forEach(t => {
					if (t.closest("details:not(.rows, .fold)") || unchosen(t)) return;
					var rows = [...t.rows], lost = rows.filter(r => !shown(r) && !r.closest(".en, .zh")).length;
					if (lost) out.push(lost + " of " + rows.length + " rows are hidden in " + name(t));
				});
				return out.slice(0, 10);
			})()`) {
				t.Error(bad)
			}
			b.click("label:has(#lang), label[for=lang]")
			if n := eval[int](b, `[...document.querySelectorAll(".en")].filter(e => e.checkVisibility()).length`); n > 0 {
				t.Errorf("%d English texts are visible after a click on the language", n)
			}
			if n := eval[int](b, `[...document.querySelectorAll(".zh")].filter(e => e.checkVisibility()).length`); n == 0 {
				t.Error("no Chinese text is visible after a click on the language")
			}
		})
	}
}
