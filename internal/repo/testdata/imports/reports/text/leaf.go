// Package text stands here so that others can import it.
package text
