package browser

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// saves lets the tab save files, and returns what waits for one under one of its names.
func (b *tab) saves() func(names ...string) []byte {
	b.t.Helper()
	dir, err := os.MkdirTemp("", "saved")
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { // Chromium may be about to write there
		for range 50 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		b.t.Error(err)
	})
	p := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, p); err != nil {
		b.t.Fatal(err)
	}
	return func(names ...string) []byte {
		b.t.Helper()
		for end := time.Now().Add(patience / 8); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			for _, name := range names {
				// Chromium writes under another name and renames.
				if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && len(text) > 0 {
					return text
				}
			}
		}
		var there []string
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			there = append(there, f.Name())
		}
		b.t.Errorf("no file %q was saved in %s; there are %q", names, patience/8, there)
		return nil
	}
}

// shown is a figure or a table of a page.
type shown struct {
	ID   string
	Cut  int        // rows of the CSV file that the page does not show
	Rows [][]string // of the table of a figure's points, or the table; the head first
}

const shownScript = `all => all.filter(e => e.checkVisibility()).slice(0, 2).map(e => ({
	id: e.id,
	cut: parseInt((e.querySelector("details .quiet") || { textContent: "0" }).textContent) || 0,
	rows: [...e.querySelector("table").rows].map(r => [...r.cells].map(c => {
		const english = c.cloneNode(true); // of what is folded away nothing is visible
		english.querySelectorAll(".zh").forEach(z => z.remove());
		return english.textContent.trim();
	})),
}))`

// exports: the first figure of each page is saved as SVG and PNG, the first two as CSV,
// which has the numbers of the figure's table, and so are the first two tables. Chromium
// lets a page save ten files by itself.
func exports(b *tab) {
	t := b.t
	t.Helper()
	figures := eval[[]shown](b, `(`+shownScript+`)([...document.querySelectorAll("figure.chart")])`)
	saved := b.saves()
	for i, f := range figures {
		press := func(button string) {
			eval[any](b, "document.getElementById("+js(f.ID)+`).querySelector("[`+button+`]").click()`)
		}
		press("data-csv=figure")
		sameNumbers(t, f, saved(f.ID+".csv"))
		if i > 0 {
			break
		}
		press("data-image=svg")
		press("data-image=png")
		if svg := saved(f.ID + ".svg"); !bytes.HasPrefix(svg, []byte("<svg ")) || !bytes.Contains(svg, []byte("</svg>")) || !bytes.Contains(svg, []byte("<text")) {
			t.Errorf("%s.svg starts with %.40q", f.ID, svg)
		}
		if png := saved(f.ID + ".png"); !bytes.HasPrefix(png, []byte("\x89PNG\r\n\x1a\n")) || len(png) < 4000 {
			t.Errorf("%s.png is %d bytes and starts with %.20q", f.ID, len(png), png)
		}
	}
	for _, x := range eval[[]shown](b, `(`+shownScript+`)([...document.querySelectorAll(".tablebox")])`) {
		eval[any](b, "document.getElementById("+js(x.ID)+`).querySelector("[data-csv=table]").click()`)
		sameTable(t, x, saved(x.ID+".csv"))
	}
}

// sameTable demands the rows of a table in its CSV file, cell by cell: numbers with as
// many digits or more.
func sameTable(t *testing.T, x shown, file []byte) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Errorf("%s.csv: %v", x.ID, err)
		return
	}
	if len(rows) < 2 || len(rows) != len(x.Rows) {
		t.Errorf("%s.csv has %d rows, the page shows %d", x.ID, len(rows), len(x.Rows))
		return
	}
	numbers := 0
	for i, row := range rows {
		for k, cell := range row {
			plain := strings.Join(strings.Fields(x.Rows[i][k]), " ")
			same, number := sameCell(plain, strings.Join(strings.Fields(cell), " "))
			if _, err := strconv.ParseFloat(cell, 64); err == nil && !same { // with its interval, or its unit
				same, number = strings.ContainsAny(plain, "0123456789"), true
			}
			if !same {
				t.Errorf("%s.csv has %q where the page shows %q", x.ID, cell, x.Rows[i][k])
				return
			}
			if number {
				numbers++
			}
		}
	}
	if numbers == 0 {
		t.Logf("%s has no number", x.ID)
	}
}

