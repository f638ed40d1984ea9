// Package claims stands here so that others can import it.
package claims
