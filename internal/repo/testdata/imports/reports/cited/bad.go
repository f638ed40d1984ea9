// Package cited breaks the rule of the rooms.
package cited

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
