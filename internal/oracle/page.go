package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// pageText is the plain text of a result's English page, or why there is none.
type pageText struct {
	words string
	// said is how many clauses the reasons of a claim have there.
	said map[string]int
	err  error // it could not be rendered
}

// library renders the pages of the results in a copy of the repository.
type library struct {
	root string
	book *notebook.Book
	err  error // of opening it
}

func open(root string) library {
	book, err := notebook.Open(os.DirFS(filepath.Join(root, "reports", "text")))
	return library{root, book, err}
}

// page renders the page of a result; without a notebook it is empty.
func (l library) page(r *result.Result) (out pageText) {
	if l.err != nil {
		return pageText{err: l.err}
	}
	if !l.book.Has(r.ID) {
		return pageText{}
	}
	p, err := l.book.Page(r, func(id, profile string) (*result.Result, error) {
		other, err := result.Read(result.Path(filepath.Join(l.root, "experiments", "results"), id, profile))
		if errors.Is(err, result.ErrSchema) {
			return nil, fs.ErrNotExist
		}
		return other, err
	})
	if err != nil {
		return pageText{err: err}
	}
	out = pageText{words: p.Text(0), said: map[string]int{}}
	for _, part := range p.Parts {
		if part.Claims == nil {
			continue
		}
		for _, row := range part.Claims.Rows {
			out.said[row.ID] = clauses(strings.Join(row.Reasons[0], "; "))
		}
	}
	return out
}

// pool holds the numbers of the page; without a page those of all data and of its
// configuration.
func (p pageText) pool(r *result.Result) *pool {
	if p.words != "" {
		return newPool(nil, p.words)
	}
	return newPool(append(append(everything(r), flatten(r.Config)...), float64(len(r.Seeds))))
}
