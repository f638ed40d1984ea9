// Package page breaks the rule of the rooms.
package page

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
