package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

// pageText is the plain text of a result's English page, or why there is none.
type pageText struct {
	words string
	err   error // it could not be rendered
}

// page renders the page of a result; without a notebook it is empty.
func page(root string, r *result.Result) (out pageText) {
	book, err := notebook.Open(os.DirFS(filepath.Join(root, "reports", "text")))
	if err != nil {
		return pageText{err: err}
	}
	if !book.Has(r.ID) {
		return pageText{}
	}
	p, err := book.Page(r, func(id, profile string) (*result.Result, error) {
		other, err := result.Read(result.Path(filepath.Join(root, "experiments", "results"), id, profile))
		if errors.Is(err, result.ErrSchema) {
			return nil, fs.ErrNotExist
		}
		return other, err
	})
	if err != nil {
		return pageText{err: err}
	}
	return pageText{words: p.Text(0)}
}

// pool holds the numbers of the page; without a page those of all data and of its
// configuration.
func (p pageText) pool(r *result.Result) *pool {
	if p.words != "" {
		return newPool(nil, p.words)
	}
	return newPool(append(append(everything(r), flatten(r.Config)...), float64(len(r.Seeds))))
}