// withoutHidden: what a reader hides by the legend is not in the image that is saved
// then, and is again after it is shown. It says whether the page has a chart to try.
func withoutHidden(b *tab) bool {
	b.t.Helper()
	f := eval[struct{ ID, Name, Colour string }](b, `(async () => {
		for (const f of document.querySelectorAll("figure.chart")) {
			f.scrollIntoView();
			for (let i = 0; i < 4; i++) await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
			const chart = echarts.getInstanceByDom(f.querySelector(".live"));
			if (!chart) continue;
			const names = chart.getOption().legend[0].data || [];
			const colours = names.map(n => chart.getVisual({ seriesName: n }, "color"));
			const at = colours.findIndex((c, i) => typeof c === "string" && colours.indexOf(c) === i && colours.lastIndexOf(c) === i);
			if (names.length > 1 && at >= 0) return { id: f.id, name: names[at], colour: colours[at] };
		}
		return { id: "", name: "", colour: "" };
	})()`)
	if f.ID == "" {
		return false
	}
	at, colour := "document.getElementById("+js(f.ID)+")", []byte(`="`+f.Colour+`"`)
	toggle := func() { // as a click on the legend does
		eval[any](b, `echarts.getInstanceByDom(`+at+`.querySelector(".live")).dispatchAction({ type: "legendToggleSelect", name: `+js(f.Name)+` })`)
	}
	for i, hidden := range []bool{false, true, false} {
		if i > 0 {
			toggle()
		}
		saved := b.saves()
		eval[any](b, at+`.querySelector("[data-image=svg]").click()`)
		if n := bytes.Count(saved(f.ID+".svg"), colour); n > 0 == hidden {
			b.t.Errorf("%s.svg has %d parts of the colour of %q, %s; hidden by its reader: %t", f.ID, n, f.Name, f.Colour, hidden)
		}
	}
	return true
}

// sameNumbers finds each row of a figure's table in its CSV file, which has more
// columns and the values in full; where the page has a dash the file has nothing.
func sameNumbers(t *testing.T, f shown, file []byte) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Errorf("%s: %v", f.ID+".csv", err)
		return
	}
	if len(f.Rows) < 2 || len(rows) < len(f.Rows)+f.Cut {
		t.Errorf("%s has %d rows, the page shows %d and says that %d more are in the file", f.ID+".csv", len(rows), len(f.Rows), f.Cut)
		return
	}
	numbers := 0
	for _, all := range f.Rows[1:] {
		best, shown := 0, slices.DeleteFunc(slices.Clone(all), func(c string) bool { return c == "–" })
		for _, full := range rows[1:] {
			n, isNumber := 0, 0
			for _, cell := range full {
				if n < len(shown) {
					if same, number := sameCell(shown[n], cell); same {
						n++
						if number {
							isNumber++
						}
					}
				}
			}
			if n == len(shown) {
				best = max(best, isNumber)
			}
		}
		if best == 0 {
			t.Errorf("%s has no row with %q", f.ID+".csv", shown)
			return
		}
		numbers += best
	}
	if numbers < len(f.Rows)-1 {
		t.Errorf("%s: %d numbers in %d rows", f.ID+".csv", numbers, len(f.Rows)-1)
	}
}

// sameCell says whether a cell of a page shows what a cell of a file holds, and
// whether that is a number.
func sameCell(shown, full string) (same, number bool) {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r == '−':
			return '-'
		case unicode.IsSpace(r):
			return -1
		}
		return r
	}, shown)
	a, err1 := strconv.ParseFloat(plain, 64)
	b, err2 := strconv.ParseFloat(full, 64)
	if err1 == nil && err2 == nil {
		return math.Abs(a-b) <= 6e-4*math.Abs(b), true
	}
	return shown == full || shown == "–" && full == "", false
}

// copies: the first and the last copy button put their text on the clipboard.
func copies(b *tab) {
	t := b.t
	t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		p := browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}
		if _, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, p); err != nil {
			t.Fatal(err)
		}
	}
	n := eval[int](b, `document.querySelectorAll("button[data-copy]").length`)
	if n == 0 {
		t.Fatal("nothing can be copied, not even the citation")
	}
	for _, i := range []int{0, n - 1} {
		got := eval[struct{ Want, Got, Says string }](b, `(async () => {
			const b = document.querySelectorAll("button[data-copy]")[`+strconv.Itoa(i)+`], was = b.textContent, of = document.getElementById(b.dataset.copy);
			// A command of the playground is there when its module has started.
			for (let k = 0; k < 500 && !of.textContent; k++) await new Promise(done => setTimeout(done, 20));
			const want = of.textContent;
			b.click();
			for (let k = 0; k < 100 && b.textContent === was; k++) await new Promise(done => setTimeout(done, 20));
			return { want: want, got: await navigator.clipboard.readText(), says: b.textContent };
		})()`)
		if got.Got != got.Want || got.Want == "" {
			t.Errorf("button %d copies %q, want %q (it says %q)", i, got.Got, got.Want, got.Says)
		}
	}
}
