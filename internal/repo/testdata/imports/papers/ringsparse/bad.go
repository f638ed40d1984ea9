// Package ringsparse breaks the rule of a paper.
package ringsparse

import (
	_ "gonum.org/v1/gonum/stat" // want paper-ringsparse
	_ "gradsync/datasets"       // want paper-ringsparse
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/cluster/collective"
	_ "gradsync/shared/cluster/virtual" // want paper-ringsparse
	_ "gradsync/shared/gpu"             // want paper-ringsparse
	_ "gradsync/shared/tensor"
	_ "gradsync/shared/tensor/codec"
	_ "gradsync/shared/tensor/codec/entropy" // want entropy-only-from-cli paper-ringsparse
	_ "gradsync/shared/tensor/vec"
)
