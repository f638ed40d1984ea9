// Package fake stands here so that others can import it.
package fake
