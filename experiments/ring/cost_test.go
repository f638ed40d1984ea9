package ring

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// wantVerdict demands a verdict and, among its reasons, one of a code.
func wantVerdict(t *testing.T, c result.Claim, verdict, code string) {
	t.Helper()
	if c.Verdict != verdict || arg(c, code) == nil {
		t.Errorf("%s is %q because %v, want %q because %s", c.ID, c.Verdict, c.Reasons, verdict, code)
	}
}

// arg returns the arguments of the reason of a code, nil for none.
func arg(c result.Claim, code string) map[string]any {
	for _, r := range append(slices.Clone(c.Reasons), c.Differs...) {
		if r.Code == code && r.Args == nil {
			return map[string]any{}
		} else if r.Code == code {
			return r.Args
		}
	}
	return nil
}

// factOf returns the value of a fact.
func factOf(t *testing.T, facts []result.Fact, key string) any {
	t.Helper()
	r := result.Result{Facts: facts}
	f := r.Fact(key)
	if f == nil {
		t.Fatalf("no fact %s", key)
	}
	return f.Value
}

// Ten elements on three ranks, by hand: chunks of 4, 3 and 3 elements. Rank r sends all but chunk r+1 in the first loop
// and all but chunk r+2 in the second: 7+7, 7+6 and 6+7 elements.
func TestCountsAgainstTheFormula(t *testing.T) {
	good := byteCount{Ranks: 3, Elements: 10, Sent: []int64{56, 52, 52}}
	if w := good.wrong(); w != nil {
		t.Error(w)
	}
	for _, c := range []byteCount{
		{Ranks: 3, Elements: 10, Sent: []int64{56, 56, 52}}, // a byte too many in all
		{Ranks: 3, Elements: 10, Sent: []int64{64, 48, 48}}, // right in all, one rank too much
	} {
		if c.wrong() == nil {
			t.Errorf("%v passes", c.Sent)
		}
	}
	plan := costPlan{Elements: 10, Ranks: []int{3}}
	wantVerdict(t, judgeBytes(plan, []byteCount{good}, []byteCount{good}), claims.Equal, "B08")
	bad := byteCount{Ranks: 3, Elements: 10, Sent: []int64{56, 56, 52}}
	c := judgeBytes(plan, []byteCount{good}, []byteCount{bad})
	if wantVerdict(t, c, claims.Differs, "other-words"); c.Found.Code != "B08-total" || c.Found.Args["sent"] != 164. || c.Found.Args["want"] != 160. {
		t.Errorf("%+v", c.Found)
	}
}

// The counts of the code are the hand-made ones.
func TestVirtualCounts(t *testing.T) {
	counts := oktest.Must(virtualCounts(t.Context(), &exp.Bar{}))(t)
	if len(counts) != mostRanks || counts[0].total() != 0 || counts[1].Sent[0] != 1_200_000_000 || counts[4].Sent[3] != 1_920_000_000 {
		t.Errorf("N = 1, 2, 5: %v %v %v", counts[0].Sent, counts[1].Sent, counts[4].Sent)
	}
	if w := wrongCount(counts); w != nil {
		t.Error(w)
	}
}

// Vectors are really summed, and a ring that sums wrongly is refused.
func TestSocketCounts(t *testing.T) {
	plan := costPlan{Elements: 1021, Ranks: []int{1, 2, 5, 16}}
	counts := oktest.Must(socketCounts(t.Context(), plan, &exp.Bar{}))(t)
	if w := wrongCount(counts); w != nil || counts[2].total() != 2*4*4*1021 {
		t.Errorf("%v %+v", w, counts[2])
	}
}

func TestWireShare(t *testing.T) {
	c := byteCount{Ranks: 2, Sent: []int64{500, 500}, Kernel: 1010}
	if got := c.wireShare(); got != 1.01 {
		t.Errorf("1010 of 1000 is %g", got)
	}
	if c.Kernel = 1010_1; c.wireShare() != 10.101 {
		t.Errorf("10101 of 1000 is %g", c.wireShare())
	}
	if (byteCount{Sent: []int64{2000}, Kernel: 2001}).wireShare() != 1.001 {
		t.Error("2001 of 2000 is not rounded up")
	}
	if c.Kernel = 0; !math.IsNaN(c.wireShare()) {
		t.Error("no kernel, but a share")
	}
	for kernel, want := range map[int64]string{1030: "above", 1010: "within", 0: "silent"} {
		counts := []byteCount{{Ranks: 1, Sent: []int64{0}}, {Ranks: 2, Sent: []int64{500, 500}, Kernel: kernel}}
		facts := countFacts(costPlan{Kernel: true, Ranks: []int{2}}, nil, counts)
		if got := factOf(t, facts, "kernel"); got != want || (factOf(t, facts, "wire_at") == 2.) != (kernel > 0) {
			t.Errorf("%d bytes: %v", kernel, facts)
		}
	}
}

// The blog's 1.2 and 10.8 s are the gather; a gather that took twice as long would differ.
func TestNaiveIsJudgedByOneDirection(t *testing.T) {
	times := make([]costTime, mostRanks-1)
	for n, want := range map[int][3]float64{2: {1.2, 2.4, 1.2}, 10: {10.8, 21.6, 2.16}} {
		x := oktest.Must(costAt(t.Context(), n, blogLink))(t)
		got := [3]float64{x.Gather, x.Both, x.Ring}
		for k := range got {
			if math.Abs(got[k]/want[k]-1) > 1e-5 {
				t.Errorf("N = %d: %v, want %v", n, got, want)
			}
		}
		times[n-2] = x
	}
	for _, c := range judgeTimes(times, nil) {
		wantVerdict(t, c, claims.Within, "gather-both")
	}
	times[8].Gather *= 2
	wantVerdict(t, judgeTimes(times, nil)[1], claims.SameSign, "gap")
}

// A number that a platform takes over is never better than the same sign.
func TestLinksAreTakenOver(t *testing.T) {
	for _, l := range costLinks {
		x := oktest.Must(costAt(t.Context(), 2, l.Bandwidth))(t)
		x.costLink, x.One = l, x.Gather
		c := judgeTimes(make([]costTime, mostRanks-1), []costTime{x})[2]
		wantVerdict(t, c, claims.Input, "taken-over")
		stated, _ := claims.Get(c.ID)
		if v, _ := stated.Number(); math.Abs(c.Measured.(float64)/v-1) > 1e-6 {
			t.Errorf("%s: got %v of %g", c.ID, c.Measured, v)
		}
	}
}

// Profile ci is silent about the kernel and says so; on Linux the others are not.
func TestKernelIsAsked(t *testing.T) {
	for _, asked := range []bool{false, true} {
		plan := costPlan{Elements: 1 << 16, Ranks: []int{2}, Kernel: asked}
		counts := oktest.Must(socketCounts(t.Context(), plan, &exp.Bar{}))(t)
		if want := asked && runtime.GOOS == "linux"; counts[0].Kernel > 0 != want {
			t.Errorf("asked %t: the kernel counts %d bytes", asked, counts[0].Kernel)
		}
		if got := factOf(t, countFacts(plan, nil, counts), "kernel"); (got == "not-asked") == asked {
			t.Error(got)
		}
	}
}
