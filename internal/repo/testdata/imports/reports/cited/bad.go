// Package cited breaks the rule of the rooms.
package cited

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
