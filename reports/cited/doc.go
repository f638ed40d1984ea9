// Package cited holds what pages say of the documents before any result is read: their
// titles, formulas and algorithms (Documents), and the Go that carries these out, cut
// from the program's own source (Show, Source). A symbol, step or mark that fits nothing
// is an error.
package cited
