// Command untranslated prints what the pages of some results say in English alone, as
// rows for a file of reports/text/zh: page by page, numbers as "#".
//
//	go run ./internal/untranslated --results experiments/results --page dasp
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"gradsync"
	"gradsync/reports"
)

func main() {
	results := flag.String("results", "experiments/results", "folder of results")
	page := flag.String("page", "", "one page, such as dasp or common; else all")
	flag.Parse()
	missing, err := reports.Untranslated(reports.Options{Results: *results, Sources: gradsync.Source})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w := csv.NewWriter(os.Stdout)
	for _, p := range slices.Sorted(maps.Keys(missing)) {
		for _, en := range missing[p] {
			if *page == "" || *page == p {
				_ = w.Write([]string{en, ""})
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
