// Package cli stands here so that others can import it.
package cli
