// Package dasp reproduces dynamic adaptive synchronous parallel.
package dasp
