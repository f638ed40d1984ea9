package notebook

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gradsync/experiments/claims"
	"gradsync/experiments/method"
)

// Languages lists the languages of every page, in the order of Both.
var Languages = [2]string{"en", "zh"}

// words are the labels of one language.
type words struct {
	lang   string
	labels map[string]string // "method.dasp", or "column.rate@ringsparse" for one document's own
	stated map[string]string // what is said of claims: "D27.statement", by the columns of claimColumns
	id     string            // "dasp/table6": whose own labels come first
}

// claimColumns lists the columns of claims.<lang>.csv behind the id. What is empty there is as
// claims.csv and tolerances.csv have it; a note is ours, on the text of the document.
var claimColumns = []string{"statement", "source", "quantity", "value", "note", "criterion"}

// readWords reads labels.<lang>.csv (id,text), and the words of claims, claims.<lang>.csv.
func readWords(text fs.FS, lang string) (w words, err error) {
	w = words{lang: lang, labels: map[string]string{}, stated: map[string]string{}}
	name := "labels." + lang + ".csv"
	rows, err := readCSV(text, name, "id", "text")
	if err != nil {
		return w, err
	}
	for _, r := range rows {
		if _, twice := w.labels[r[0]]; twice {
			return w, fmt.Errorf("%s: %s stands twice", name, r[0])
		}
		w.labels[r[0]] = r[1]
	}
	rows, err = readCSV(text, "claims."+lang+".csv", append([]string{"id"}, claimColumns...)...)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	for _, r := range rows {
		for i, column := range claimColumns {
			w.stated[r[0]+"."+column] = r[1+i]
		}
	}
	return w, err
}

// readCSV returns the rows below a head.
func readCSV(text fs.FS, name string, head ...string) ([][]string, error) {
	f, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(head)
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], head) {
		return nil, fmt.Errorf("%s: the first line must be %s", name, strings.Join(head, ","))
	}
	return rows[1:], nil
}

// find returns a label: the result's own, its document's own, or the one for all; of a
// method its descriptor's.
func (w words) find(id string) (string, bool) {
	paper, _, _ := strings.Cut(w.id, "/")
	for _, owner := range []string{"@" + w.id, "@" + paper, ""} {
		if s, ok := w.labels[id+owner]; ok {
			return s, true
		}
	}
	name, ok := strings.CutPrefix(id, "method.")
	if m, known := method.Get(name); ok && known {
		return m.Label[slices.Index(Languages[:], w.lang)], true
	}
	return "", false
}

// open are the enumerations whose keys a user may add to: a key without a label is printed. openOwn
// are those of Own besides, to which his policies and clusters add.
var (
	open    = []string{"platform", "data", "engine"}
	openOwn = []string{"method", "model", "worker", "state"}
)

// label returns the words of an enumeration's key.
func (w words) label(enum, key string) (string, error) {
	if enum == "" { // a name, of which few have a label
		if s, ok := w.find("name." + key); ok {
			return s, nil
		}
		return key, nil
	}
	if s, ok := w.find(enum + "." + key); ok {
		return s, nil
	}
	for _, named := range []string{"method", "model"} { // their names hold in every enumeration
		if s, ok := w.find(named + "." + key); ok {
			return s, nil
		}
	}
	if slices.Contains(open, enum) || strings.HasPrefix(w.id, Own+"/") && slices.Contains(openOwn, enum) {
		return key, nil
	}
	return "", fmt.Errorf("labels.%s.csv has no %s.%s for %s", w.lang, enum, key, w.id)
}

// pivoted are the enumerations of which a frame has a column per key.
var pivoted = []string{"exchange", "method", "contestant", "setting", "form", "state", "codec", "field", "reading", "mode"}

// column returns the title of a frame's column: its own in that frame, or the one for all, or the
// name of the method, setting or other key that the column is of; "laboratory_max" has the
// title of "max" where it has none.
func (w words) column(frame, key string) (string, error) {
	ids := []string{"column." + frame + "." + key, "column." + key}
	for _, enum := range pivoted {
		ids = append(ids, enum+"."+key)
	}
	if _, part, ok := strings.Cut(key, "_"); ok {
		ids = append(ids, "column."+part)
	}
	for _, id := range ids {
		if s, ok := w.find(id); ok {
			return s, nil
		}
	}
	return w.label("column", key)
}

// unit returns a unit's name in this language; most are the same in all.
func (w words) unit(u string) string {
	if s, ok := w.find("unit." + u); ok {
		return s
	}
	return u
}

// statement, source, quantity and value return what claims.csv says of a claim, in this
// language.
func (w words) statement(c claims.Claim) string { return w.claim(c.ID, "statement", c.Statement()) }
func (w words) source(c claims.Claim) string {
	return w.claim(c.ID, "source", c.Source())
}
func (w words) quantity(c claims.Claim) string { return w.claim(c.ID, "quantity", c.Quantity) }
func (w words) value(c claims.Claim) string    { return w.claim(c.ID, "value", c.Value) }

func (w words) claim(id, what, english string) string {
	if s := w.stated[id+"."+what]; s != "" {
		return s
	}
	return english
}

// comma returns what stands between items of a list: a semicolon where an item has a comma.
func (w words) comma(items []string) string {
	apart := strings.ContainsAny(strings.Join(items, ""), ",，、")
	switch {
	case apart && w.lang == "zh":
		return "；"
	case apart:
		return "; "
	case w.lang == "zh":
		return "、"
	}
	return ", "
}

// join puts items in a list: "A, B and C"; with semicolons where an item has a comma.
func (w words) join(items []string) string {
	comma, last := w.comma(items), " and "
	if w.lang == "zh" {
		last = "和"
	}
	switch comma {
	case "; ":
		last = "; and "
	case "；":
		last = "；以及"
	}
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return spaced(spaced(strings.Join(items[:n-1], comma), last), items[n-1])
	}
}

// spaced joins two pieces of text, with the space that stands between Chinese and Latin.
func spaced(a, b string) string {
	left, _ := utf8.DecodeLastRuneInString(a)
	right, _ := utf8.DecodeRuneInString(b)
	latin := func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%') }
	if latin(left) && unicode.Is(unicode.Han, right) || unicode.Is(unicode.Han, left) && latin(right) {
		return a + " " + b
	}
	return a + b
}

// plural returns a count with its noun: "1 seed", "3 seeds". Chinese has one form.
func (w words) plural(count any, forms ...string) (string, error) {
	x, ok := float(count)
	if !ok || len(forms) == 0 {
		return "", fmt.Errorf("n: %v is no count, or there is no noun", plainValue(count))
	}
	form := forms[len(forms)-1]
	if x == 1 {
		form = forms[0]
	}
	if w.lang == "zh" {
		return Number(x, nil) + " " + form, nil
	}
	return Number(x, nil) + nbsp + form, nil
}

// fixed prints a number by a format such as "%.3f".
func fixed(format string, x any) (string, error) {
	v, ok := float(x)
	if !ok {
		return "–", nil
	}
	s := fmt.Sprintf(format, v)
	if strings.Contains(s, "%!") {
		return "", fmt.Errorf("fixed: the format %s prints no number", strconv.Quote(format))
	}
	if mantissa, power, ok := strings.Cut(s, "e"); ok {
		s = powered(mantissa, power)
	}
	return strings.Replace(s, "-", "−", 1), nil
}
