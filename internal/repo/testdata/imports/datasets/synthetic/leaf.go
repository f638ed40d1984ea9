// Package synthetic stands here so that others can import it.
package synthetic
