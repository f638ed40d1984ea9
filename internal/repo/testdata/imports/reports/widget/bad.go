// Package widget breaks the rule of the rooms.
package widget

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
