// Package agree holds the tests that what stands in several places agrees: an
// experiment's id with its file, result and page; the documents at the root with
// the Makefile, the command line and each other.
package agree
