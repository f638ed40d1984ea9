// Package virtual stands here so that others can import it.
package virtual
