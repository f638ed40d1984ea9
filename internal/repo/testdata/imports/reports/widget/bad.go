// Package widget breaks the rule of the rooms.
package widget

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
