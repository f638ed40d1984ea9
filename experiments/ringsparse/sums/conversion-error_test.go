package sums

import (
	"math"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
)

// The table made before the code by another program: relative errors of two to four, five, six and seven, eight and
// sixteen nodes, and shares of false non-zeros. Another random sample may be a tenth above or below.
func TestCancellationIsTheTableMadeBefore(t *testing.T) {
	plan, kept := planLoss("ci"), map[lossPoint][][][]loss{}
	for _, c := range plan.Points {
		kept[c] = [][][]loss{carry(plan, c, 0)}
	}
	found := losses{plan, func(c lossPoint) [][][]loss { return kept[c] }}
	errors := map[int][2]float64{2: {2.5e-6, 4.1e-6}, 3: {2.5e-6, 4.1e-6}, 4: {2.5e-6, 4.1e-6}, 5: {5.6e-6, 5.6e-6}, 6: {9.6e-6, 1.2e-5},
		7: {9.6e-6, 1.2e-5}, 8: {1.1e-5, 1.1e-5}, 16: {2.7e-5, 2.7e-5}}
	shares := map[int][2]float64{2: {}, 3: {}, 4: {}, 5: {}, 6: {50, 54}, 7: {50, 54}, 8: {43, 44}, 16: {69, 71}}
	for n, nodes := range plan.Nodes {
		for i, scale := range []float64{1, 1e2, 1e4} {
			c := plan.Points[i]
			e, f := found.means(c, n, 0)
			if w, ok := errors[nodes]; ok && (e < 0.9*w[0]*scale || e > 1.1*w[1]*scale) {
				t.Errorf("N = %d, %v: error %.2g, want %.2g to %.2g", nodes, c, e, w[0]*scale, w[1]*scale)
			}
			if w, ok := shares[nodes]; ok && (100*f < w[0]-2*math.Min(w[0], 1) || 100*f > w[1]+2*math.Min(w[1], 1)) {
				t.Errorf("N = %d, %v: %.1f %% false non-zeros, want %g to %g", nodes, c, 100*f, w[0], w[1])
			}
		}
	}
	if n := found.firstFalse(0); n != 6 {
		t.Errorf("false non-zeros from N = %d on, want 6", n)
	}
	for w := 1; w < len(lossWays); w++ {
		if n := found.firstFalse(w); n != 0 {
			t.Errorf("%s has false non-zeros at N = %d", lossWays[w], n)
		}
	}
}

// An error and a share by hand: exact sums 3 and 4 and zeros; one of two true zeros
// comes back as −0, which is no zero on the wire.
func TestMeasureLoss(t *testing.T) {
	got := measureLoss([]float32{3, 4.5, 0, float32(math.Copysign(0, -1))}, []float64{3, 4, 0, 0}, []bool{false, false, true, true})
	if got.Error != 0.1 || got.False != 0.5 {
		t.Errorf("%+v, want 0.1 and 0.5", got)
	}
}

// The corrected formulas are exact in every case, the printed ones are not.
func TestIdentities(t *testing.T) {
	set := rationalSet{Least: 2, Most: 16, Cases: 50}
	n := identities(set, []uint64{0, 1})
	if n.Cases != 2*15*50 || n.Minus != n.Cases || n.Directions != n.Cases || n.Back != n.Cases || n.Plus > n.Cases/10 || n.Without > n.Cases/10 {
		t.Errorf("%+v", n)
	}
	signs := signErrors(planLoss("ci"), 0)
	for i, want := range []float64{0, 2, 2, 0} {
		if math.Abs(signs[i].Error-want) > 1e-4 {
			t.Errorf("%s, %s: error %g, want %g", signs[i].Reading, signs[i].Sign, signs[i].Error, want)
		}
	}
	said := func(c result.Claim, verdict, code, found string, args ...any) {
		t.Helper()
		kittest.WantVerdict(t, c, verdict, code)
		if c.Found == nil || c.Found.Code != found {
			t.Errorf("%s: found %v, want %s", c.ID, c.Found, found)
		}
		for i := 0; i+1 < len(args); i += 2 {
			if got := c.Found.Args[args[i].(string)]; got != args[i+1] {
				t.Errorf("%s: %v is %v, want %v", c.ID, args[i], got, args[i+1])
			}
		}
	}
	good := judgeConversion(set, n, signs)
	said(good[0], claims.Differs, "text-error", "P06-minus")
	said(good[1], claims.Equal, "P07", claims.AsStated)
	n.Minus, n.Back = n.Minus-1, n.Back-1
	bad := judgeConversion(set, n, signs)
	said(bad[0], claims.Differs, "P06", "P06-both", "minus", 1499)
	said(bad[1], claims.Differs, "P07", "P07-found", "equal", 1499)
	n.Plus = n.Cases
	said(judgeConversion(set, n, signs)[0], claims.Equal, "P06", claims.AsStated)
	n.Minus, n.Plus = n.Cases, n.Cases
	said(judgeConversion(set, n, signs)[0], claims.Differs, "P06", "P06-both", "plus", 1500)
}

func TestConversionErrorRuns(t *testing.T) {
	if r := kittest.RunCI(t, ConversionError()); len(r.Claims) != 2 || len(r.Frames) != 4 || len(r.Figures) != 2 {
		t.Errorf("%d claims, %d frames, %d figures", len(r.Claims), len(r.Frames), len(r.Figures))
	}
}
