package main

import (
	"os"
	"path/filepath"

	"gradsync/experiments/result"
)

// pageText is the plain text of a result's English page, "" where there is none yet.
type pageText struct {
	words  string
	labels string // what keys are called
}

// page renders the page of a result.
func page(root string, _ *result.Result) pageText {
	var p pageText
	files, _ := filepath.Glob(filepath.Join(root, "reports", "text", "labels*.en.csv"))
	more, _ := filepath.Glob(filepath.Join(root, "reports", "text", "labels", "*.en.csv"))
	for _, f := range append(files, more...) {
		raw, _ := os.ReadFile(f)
		p.labels += string(raw)
	}
	return p
}

// pool holds the numbers of the page; without a page those of all data and of its
// configuration.
func (p pageText) pool(r *result.Result) *pool {
	if p.words != "" {
		return newPool(nil, p.words)
	}
	xs := append(everything(r), flatten(r.Config)...)
	return newPool(append(xs, float64(len(r.Seeds))), p.labels)
}
