// Package ran breaks the rule of the rooms.
package ran

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
