// Command update renews the table of verdicts in README.md.
package main

import (
	"fmt"
	"os"

	"gradsync/internal/readme"
	"gradsync/internal/repo"
)

func main() {
	root, err := repo.Root()
	changed := false
	if err == nil {
		changed, err = readme.Update(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
	if changed {
		fmt.Println("README.md: table of verdicts renewed")
	}
}
