// Package gpu stands here so that others can import it.
package gpu
