//go:build race

package virtual_test

// mostRanks is of how many ranks a ring is tested: under the race detector 1,024 take
// minutes, and the tests without it run them.
const mostRanks = 256
