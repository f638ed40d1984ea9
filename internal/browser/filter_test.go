package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// chosen chooses in the n-th filter by the words of a choice, all of them for "", and returns how many rows are in
// sight, how many groups of rows, and what the page says of that.
const chosen = `((n, words) => {
	const box = document.querySelector(".filters"), s = box.querySelectorAll("select")[n], seen = e => e.checkVisibility();
	s.value = words ? [...s.options].find(o => o.label === words).value : "";
	s.dispatchEvent(new Event("change", { bubbles: true }));
	const within = box.closest(".tablebox") || document;
	return { rows: [...within.querySelectorAll("tr[data-k]")].filter(seen).map(r => r.innerText),
		groups: [...within.querySelectorAll("tbody")].filter(seen).length, said: box.querySelector("output").textContent };
})`

type rowsInSight struct {
	Rows   []string
	Groups int
	Said   string
}

func fraction(shown, of int) string { return fmt.Sprintf("%d / %d", shown, of) }

// The cases of a comparison and the claims of a document are chosen by their axes, from a file; the page says how
// many of the rows it shows.
func TestRowsAreChosen(t *testing.T) {
	b := newTab(t)
	b.size(390, 844)
	b.open(filepath.Join(folder(t), "compare/when.html"))
	b.unfold(true)
	choose := func(n, words string) rowsInSight { return eval[rowsInSight](b, chosen+"("+n+", "+js(words)+")") }
	all := choose("0", "")
	if len(all.Rows) < 40 || all.Groups != 12 || all.Said != fraction(len(all.Rows), len(all.Rows)) { // 3 kinds of workers, 4 networks
		t.Fatalf("all: %d rows in %d groups, %s", len(all.Rows), all.Groups, all.Said)
	}
	one := choose("1", "ResNet-18")
	if len(one.Rows) == 0 || len(one.Rows) >= len(all.Rows) || one.Groups != 3 || one.Said != fraction(len(one.Rows), len(all.Rows)) {
		t.Errorf("one network: %d rows in %d groups, %s", len(one.Rows), one.Groups, one.Said)
	}
	choose("0", "equal workers")
	choose("2", "10\u00a0Gb/s")
	if last := choose("3", "8"); len(last.Rows) != 1 || last.Groups != 1 { // every case has one answer
		t.Errorf("one case: %q in %d groups", last.Rows, last.Groups)
	}
	if none := choose("4", "one worker alone"); len(none.Rows) != 0 || none.Said != fraction(0, len(all.Rows)) {
		t.Errorf("ring is best there, yet %q", none.Rows)
	}

	b.open(filepath.Join(folder(t), "dasp/claims.html"))
	all = choose("1", "")
	eval[any](b, `document.getElementById("show-quick").click()`)
	quick := choose("1", "cannot tell")
	eval[any](b, `document.getElementById("show-standard").click()`)
	standard := choose("1", "cannot tell")
	if len(quick.Rows) == 0 || len(standard.Rows) == 0 || len(all.Rows) < 60 || len(standard.Rows) == len(quick.Rows) {
		t.Errorf("of %d claims %d are open in profile quick, %d in standard", len(all.Rows), len(quick.Rows), len(standard.Rows))
	}
	for _, row := range standard.Rows {
		if !strings.Contains(row, "cannot tell") {
			t.Errorf("chosen by its verdict: %q", row)
		}
	}
}
