// Command update renews what README.md, REPRODUCIBILITY.md and reports/published.json
// say of the committed results.
package main

import (
	"fmt"
	"os"

	"gradsync/internal/readme"
	"gradsync/internal/repo"
)

func main() {
	root, err := repo.Root()
	var changed []string
	if err == nil {
		changed, err = readme.Update(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
	for _, name := range changed {
		fmt.Println(name + ": renewed from the results")
	}
}
