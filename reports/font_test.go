package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gradsync/internal/oktest"
	"gradsync/reports/assets"
)

// covered reads the list beside the tests on the formulas' font: its sha256 and its characters.
func covered(t *testing.T) (sum string, has map[rune]bool) {
	b := oktest.Must(os.ReadFile("testdata/stix-two-math-subset.txt"))(t)
	has = map[rune]bool{}
	for _, line := range strings.Split(string(b), "\n") {
		if s, ok := strings.CutPrefix(line, "# font sha256 "); ok {
			sum = s
		}
		var from, to rune
		if n, _ := fmt.Sscanf(line, "%X-%X", &from, &to); n == 2 {
			for r := from; r <= to; r++ {
				has[r] = true
			}
		}
	}
	return sum, has
}

var (
	mathElement = regexp.MustCompile(`(?s)<math.*?</math>`)
	annotation  = regexp.MustCompile(`(?s)<annotation.*?</annotation>`)
	anyTag      = regexp.MustCompile(`<[^>]*>`)
)

// Every character of the committed pages' formulas is in the part of the font that
// the pages load; so are the letters that browsers put for a variable of one letter.
func TestTheFontHasTheFormulas(t *testing.T) {
	sum, has := covered(t)
	b := oktest.Must(assets.ReadFile("stix-two-math-5.3.0-subset.woff2"))(t)
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != sum {
		t.Errorf("the list of characters is of another font: %s, the file is %x", sum, got)
	}
	pages, err := filepath.Glob("html/*/code.html")
	if err != nil || len(pages) < 4 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	formulas := 0
	for _, page := range pages {
		text := oktest.Must(os.ReadFile(page))(t)
		for _, m := range mathElement.FindAllString(string(text), -1) {
			formulas++
			for _, r := range html.UnescapeString(anyTag.ReplaceAllString(annotation.ReplaceAllString(m, ""), "")) {
				if !has[r] && !unicode.IsSpace(r) && !invisible(r) {
					t.Errorf("%s: %q (%U) of a formula is not in the font", page, r, r)
				}
			}
		}
	}
	if formulas < 50 {
		t.Errorf("%d formulas on the pages", formulas)
	}
	for r := 'a'; r <= 'z'; r++ {
		if slanted := 0x1D44E + r - 'a'; r != 'h' && !has[slanted] || !has[0x1D434+r-'a'] || !has['\u210E'] {
			t.Errorf("the font has no slanted %c", r)
		}
	}
}

// invisible reports whether a character only says how a formula is read and has no shape.
func invisible(r rune) bool { return r >= 0x2061 && r <= 0x2064 }
