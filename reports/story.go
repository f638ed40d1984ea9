package reports

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// chapterText is a chapter of a narrative in both languages.
type chapterText struct {
	heading
	HTML template.HTML
}

// heading is a chapter's, for the table of contents.
type heading struct {
	ID   string
	Text said
}

// chunk is a heading and what stands below it, up to the next heading.
type chunk struct {
	level    int
	id, text string // of the heading
	body     string // Markdown
}

// headline is a heading with its id, which both languages share.
var headline = regexp.MustCompile(`^(##|###) (.+) \{#([a-z0-9.-]+)\}$`)

// anchors are places that links lead to; they stand before both languages, so that they
// are there in either.
var anchors = regexp.MustCompile(`<span id="[a-z0-9.-]+"></span>`)

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

// story renders the narrative of a paper, text/<key>.en.md beside text/<key>.zh.md,
// by chapters. Where no Chinese is written the English stands alone. Raw HTML passes
// through: the texts are part of this program.
func story(key string, at experimentPages, find notebook.Results) ([]chapterText, error) {
	en, err := narrative(0, key, find)
	if err != nil || en == nil {
		return nil, err
	}
	zh, err := narrative(1, key, find)
	if err != nil {
		return nil, err
	}
	return bilingual(key, en, zh, at)
}

// bilingual pairs the chapters of a narrative by their ids. Without any Chinese the
// English stands alone; with some, a chapter that one language lacks is an error.
func bilingual(key string, en, zh []chunk, at experimentPages) ([]chapterText, error) {
	of := map[string]*chunk{}
	for i := range zh {
		of[zh[i].id] = &zh[i]
	}
	for _, c := range zh {
		if !slices.ContainsFunc(en, func(e chunk) bool { return e.id == c.id }) {
			return nil, fmt.Errorf("reports: text of %s: chapter %s is not in English", key, c.id)
		}
	}
	var out []chapterText
	for _, c := range en {
		body, err := at.markdown(c.body)
		if err != nil {
			return nil, fmt.Errorf("reports: text of %s: %w", key, err)
		}
		title, text := typeset.Escape(typeset.Units(c.text)), notebook.Alike(c.text)
		if z := of[c.id]; z != nil {
			other, err := at.markdown(z.body)
			if err != nil {
				return nil, fmt.Errorf("reports: Chinese text of %s: %w", key, err)
			}
			title, text[1] = notebook.Pair(title, true, typeset.Escape(typeset.Units(z.text))), z.text
			marks := anchors.FindAllString(string(body), -1)
			english := template.HTML(anchors.ReplaceAllString(string(body), ""))
			body = template.HTML(strings.Join(marks, "")) + `<div class="en">` + english + `</div><div class="zh" lang="zh">` + other + `</div>`
		} else if len(zh) > 0 {
			return nil, fmt.Errorf("reports: text of %s: chapter %s is not in Chinese", key, c.id)
		}
		tag := fmt.Sprintf("h%d", c.level)
		block := template.HTML(`<` + tag + ` id="` + c.id + `">` + string(title) + `</` + tag + `>` + "\n" + string(body) + "\n")
		if c.level == 2 || len(out) == 0 {
			out = append(out, chapterText{heading: heading{ID: c.id, Text: text}})
		}
		out[len(out)-1].HTML += block
	}
	return out, nil
}

// narrative reads one file, binds its numbers and cuts it; a paper whose text is not
// written has none.
func narrative(l int, key string, find notebook.Results) ([]chunk, error) {
	name := key + "." + notebook.Languages[l] + ".md"
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
	text, err := book.Narrative(l, name, string(src), find)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return chunks(name, text)
}

// markdown renders a part of a paper's narrative, with links to experiments.
func (p experimentPages) markdown(src string) (template.HTML, error) {
	html, err := typeset.Markdown(src)
	if err != nil {
		return "", err
	}
	return template.HTML(p.link(html)), nil
}
