// Package compare draws what a document states beside what was found, in HTML and CSS alone: text
// keeps its size at every width, speaks both languages, is printed, and needs no script.
//
// A Scale is an axis. Its Strip shows one row's numbers on it: the document's as an orange diamond,
// ours as a dot with its 95 % interval, hollow where both methods did the same, and a pale band for
// what other readings give. A Table is rows in groups, each group on its own scale, with the numbers
// in words beside the drawing; on a phone a row is a card. assets/compare.css has the looks.
package compare
