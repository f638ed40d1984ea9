package formula

import (
	"math/big"
	"testing"
)

// Rational, piece by piece: N = 4, K = 12 bytes, 1 byte/s: a chunk is 3 s. Whole chunks at α = 2: 6·5 = 30. Three
// pieces of 1 s: a step is 3 s, as α + t is 3 too: 18 + 2. Two pieces of 1.5 s: α + t = 3.5 is more than 3: 21 + 1.5.
func TestPipelinedRingByHand(t *testing.T) {
	near(t, "one piece", RingPipelinedTime(4, 12, 1, 2, 1), 30)
	near(t, "RingTime", RingTime(4, 12, 2, 1), 30)
	near(t, "three pieces", RingPipelinedTime(4, 12, 3, 2, 1), 20)
	near(t, "two pieces", RingPipelinedTime(4, 12, 2, 2, 1), 22.5)
	if RingPipelinedTime(1, 12, 3, 2, 1) != 0 {
		t.Error("one rank takes time")
	}
}

// By hand at N = 8, K = 80: 40 + 20 + 10 and back. N = 11 adds K there and back.
func TestHalvingDoublingByHand(t *testing.T) {
	near(t, "bytes(8)", HalvingDoublingBytes(8, 80), 140)
	near(t, "bytes(11)", HalvingDoublingBytes(11, 80), 220)
	near(t, "time(8)", HalvingDoublingTime(8, 80, 3, 10), 6*3+14)
	near(t, "time(11)", HalvingDoublingTime(11, 80, 3, 10), 6*3+14+2*3+20)
	for n := range 2 {
		if HalvingDoublingBytes(n, 80) != 0 || HalvingDoublingTime(n, 80, 3, 10) != 0 {
			t.Errorf("N=%d costs something", n)
		}
	}
}

// The two levels' bytes add up to the ring's, in rationals; 5 × 8 GPUs of the
// blog: 2.34 GB a rank, of which 1.92/8 leave its node.
func TestHierarchicalByHand(t *testing.T) {
	for m := int64(1); m < 9; m++ {
		for g := int64(1); g < 9; g++ {
			within, between, ring := big.NewRat(2*(g-1), g), big.NewRat(2*(m-1), g*m), big.NewRat(2*(g*m-1), g*m)
			if within.Add(within, between).Cmp(ring) != 0 {
				t.Fatalf("%d × %d: %v, ring %v", m, g, within, ring)
			}
			want, _ := ring.Float64()
			near(t, "bytes", HierarchicalBytes(int(m), int(g), 1), want)
		}
	}
	near(t, "bytes(5×8)", HierarchicalBytes(5, 8, 1.2e9), 2.34e9)
	near(t, "node's bytes", HierarchicalNodeBytes(5, 1.2e9), 1.92e9)
	// 14·(1 + 15) within; between nodes a message takes 4 s, eight take 32: 8·32 + 2.
	near(t, "time", HierarchicalTime(5, 8, 120, 1, 1, 2, 0.75), 14*16+8*32+2)
}
