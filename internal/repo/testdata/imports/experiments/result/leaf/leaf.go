// Package leaf stands here so that others can import it.
package leaf
