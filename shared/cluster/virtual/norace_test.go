//go:build !race

package virtual_test

const mostRanks = 1024
