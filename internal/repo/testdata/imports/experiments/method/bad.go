// Package method breaks the rule of descriptors.
package method

import (
	_ "gradsync/papers/codedsgd/formula"
	_ "gradsync/papers/dasp" // want method
)
