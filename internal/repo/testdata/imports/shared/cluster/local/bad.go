// Package local breaks the rule of the runtimes.
package local

import (
	_ "golang.org/x/sys/cpu" // want cluster-runtimes
	_ "golang.org/x/sys/unix"
	_ "gonum.org/v1/gonum/stat" // want cluster-runtimes
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/cluster/virtual" // want cluster-runtimes
	_ "gradsync/shared/tensor/vec"      // want cluster-runtimes
	_ "math/rand"                       // want everywhere
	_ "math/rand/v2"
)
