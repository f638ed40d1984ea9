// Package formula stands here so that others can import it.
package formula
