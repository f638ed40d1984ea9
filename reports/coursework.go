package reports

import (
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// coursework is the key of the text on assignments, its page's name and, in capitals, its file's in the root.
const coursework = "coursework"

// courseworkName is the page's in the header, which has room for a short one.
var courseworkName = notebook.Both{"Course", "作业"}

// courseworkPage tells of assignments that students did with the program.
type courseworkPage struct {
	page.Head
	Chapters []chapterText
}

// commands is a block of them, to be copied.
type commands struct {
	ID   string
	Code template.HTML
}

// fenced is commands in a chapter.
var fenced = regexp.MustCompile(`(?s)<pre><code class="language-sh">(.*?)</code></pre>`)

// addCoursework makes the page of assignments, which needs no result; what it links must be there.
func (r *renderer) addCoursework() error {
	chapters, err := r.teller(coursework, "", nil).tell()
	if err != nil {
		return err
	}
	n := 0
	for i, c := range chapters {
		var failed error
		chapters[i].Body = template.HTML(fenced.ReplaceAllStringFunc(string(c.Body), func(pre string) string {
			n++
			var b strings.Builder
			code := template.HTML(fenced.FindStringSubmatch(pre)[1])
			failed = errors.Join(failed, r.pages.ExecuteTemplate(&b, "commands", commands{fmt.Sprintf("cmd-%d", n), code}))
			return b.String()
		}))
		if failed != nil {
			return fmt.Errorf("reports: %w", failed)
		}
	}
	doc := &courseworkPage{Chapters: chapters}
	if doc.Head, err = r.frame.Named("Coursework with gradsync", coursework); err != nil {
		return err
	}
	doc.Crumb = courseworkName
	r.names = append(r.names, coursework+".html")
	return r.out.Page(r.pages, coursework+".html", coursework+".html", doc)
}

// anchored is the id of a heading, which pages have and a file in the root does not.
var anchored = regexp.MustCompile(`(?m)^(##.*?) \{#[a-z0-9.-]+\}$`)

// Coursework returns COURSEWORK.md: the page's English text, with links from the root.
func Coursework() ([]byte, error) {
	src, err := wordFiles.ReadFile("text/" + coursework + "." + notebook.Languages[0] + ".md")
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	text := anchored.ReplaceAllString(string(src), "$1")
	text = localLink.ReplaceAllString(text, "](reports/html/$1.html$2)")
	const head = "# Coursework with gradsync\n\n<!-- written by `make reports` from reports/text/" + coursework + ".en.md -->\n\n"
	return []byte(head + strings.TrimSpace(text) + "\n"), nil
}

// localLink is a link from one page to another.
var localLink = regexp.MustCompile(`\]\(([a-z0-9/-]+)\.html(#[a-z0-9.-]+)?\)`)
