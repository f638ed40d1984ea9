// Package train stands here so that others can import it.
package train
