// Package scheme stands here so that others can import it.
package scheme
