package reports

import (
	"html/template"
	"regexp"
	"strings"

	result "gradsync/experiments/result1"
)

// dressProof gives the table of the proof's steps its links, subscripts and verdicts.
// Its words stay as they are. Other tables are left alone.
func dressProof(id string, t result.Table, v *tableView) {
	if id != "codedsgd/proof" || t.ID != "steps" || len(v.Columns) != len(t.Columns) {
		return
	}
	v.Class = "proof"
	for i, c := range t.Columns {
		for k := range v.Rows {
			cell := &v.Rows[k][i]
			cell.Brief, cell.Empty = false, cell.Empty || cell.Text == ""
			switch c.Key {
			case "equation":
				cell.HTML = linkNumber(cell.Text)
			case "verdict":
				cell.HTML = proved(cell.Text)
			case "says", "printed", "corrected", "smallest":
				cell.HTML = deepSubs(cell.Text)
			}
		}
	}
}

var itemNumber = regexp.MustCompile(`^(?:\((\d+)\)|Alg\. (\d+)|§(\d+(?:\.\d+)*))`)

// linkNumber links "(24)", "Alg. 3" and "§2.4" to their places on the page.
func linkNumber(s string) template.HTML {
	m := itemNumber.FindStringSubmatch(s)
	text := template.HTMLEscapeString(s)
	for i, kind := range []string{"eq", "alg", "s"} {
		if m != nil && m[i+1] != "" {
			return template.HTML(`<a href="#` + kind + m[i+1] + `">` + text + `</a>`)
		}
	}
	return template.HTML(text)
}

// proved is the verdict on a step of a proof: what holds in green, what does not in
// red, and the words of whatever it is.
func proved(s string) template.HTML {
	chip := func(key, sign, words string) string {
		return `<span class="chip v-` + key + `"><span class="sign" aria-hidden="true">` + sign + `</span> ` + template.HTMLEscapeString(words) + `</span>`
	}
	switch {
	case s == "printed wrong, corrected holds":
		return template.HTML(chip("differs", "✗", "printed wrong") + " " + chip("equal", "＝", "corrected holds"))
	case strings.HasPrefix(s, "holds"):
		return template.HTML(chip("equal", "＝", s))
	}
	return template.HTML(chip("differs", "✗", s))
}

var (
	innerSub = regexp.MustCompile(`_\{([^{}_]*)_(?:\{([^{}]*)\}|(\w+))\}`)
	outerSub = regexp.MustCompile(`_\{([^{}]*)\}`)
	plainSub = regexp.MustCompile(`_(\w+)`)
)

// deepSubs sets typed subscripts, "D_left", "P_{M∖k}", "D_{i_1}".
func deepSubs(s string) template.HTML {
	s = template.HTMLEscapeString(s)
	s = innerSub.ReplaceAllString(s, "<sub>$1<sub>$2$3</sub></sub>")
	s = outerSub.ReplaceAllString(s, "<sub>$1</sub>")
	return template.HTML(plainSub.ReplaceAllString(s, "<sub>$1</sub>"))
}
