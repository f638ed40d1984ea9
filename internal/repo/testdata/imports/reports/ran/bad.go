// Package ran breaks the rule of the rooms.
package ran

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
