package browser

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/chromedp/cdproto/page"
)

// sheets are how many pages of A4 some pages may fill.
var sheets = map[string]int{"index.html/printed": 1, "ring.html/printed": 6, "ringsparse.html/printed": 6, "dasp.html/printed": 6, "codedsgd.html/printed": 6}

// printed: on paper every heading, every row of every table and every figure of the
// chosen profile stands; what is folded away says nothing that is not printed elsewhere. The PDF's outline has all sections.
// Afterwards what was folded is so again.
func printed(b *tab) {
	t := b.t
	b.size(688, 1000) // A4 without its margins
	b.media("print")
	b.frames(2)
	for _, bad := range eval[[]string](b, printScript) {
		t.Error(bad)
	}
	b.complain(b.judge())
	yes := true
	pdf := call(b, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &yes, GenerateTaggedPDF: &yes, GenerateDocumentOutline: &yes}).Data
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Fatalf("the PDF starts with %.20q", pdf)
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1)); n < 1 {
		t.Errorf("the PDF has %d pages", n)
	} else if most := sheets[strings.TrimPrefix(t.Name(), "TestPages/")]; most > 0 && n > most {
		t.Errorf("the PDF has %d pages, at most %d", n, most)
	}
	// a no-break space stays one
	for _, h := range eval[[]string](b, `[...document.querySelectorAll("h2")].filter(e => e.checkVisibility())
		.map(e => e.innerText.replace(/[^\S\u00a0]+/g, " ").trim())`) {
		// A heading at the break of two sheets is there twice, after itself.
		if !bytes.Contains(pdf, []byte("/Title ("+strings.NewReplacer("(", `\(`, ")", `\)`).Replace(h))) && !bytes.Contains(pdf, utf16Hex(h)) {
			t.Errorf("no section %q in the PDF's outline", h)
		}
	}
	if n := eval[int](b, `document.querySelectorAll("details.fold[open], details.rows[open]").length`); n > 0 {
		t.Errorf("%d folds stand open after printing", n)
	}
}

// utf16Hex is a text as PDF writes what is not ASCII.
func utf16Hex(s string) []byte {
	const digits = "0123456789ABCDEF"
	out := []byte("<FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	return out
}

const printScript = `(function () {
	window.dispatchEvent(new Event("beforeprint"));
	var out = (` + plotless + `)(), shown = e => e.checkVisibility({ visibilityProperty: true });
	var name = e => e.localName + (e.id ? "#" + e.id : "") + (e.className ? "." + e.className : "") + " in #" + (e.closest("[id]") || e).id;
	// What guides through a screen, and what has its data elsewhere on the paper.
	var screen = ".bar, .widget, .skip", otherLanguage = ".zh", unchosen = e => { var p = e.closest(".profiled"); return p && !shown(p); };
	document.querySelectorAll("h1, h2, h3, h4, h5").forEach(e => {
		if (!shown(e) && !e.closest(screen) && !e.closest(otherLanguage) && !unchosen(e) && !e.closest("details:not([open])"))
			out.push("a heading is not printed: " + name(e) + " " + e.textContent.trim());
	});
	document.querySelectorAll("details").forEach(d => {
		var inside = [...d.children].find(e => e.localName !== "summary");
		if (shown(d) && inside && shown(inside) || d.closest(screen) || unchosen(d) || d.parentElement.closest("details:not([open])")) return;
		var formula = d.closest(".formula") && d.closest(".formula").querySelector("math");
		if (formula && shown(formula)) return; // its TeX
		out.push("folded away: " + name(d) + " " + d.querySelector("summary").textContent.trim());
	});
	document.querySelectorAll("table").forEach(t => {
		if (t.closest("details:not([open])") || t.closest(screen) || t.closest(otherLanguage) || unchosen(t)) return;
		var lost = [...t.rows].filter(r => !shown(r)).length;
		if (lost) out.push(lost + " of " + t.rows.length + " rows are not printed: " + name(t));
	});
	document.querySelectorAll("button, input, .needs-js").forEach(e => {
		if (e.closest("#methods")) return; // each is the name of its row
		if (shown(e)) out.push("a control is printed: " + name(e));
	});
	return out.slice(0, 12);
})()`
