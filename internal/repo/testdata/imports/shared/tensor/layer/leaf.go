// Package layer stands here so that others can import it.
package layer
