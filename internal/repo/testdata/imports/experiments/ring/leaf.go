// Package ring stands here so that others can import it.
package ring
