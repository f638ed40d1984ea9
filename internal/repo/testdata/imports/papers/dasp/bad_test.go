package dasp

import (
	_ "gonum.org/v1/gonum/stat"
	_ "gradsync/datasets"        // want paper-tests
	_ "gradsync/experiments/exp" // want paper-tests
	_ "gradsync/shared/cluster/virtual"
	_ "gradsync/shared/gpu" // want paper-tests
)
