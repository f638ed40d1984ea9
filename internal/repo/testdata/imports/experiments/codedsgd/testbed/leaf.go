// Package testbed stands here so that others can import it.
package testbed
