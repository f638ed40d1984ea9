// Package setup stands here so that others can import it.
package setup
