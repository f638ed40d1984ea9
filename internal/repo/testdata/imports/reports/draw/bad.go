// Package draw breaks the rule of the rooms.
package draw

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
