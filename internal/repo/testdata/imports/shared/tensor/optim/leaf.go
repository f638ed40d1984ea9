// Package optim stands here so that others can import it.
package optim
