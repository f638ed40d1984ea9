package reports

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// chapterText is a chapter of a narrative in both languages.
type chapterText struct {
	ID    string
	Level int // 2 or 3
	Title template.HTML
	Text  said // of the title
	Body  template.HTML
}

// HTML returns the chapter with its heading.
func (c chapterText) HTML() template.HTML {
	tag := fmt.Sprintf("h%d", c.Level)
	return template.HTML(`<`+tag+` id="`+c.ID+`">`) + c.Title + template.HTML(`</`+tag+">\n") + c.Body + "\n"
}

// chunk is a heading and what stands below it, up to the next heading.
type chunk struct {
	level    int
	id, text string // of the heading
	body     string // Markdown
}

// headline is a heading with its id, which both languages share.
var headline = regexp.MustCompile(`^(##|###) (.+) \{#([a-z0-9.-]+)\}$`)

// chunks cuts a narrative at its headings. Each must have an id: what stands in two
// languages is found by it.
func chunks(name, src string) ([]chunk, error) {
	var out []chunk
	for i, line := range strings.Split(src, "\n") {
		if !strings.HasPrefix(line, "#") {
			if len(out) > 0 {
				out[len(out)-1].body += line + "\n"
			} else if strings.TrimSpace(line) != "" {
				return nil, fmt.Errorf("reports: %s, line %d: words before the first heading", name, i+1)
			}
			continue
		}
		m := headline.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("reports: %s, line %d: want ## or ###, words and {#id}: %s", name, i+1, line)
		}
		out = append(out, chunk{level: len(m[1]), text: m[2], id: m[3]})
	}
	return out, nil
}

// teller makes the chapters of one text: it links what they name, from root, and draws what they place.
type teller struct {
	key  string
	root string // "" or "../": from the page to the folder of all pages
	at   experimentPages
	find notebook.Results
	told notebook.Told
	draw func(name string, args []string) (template.HTML, error) // nil: the text places nothing
	has  func(page string) bool                                  // whether "dasp/table4" is there; nil: all are

	own    *loaded        // the result whose page it is; nil: a story
	judged map[string]int // how many verdicts the rows have shown, by word; nil: nobody asks
}

// tell renders the narrative text/<key>.en.md beside text/<key>.zh.md by chapters. Where no Chinese is
// written the English stands alone. Raw HTML passes through: the texts are part of this program.
func (t teller) tell() ([]chapterText, error) {
	var texts [2][]chunk
	for l := range texts {
		var err error
		if texts[l], err = t.narrative(l); err != nil || l == 0 && texts[0] == nil {
			return nil, err
		}
	}
	return t.bilingual(texts[0], texts[1])
}

// bilingual pairs the chapters of a narrative by their ids. Without any Chinese the
// English stands alone; with some, a chapter that one language lacks is an error.
func (t teller) bilingual(en, zh []chunk) ([]chapterText, error) {
	of := map[string]*chunk{}
	for i := range zh {
		of[zh[i].id] = &zh[i]
	}
	for _, c := range zh {
		if !slices.ContainsFunc(en, func(e chunk) bool { return e.id == c.id }) {
			return nil, fmt.Errorf("reports: text of %s: chapter %s is not in English", t.key, c.id)
		}
	}
	var out []chapterText
	for _, c := range en {
		ch := chapterText{ID: c.id, Level: c.level, Title: typeset.Escape(typeset.Units(c.text)), Text: notebook.Alike(c.text)}
		z := of[c.id]
		if z == nil && len(zh) > 0 {
			return nil, fmt.Errorf("reports: text of %s: chapter %s is not in Chinese", t.key, c.id)
		}
		var bodies [2][]string
		if z != nil {
			ch.Title, ch.Text[1] = notebook.Pair(ch.Title, ch.Title != typeset.Escape(z.text), typeset.Escape(typeset.Units(z.text))), z.text
			body, err := t.markdown(1, z.body)
			if err != nil {
				return nil, fmt.Errorf("reports: Chinese text of %s, %s: %w", t.key, c.id, err)
			}
			bodies[1] = body
		}
		body, err := t.markdown(0, c.body)
		if err != nil {
			return nil, fmt.Errorf("reports: text of %s, %s: %w", t.key, c.id, err)
		}
		bodies[0] = body
		if ch.Body, err = t.join(bodies); err != nil {
			return nil, fmt.Errorf("reports: text of %s, %s: %w", t.key, c.id, err)
		}
		out = append(out, ch)
	}
	return out, nil
}

// join puts the languages of a chapter beside one another. Pieces are prose and the marks of what is
// placed, in turn; what is placed stands once, for both.
func (t teller) join(of [2][]string) (template.HTML, error) {
	var b strings.Builder
	for i, en := range of[0] {
		if of[1] == nil {
			of[1] = []string{}
		}
		two := len(of[1]) > 0
		if two && (len(of[1]) != len(of[0]) || i%2 == 1 && of[1][i] != en) {
			return "", errors.New("the languages place other components")
		}
		if i%2 == 1 {
			if t.draw == nil {
				return "", fmt.Errorf("nothing draws %q here", en)
			}
			words := strings.Fields(en)
			html, err := t.draw(words[0], words[1:])
			if err != nil {
				return "", err
			}
			b.WriteString(string(html))
			continue
		}
		switch {
		case strings.TrimSpace(en) == "" && (!two || strings.TrimSpace(of[1][i]) == ""):
		case !two:
			b.WriteString(en)
		default:
			b.WriteString(`<div class="en">` + en + `</div><div class="zh" lang="zh">` + of[1][i] + `</div>`)
		}
	}
	return template.HTML(b.String()), nil
}

