package lab

import (
	"strings"
	"testing"
)

// A bucket holds 10 ms of its rate, and a packet of 64 KiB at least.
func TestShape(t *testing.T) {
	for mbit, burst := range map[int]string{10: "65536", 200: "250000", 1000: "1250000"} {
		words := strings.Join(shape("e0", mbit), " ")
		if want := " burst " + burst + " latency 100ms"; !strings.HasPrefix(words, "tc qdisc replace dev e0 root tbf rate ") || !strings.HasSuffix(words, want) {
			t.Errorf("%d: %s, want %s", mbit, words, want)
		}
	}
}
