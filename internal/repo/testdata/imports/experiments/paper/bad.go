// Package paper breaks the rule of documents' descriptors.
package paper

import (
	_ "strings"

	_ "gradsync/experiments/result/leaf" // want paper
)
