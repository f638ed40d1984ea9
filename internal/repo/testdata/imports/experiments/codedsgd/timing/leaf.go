// Package timing stands here so that others can import it.
package timing
