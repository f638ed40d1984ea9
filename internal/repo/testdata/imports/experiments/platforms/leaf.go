// Package platforms stands here so that others can import it.
package platforms
