// Package codedsgd breaks the rule of a paper.
package codedsgd

import (
	_ "gonum.org/v1/gonum/stat" // want paper-codedsgd
	_ "gradsync/datasets"       // want paper-codedsgd
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/cluster/collective"
	_ "gradsync/shared/cluster/virtual" // want paper-codedsgd
	_ "gradsync/shared/gpu"             // want paper-codedsgd
	_ "gradsync/shared/tensor"
)
