// Package chart breaks the rule of the rooms.
package chart

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
