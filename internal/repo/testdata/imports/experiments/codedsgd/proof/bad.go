// Package proof breaks the rule of the experiments: rooms know those below them alone.
package proof

import (
	_ "gradsync/experiments/codedsgd/scheme" // want experiments
	_ "gradsync/experiments/codedsgd/setup"
	_ "gradsync/experiments/codedsgd/timing"
)
