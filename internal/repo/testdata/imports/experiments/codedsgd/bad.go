// Package codedsgd breaks the rule of a door.
package codedsgd

import (
	_ "gradsync/experiments/codedsgd/proof"
	_ "gradsync/experiments/exp"
	_ "gradsync/experiments/train" // want doors
)
