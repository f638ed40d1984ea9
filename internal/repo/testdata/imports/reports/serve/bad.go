// Package serve breaks the rule of the rooms.
package serve

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
