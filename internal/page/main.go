// Command page prints what the page of a result says, as text: page RESULT.json [zh].
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "page: name a result file: go run ./internal/page experiments/results/dasp/table6.json [zh]")
		os.Exit(2)
	}
	if err := show(os.Args[1], len(os.Args) > 2 && os.Args[2] == "zh"); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// show prints the page of the result at path from the notebooks of this checkout.
func show(path string, chinese bool) error {
	b, err := notebook.Open(os.DirFS("reports/text"))
	if err != nil {
		return err
	}
	r, err := result.Read(path)
	if err != nil {
		return err
	}
	root := filepath.Dir(filepath.Dir(path))
	if r.Profile != "quick" {
		root = filepath.Dir(root)
	}
	p, err := b.Page(r, func(id, profile string) (*result.Result, error) {
		return result.Read(result.Path(root, id, profile))
	})
	if err != nil {
		return err
	}
	l := 0
	if chinese {
		l = 1
	}
	fmt.Print(p.Text(l))
	return nil
}
