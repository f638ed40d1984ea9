package ring

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

func wantVerdict(t *testing.T, c result.Claim, verdict, inWhy string) {
	t.Helper()
	if c.Verdict != verdict || !strings.Contains(c.Why, inWhy) {
		t.Errorf("%s is %q because %q, want %q because …%q…", c.ID, c.Verdict, c.Why, verdict, inWhy)
	}
}

// Ten elements on three ranks, by hand: chunks of 4, 3 and 3 elements. Rank r
// sends all but chunk r+1 in the first loop and all but chunk r+2 in the second:
// 7+7, 7+6 and 6+7 elements.
func TestCountsAgainstTheFormula(t *testing.T) {
	good := count{Ranks: 3, Elements: 10, Sent: []int64{56, 52, 52}}
	if w := good.wrong(); w != "" {
		t.Error(w)
	}
	for _, c := range []count{
		{Ranks: 3, Elements: 10, Sent: []int64{56, 56, 52}}, // a byte too many in all
		{Ranks: 3, Elements: 10, Sent: []int64{64, 48, 48}}, // right in all, one rank too much
	} {
		if c.wrong() == "" {
			t.Errorf("%v passes", c.Sent)
		}
	}
	plan := costPlan{Elements: 10, Ranks: []int{3}}
	wantVerdict(t, judgeBytes(plan, []count{good}, []count{good}), claims.Equal, "exactly N times")
	bad := count{Ranks: 3, Elements: 10, Sent: []int64{56, 56, 52}}
	wantVerdict(t, judgeBytes(plan, []count{good}, []count{bad}), claims.Differs, "164 bytes in all, formula 160")
}

// The counts of the code are the hand-made ones.
func TestVirtualCounts(t *testing.T) {
	counts, err := virtualCounts(t.Context(), &exp.Bar{})
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != mostRanks || counts[0].total() != 0 || counts[1].Sent[0] != 1_200_000_000 || counts[4].Sent[3] != 1_920_000_000 {
		t.Errorf("N = 1, 2, 5: %v %v %v", counts[0].Sent, counts[1].Sent, counts[4].Sent)
	}
	if w := wrongCounts(counts); len(w) > 0 {
		t.Error(w)
	}
}

// Vectors are really summed, and a ring that sums wrongly is refused.
func TestSocketCounts(t *testing.T) {
	plan := costPlan{Elements: 1021, Ranks: []int{1, 2, 5, 16}}
	counts, err := socketCounts(t.Context(), plan, &exp.Bar{})
	if err != nil {
		t.Fatal(err)
	}
	if w := wrongCounts(counts); len(w) > 0 || counts[2].total() != 2*4*4*1021 {
		t.Errorf("%v %+v", w, counts[2])
	}
}

func TestWireShare(t *testing.T) {
	c := count{Ranks: 2, Sent: []int64{500, 500}, Kernel: 1010}
	if got := c.wireShare(); got != 1.01 {
		t.Errorf("1010 of 1000 is %g", got)
	}
	if c.Kernel = 1010_1; c.wireShare() != 10.101 {
		t.Errorf("10101 of 1000 is %g", c.wireShare())
	}
	if (count{Sent: []int64{2000}, Kernel: 2001}).wireShare() != 1.001 {
		t.Error("2001 of 2000 is not rounded up")
	}
	if c.Kernel = 0; !math.IsNaN(c.wireShare()) {
		t.Error("no kernel, but a share")
	}
	if n := wireNote(costPlan{Kernel: true}, []count{{Ranks: 2, Sent: []int64{500, 500}, Kernel: 1030}}); !strings.Contains(n, "1.030") || !strings.Contains(n, "above the limit") {
		t.Error(n)
	}
	if n := wireNote(costPlan{Kernel: true}, []count{{Ranks: 2, Sent: []int64{500, 500}, Kernel: 1010}}); !strings.Contains(n, "within the limit") {
		t.Error(n)
	}
}

// The blog's 1.2 and 10.8 s are the gather; a gather that took twice as long
// would differ.
func TestNaiveIsJudgedByOneDirection(t *testing.T) {
	times, err := naiveTimes(t.Context(), &exp.Bar{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int][3]float64{0: {1.2, 2.4, 1.2}, 8: {10.8, 21.6, 2.16}} {
		got := [3]float64{times[i].Gather, times[i].Both, times[i].Ring}
		for k := range got {
			if math.Abs(got[k]/want[k]-1) > 1e-5 {
				t.Errorf("N = %d: %v, want %v", times[i].Ranks, got, want)
			}
		}
	}
	c := judgeNaive(times)
	wantVerdict(t, c[0], claims.Within, "2.40 s")
	wantVerdict(t, c[1], claims.Within, "21.60 s")
	for i := range times {
		times[i].Gather *= 2
	}
	wantVerdict(t, judgeNaive(times)[1], claims.SameSign, "tolerance")
}

// A number that a platform takes over is never better than the same sign.
func TestLinksAreTakenOver(t *testing.T) {
	links, err := linkTimes(t.Context(), &exp.Bar{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range judgeLinks(links) {
		wantVerdict(t, c, claims.SameSign, "takes over")
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
		counts, err := socketCounts(t.Context(), plan, &exp.Bar{})
		if err != nil {
			t.Fatal(err)
		}
		if want := asked && runtime.GOOS == "linux"; counts[0].Kernel > 0 != want {
			t.Errorf("asked %t: the kernel counts %d bytes", asked, counts[0].Kernel)
		}
		if n := wireNote(plan, counts); strings.Contains(n, "not in results of profile ci") == asked {
			t.Error(n)
		}
	}
}

func TestSpelling(t *testing.T) {
	for _, c := range [][2]string{{listed([]int{1, 2, 3, 4}), "1 to 4"}, {listed([]int{1, 2, 8}), "1, 2, 8"}, {listed([]int{5}), "5"},
		{grouped(1200000000), "1\u202f200\u202f000\u202f000.00"}, {grouped(2057142857.142857), "2\u202f057\u202f142\u202f857.14"}, {grouped(0), "0.00"}} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
