// Package reports turns result files into pages: one per paper and an index,
// plain files that work from a folder, offline, on paper and without
// JavaScript. It reads what experiments wrote and can run none of them, so a
// page can never show a number that no result file holds.
//
// The same results give the same bytes: time stamps and facts of the host come
// from the .run.json files beside the results, never from the clock.
package reports

import "gradsync/reports/notebook"

// said is a text in both languages.
type said = notebook.Both
