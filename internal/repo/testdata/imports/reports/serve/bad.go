// Package serve breaks the rule of the rooms.
package serve

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
