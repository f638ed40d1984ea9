// Package tcp stands here so that others can import it.
package tcp
