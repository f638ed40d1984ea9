package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// screens are how tall a result's page may be, in windows, by the window's width.
var screens = map[int64]float64{1280: 4, 390: 6}

// resultFaults lists what no result's page may have in a window: text below 12 px, an axis with fewer
// than three labels in sight, labels of one axis that touch, and what sticks out sideways.
const resultFaults = `(() => {
	const out = [], seen = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility === "visible";
	for (const e of document.querySelectorAll("main :not(math *)")) { // scripts of scripts are as small as formulas have them
		const says = [...e.childNodes].some(c => c.nodeType === 3 && c.data.trim());
		if (says && seen(e) && parseFloat(getComputedStyle(e).fontSize) < 12)
			out.push("small: " + e.className + " " + e.textContent.slice(0, 30));
	}
	const marks = (within, of) => [...document.querySelectorAll("main " + within)].map(a => [...a.querySelectorAll(":scope > " + of)]);
	const axes = marks(".axis", "i").concat(marks(".area:not(.lanes)", "u.x"), marks(".area:not(.lanes)", "u.y"));
	for (const labels of axes) {
		const there = labels.filter(seen);
		if (labels.length && labels.some(seen) && there.length < 3) out.push("an axis of " + there.map(e => e.textContent).join(", "));
		const boxes = there.map(e => e.getBoundingClientRect());
		boxes.forEach((r, i) => boxes.slice(i + 1).forEach(s => {
			const across = r.left < s.right && s.left < r.right, along = r.top < s.bottom - 3 && s.top < r.bottom - 3;
			if (across && along) out.push("labels touch: " + there.map(e => e.textContent).join(", "));
		}));
	}
	if (document.documentElement.scrollWidth > innerWidth) out.push("wider than the window: " + document.documentElement.scrollWidth);
	return [...new Set(out)].slice(0, 8);
})()`

// A result's page is short, and its figures can be read, in a window and on a phone.
func TestResultPagesAreShort(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(folder(t), "*", "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range pages {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), `class="one result-page"`) {
			continue
		}
		n++
		name := filepath.Base(filepath.Dir(page)) + "/" + filepath.Base(page)
		t.Run(name, func(t *testing.T) {
			b := newTab(t)
			said := fmt.Sprintf("%d KB", len(raw)/1000)
			for _, w := range []int64{1280, 390} {
				tall := int64(900)
				if w < 600 {
					tall = 844
				}
				b.size(w, tall)
				b.open(page)
				b.frames(2)
				has := eval[float64](b, `document.documentElement.scrollHeight`) / float64(tall)
				said += fmt.Sprintf(", %.1f screens of %d", has, w)
				if has > screens[w] {
					t.Errorf("%.1f screens at %d px, at most %v", has, w, screens[w])
				}
				for _, fault := range eval[[]string](b, resultFaults) {
					t.Errorf("at %d px: %s", w, fault)
				}
			}
			t.Logf("%s, %v elements", said, eval[int](b, `document.querySelectorAll("*").length`))
		})
	}
	if n < 50 {
		t.Errorf("%d pages of results", n)
	}
}
