// Package dasp is here so that rules over its folder have something to read.
package dasp