// narrative reads one file, binds its numbers and cuts it; a text that is not written has none.
func (t teller) narrative(l int) ([]chunk, error) {
	name := t.key + "." + notebook.Languages[l] + ".md"
	src, err := wordFiles.ReadFile("text/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	book, err := openBook()
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	text, err := book.Narrative(l, name, string(src), t.find, t.told)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return chunks(name, text)
}

var (
	placed    = regexp.MustCompile("<p>\x02place ([^\x03]*)\x03</p>")
	marked    = regexp.MustCompile("\x02(verdict|chip) ([^\x03]*)\x03")
	firstCell = regexp.MustCompile(`(?s)<tr>\n<td([^>]*)>(.*?)</td>`)
	pageLink  = regexp.MustCompile(`<a href="([a-z]+(?:/[a-z0-9-]+)?)\.html(#[^"]*)?">(.*?)</a>`)
	columnOf  = regexp.MustCompile(`<th( style="[^"]*")?>`)
)

// markdown renders a chapter in one language, with links and chips: prose and what is placed, in turn.
func (t teller) markdown(l int, src string) ([]string, error) {
	html, err := typeset.MarkdownIn(l, src)
	if err != nil {
		return nil, err
	}
	html = headed(l, html)
	html = firstCell.ReplaceAllString(columnOf.ReplaceAllString(html, `<th scope="col"$1>`), "<tr>\n<th scope=\"row\"$1>$2</th>")
	if t.root == "" {
		html = t.at.link(html)
	} else {
		html = t.at.linkFrom("", html)
	}
	html = pageLink.ReplaceAllStringFunc(html, t.page)
	html = marked.ReplaceAllStringFunc(html, func(m string) string {
		part := marked.FindStringSubmatch(m)
		words := strings.Fields(part[2])
		for i, w := range words {
			word, restated := strings.CutSuffix(w, notebook.Restated)
			if words[i] = word; part[1] == "verdict" && l == 0 && !restated && t.judged != nil {
				t.judged[word]++
			}
		}
		return string(chips(l, words))
	})
	var out []string
	from := 0
	for _, m := range placed.FindAllStringSubmatchIndex(html, -1) {
		out = append(out, html[from:m[0]], html[m[2]:m[3]])
		from = m[1]
	}
	out = append(out, html[from:])
	for i := 0; i < len(out); i += 2 {
		if strings.Contains(out[i], "\x02") {
			return nil, errors.New("a component stands inside a paragraph, a list or a table: it wants a line of its own")
		}
	}
	return out, nil
}

var (
	tableHead = regexp.MustCompile(`(?s)<table>\n<thead>.*?</thead>`)
	headCell  = regexp.MustCompile(`(?s)<th[^>]*>(.*?)</th>`)
)

// headed gives each table its columns' names as a style, for a narrow window, where each row is a card.
func headed(l int, html string) string {
	return tableHead.ReplaceAllStringFunc(html, func(head string) string {
		var names []string
		for i, c := range headCell.FindAllStringSubmatch(head, -1) {
			if name := strings.TrimSpace(typeset.Plain(c[1])); i > 0 && name != "" {
				names = append(names, fmt.Sprintf("--c%d:%s", i+1, cssString(name+[2]string{": ", "："}[l])))
			}
		}
		return `<table style="` + strings.Join(names, ";") + `">` + strings.TrimPrefix(head, "<table>")
	})
}

// page makes the link of a text to a page right where the text stands: from root, and words alone where the
// render makes no such page. A text below its document names the pages beside it by their last name.
func (t teller) page(link string) string {
	m := pageLink.FindStringSubmatch(link)
	name, href := m[1], t.root+m[1]
	if _, beside := siteNames[name]; beside {
		document, _, _ := strings.Cut(t.key, ".")
		name, href = document+"/"+name, m[1]
	}
	if t.has != nil && !t.has(name) {
		return m[3]
	}
	return `<a href="` + href + ".html" + m[2] + `">` + m[3] + "</a>"
}

// chips draws plain verdicts in one language: a chip of each, with how many claims have it; the one that most
// have comes first.
func chips(l int, words []string) template.HTML {
	if words[0] == "lost" {
		return template.HTML(`<span class="chip lost">` + [2]string{"lost", "缺失"}[l] + `</span>`)
	}
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	best, _ := page.VerdictOf(claims.Most(words))
	var out []string
	for _, v := range append([]page.Verdict{best}, page.Verdicts...) {
		n := counts[v.Key]
		if n == 0 || v.Key == best.Key && len(out) > 0 {
			continue
		}
		text := page.VerdictCount{Verdict: v, N: n}.Words()[l]
		if len(words) > 1 {
			text = fmt.Sprint(n) + [2]string{" ", " 项"}[l] + text
		}
		out = append(out, `<span class="chip v-`+v.Key+`">`+text+`</span>`)
	}
	return template.HTML(strings.Join(out, " "))
}
