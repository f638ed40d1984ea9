// Package exp stands here so that others can import it.
package exp
