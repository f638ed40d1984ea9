// Package draw breaks the rule of the rooms.
package draw

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
