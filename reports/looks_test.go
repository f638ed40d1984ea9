package reports

import (
	"encoding/json"
	"html"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"gradsync/experiments/method"
	"gradsync/internal/oktest"
)

var (
	plotOf    = regexp.MustCompile(`(?s)<figure class="plot.*?</figure>`)
	keyOf     = regexp.MustCompile(`(?s)<li(?: data-method="([^"]*)")?>(<svg.*?</svg>|<i .*?</i>)(.*?)</li>`)
	inked     = regexp.MustCompile(`(?:stroke="|background:|--c:)(#[0-9A-Fa-f]{6})"?(?: stroke-dasharray="([^"]*)")?`)
	chineseOf = regexp.MustCompile(`(?s)<span class="zh".*?</span>`)
	tagOf     = regexp.MustCompile(`<[^>]*>`)
	dataOf    = regexp.MustCompile(`(?s)<script[^>]*type="application/json"[^>]*>(\{"methods".*?)</script>`)
)

// worn collects the colours and dashes of methods: by name and kind of look, each look with a page that has it.
type worn struct {
	t *testing.T
	// method's ids by the names that readers see, and by the playground's formulas.
	called, formula map[string]string
	looks           map[string]map[string]string
}

// wear notes what a method looks like on a page; an empty dash says nothing.
func (w *worn) wear(name, colour, dash, page string) {
	for kind, look := range map[string]string{"colour": strings.ToUpper(colour), "dash": dash} {
		if look == "" {
			continue
		}
		of := name + "'s " + kind
		if w.looks[of] == nil {
			w.looks[of] = map[string]string{}
		}
		w.looks[of][look] = page
	}
}

// figure reads the keys of a figure. What it draws is in its key.
func (w *worn) figure(figure, page string) {
	keyed := map[string]bool{}
	for _, k := range keyOf.FindAllStringSubmatch(figure, -1) {
		look := inked.FindStringSubmatch(k[2])
		if look == nil {
			w.t.Errorf("%s: a key without a colour: %s", page, k[0])
			continue
		}
		dash := ""
		if strings.HasPrefix(k[2], "<svg") {
			dash = solid(look[2])
			keyed[look[1]+" "+dash] = true
		}
		keyed[look[1]] = true
		said := strings.TrimSpace(html.UnescapeString(tagOf.ReplaceAllString(chineseOf.ReplaceAllString(k[3], ""), "")))
		if name := w.called[strings.ToLower(said)]; name != "" && k[1] != name {
			w.t.Errorf("%s: the key %q is of method %q, want %s", page, said, k[1], name)
		}
		if k[1] != "" {
			w.wear(k[1], look[1], dash, page)
		}
	}
	_, drawn, _ := strings.Cut(figure, "</ul>")
	for _, look := range inked.FindAllStringSubmatch(drawn, -1) {
		is := look[1]
		if look[2] != "" {
			is += " " + look[2]
		}
		if len(keyed) > 0 && !keyed[is] {
			w.t.Errorf("%s: %s is drawn, and in no key of %.80s", page, is, figure)
		}
	}
}

// solid names the dash of an unbroken line.
func solid(dash string) string {
	if dash == "" {
		return "solid"
	}
	return dash
}

// playground reads the methods that the sliders draw. The second formula of a method has its colour and a dash of its own.
func (w *worn) playground(data []byte, page string) {
	var d struct {
		Methods []struct{ Key, Colour, Dash string }
	}
	if err := json.Unmarshal(data, &d); err != nil {
		w.t.Fatalf("%s: %v", page, err)
	}
	for _, m := range d.Methods {
		dash := ""
		if m.Key == w.formula[m.Key] {
			dash = solid(m.Dash)
		}
		w.wear(w.formula[m.Key], m.Colour, dash, page)
	}
}

// On all committed pages a method has one colour and one dash: in the keys of figures, where a method's
// name has the method's id, and on the playground.
func TestAMethodHasOneLookOnAllPages(t *testing.T) {
	w := &worn{t, map[string]string{}, map[string]string{}, map[string]map[string]string{}}
	for _, m := range method.All() {
		w.called[strings.ToLower(m.Name)], w.called[strings.ToLower(m.Label[0])] = m.Name, m.Name
		for _, f := range m.Costs {
			w.formula[f.Key] = m.Name
		}
	}
	pages := os.DirFS("html")
	for _, glob := range []string{"*.html", "*/*.html"} {
		names, err := fs.Glob(pages, glob)
		if err != nil || len(names) == 0 {
			t.Fatalf("no pages %s: %v", glob, err)
		}
		for _, page := range names {
			raw := oktest.Must(fs.ReadFile(pages, page))(t)
			for _, figure := range plotOf.FindAllString(string(raw), -1) {
				w.figure(figure, page)
			}
			if data := dataOf.FindSubmatch(raw); data != nil {
				w.playground(data[1], page)
			}
		}
	}
	for of, looks := range w.looks {
		if len(looks) > 1 {
			t.Errorf("%s is not one: %v", of, looks)
		}
	}
	if len(w.looks) < 26 {
		t.Errorf("%d colours and dashes of methods are on the pages, want 13 of each: the markup of keys has changed", len(w.looks))
	}
}
