package reports

import (
	"path"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// Every page can be heard and worked by keys: one heading, one main part that a link skips to, names for drawings,
// tables, choices and groups, roles that a narrow window cannot take from a table, and titles for cells.
func TestPagesCanBeHeard(t *testing.T) {
	oktest.Slow(t)
	for name, page := range oktest.Must(renderedTwins())(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		count, labels, all := map[string]int{}, map[string]bool{}, elements(t, page)
		for _, e := range all {
			count[e.Name]++
			labels[e.Attrs["for"]] = true
		}
		if count["h1"] != 1 || count["main"] != 1 || !strings.Contains(page, `<a class="skip" href="#main">`) {
			t.Errorf("%s: %d headings of the page, %d main parts", name, count["h1"], count["main"])
		}
		for _, e := range all {
			a := e.Attrs
			switch {
			case e.Name == "html" && a["lang"] != "en":
				t.Errorf("%s: the language is %q", name, a["lang"])
			case a["role"] == "img" && a["class"] == "static" && (a["aria-label"] == "" || a["data-zh-aria-label"] == ""):
				t.Errorf("%s: a drawing without a name in both languages", name)
			case (e.Name == "nav" || a["role"] == "group") && a["aria-label"] == "":
				t.Errorf("%s: a <%s> without a name", name, e.Name)
			case e.Name == "button" && a["type"] != "button" && a["type"] != "submit":
				t.Errorf("%s: a button of no type", name)
			case e.Name == "input" && a["type"] == "radio" && !labels[a["id"]]:
				t.Errorf("%s: the choice %s has no words", name, a["id"])
			case e.Name == "table" && strings.HasPrefix(a["class"], "claims") && a["aria-label"] == "":
				t.Errorf("%s: claims without a name", name)
			case e.Name == "th" && a["scope"] == "" && strings.Contains(a["role"], "header"):
				t.Errorf("%s: a head of nothing", name)
			case e.Name == "svg" && a["focusable"] == "true":
				t.Errorf("%s: a drawing that keys stop at", name)
			}
		}
	}
}
