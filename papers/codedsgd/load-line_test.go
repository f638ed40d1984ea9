package codedsgd

import (
	"math/big"
	"testing"
)

// By hand: four nodes at r = 2 send 6 gradients, the line has 4·2/3 there; at r = 3 both are
// 4/3. With a gradient as dear as a share, one worker alone takes 4, SSGD 1 + 4, CSSGD 2 + 6.
func TestTradeOffByHand(t *testing.T) {
	for _, c := range []struct {
		n, r       int
		line, load *big.Rat
	}{{4, 1, ratio(4, 1), ratio(12, 1)}, {4, 2, ratio(8, 3), ratio(6, 1)}, {4, 3, ratio(4, 3), ratio(4, 3)}, {4, 4, ratio(0, 1), ratio(0, 1)}, {2, 1,
		ratio(2, 1), ratio(2, 1)}} {
		if got := TradeOff(c.n, c.r); got.Cmp(c.line) != 0 || LCoding(c.n, c.r).Cmp(c.load) != 0 {
			t.Errorf("n = %d, r = %d: line %v, load %v, want %v and %v", c.n, c.r, got, LCoding(c.n, c.r), c.line, c.load)
		}
	}
	if TradeOff(1, 1) != nil || TradeOff(4, 5) != nil {
		t.Error("a line where there is none")
	}
	alone, ssgd, cssgd := OneMedium(4, 2, whole(1), whole(1))
	if alone.Cmp(whole(4)) != 0 || ssgd.Cmp(whole(5)) != 0 || cssgd.Cmp(whole(8)) != 0 {
		t.Errorf("%v, %v, %v", alone, ssgd, cssgd)
	}
}
