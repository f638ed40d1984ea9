// Command mapgen rewrites the Map section of a paper's doc.go from the Source:
// lines of its folder. Run it by `go generate ./papers/...`.
package main

import (
	"fmt"
	"os"

	"gradsync/papers/internal/source"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: mapgen FOLDER PAPER")
		os.Exit(2)
	}
	if err := source.WriteMap(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
