// Package local breaks the rule of the runtimes.
package local

import (
	_ "gonum.org/v1/gonum/stat" // want cluster-runtimes
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/tensor/vec" // want cluster-runtimes
	_ "math/rand"                  // want everywhere
	_ "math/rand/v2"
)
