// Package dasp breaks the rule of a paper.
package dasp

import (
	_ "gonum.org/v1/gonum/stat" // want paper-dasp
	_ "gradsync/datasets"       // want paper-dasp
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/cluster/collective" // want paper-dasp
	_ "gradsync/shared/cluster/virtual"    // want paper-dasp
	_ "gradsync/shared/gpu"                // want paper-dasp
	_ "gradsync/shared/tensor"
	_ "gradsync/shared/tensor/optim"
	_ "gradsync/shared/tensor/vec"
)
