package reports

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// wordFiles are the notebooks, labels and reasons of all pages.
//
//go:embed text
var wordFiles embed.FS

// openBook reads them once a program.
var openBook = sync.OnceValues(func() (*notebook.Book, error) {
	sub, err := fs.Sub(wordFiles, "text")
	if err != nil {
		return nil, err
	}
	return notebook.Open(sub)
})

// Title returns the title of an experiment's notebook in English, "" where it has none.
func Title(id string) string {
	b, err := openBook()
	if err != nil || !b.Has(id) {
		return ""
	}
	both, err := b.Titles(id)
	if err != nil {
		return ""
	}
	return both[0]
}

// Presented returns the page of a result by itself.
func Presented(r *result.Result) (*notebook.Page, error) {
	book, err := openBook()
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	p, err := book.Page(r, nil)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return p, nil
}

// ClaimRows returns the claims of a result in words.
func ClaimRows(r *result.Result) ([]notebook.ClaimRow, error) {
	book, err := openBook()
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	rows, err := book.ClaimRows(r)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return rows, nil
}

// dress gives a result its words from its notebook. others are the results of the same
// folder.
func (l *loaded) dress(others notebook.Results) error {
	book, err := openBook()
	if err != nil {
		return err
	}
	if l.Page, err = book.Page(l.Result, others); err != nil {
		if l.Status == result.Incomplete { // its notebook may bind what was not reached
			l.Page, err = book.Begun(l.Result)
		}
		return err
	}
	l.ClaimRows, err = book.ClaimRows(l.Result)
	return err
}

// among finds a result among the loaded ones.
func among(all map[string][]loaded) notebook.Results {
	return func(id, profile string) (*result.Result, error) {
		for _, l := range all[paperOf(id)] {
			if l.ID == id && l.Profile == profile {
				return l.Result, nil
			}
		}
		return nil, fs.ErrNotExist
	}
}

// paperOf returns the document of an experiment: "dasp" of "dasp/table5".
func paperOf(id string) string {
	paper, _, _ := strings.Cut(id, "/")
	return paper
}

// dressAll gives all results their words.
func dressAll(all map[string][]loaded) error {
	find := among(all)
	for _, rs := range all {
		for i := range rs {
			if err := rs[i].dress(find); err != nil {
				return fmt.Errorf("reports: %w", err)
			}
			if err := check(rs[i].Result); err != nil {
				return fmt.Errorf("reports: %s, profile %s: %w", rs[i].ID, rs[i].Profile, err)
			}
		}
	}
	return nil
}

// hasText reports whether a narrative is written.
func hasText(key string) bool {
	_, err := fs.Stat(wordFiles, "text/"+key+".en.md")
	return err == nil
}
