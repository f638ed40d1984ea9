// Package setup is a room of a paper's experiments.
package setup
