// Package portable stands here so that others can import it.
package portable
