// Command gradsync reproduces documents on gradient synchronisation in
// distributed deep learning: it runs their experiments, checks their formulas,
// trains with their methods and renders the pages.
package main

import (
	"os"

	"gradsync/experiments/cli"
	"gradsync/shared/cluster/mpi"
)

func main() { mpi.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
