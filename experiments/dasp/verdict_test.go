package dasp

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// timed is a grid in which each method's iteration takes the given seconds, the
// same for all models, with two seeds a thousandth apart.
func timed(bsp, asp, ssp, dssp, ours float64) grid {
	g := grid{}
	for _, m := range models {
		g[m] = map[string][]cell{}
		for i, s := range []float64{bsp, asp, ssp, dssp, ours} {
			for _, f := range []float64{1, 1.001} {
				g[m][methods[i]] = append(g[m][methods[i]], cell{Iteration: train.IterationTime{PerWorker: s * f}})
			}
		}
	}
	return g
}

func wantVerdict(t *testing.T, name string, c result.Claim, verdict, inWhy string) {
	t.Helper()
	if c.Verdict != verdict || !strings.Contains(c.Why, inWhy) {
		t.Errorf("%s: %s is %q because %q, want %q because …%q…", name, c.ID, c.Verdict, c.Why, verdict, inWhy)
	}
}

// Each reduction is judged against the model, baseline and cluster that
// claims.csv names.
func TestReductionClaimsMatchTheTable(t *testing.T) {
	name := map[string]string{"lenet5": "LeNet-5", "resnet18": "ResNet-18", "vgg19_bn": "VGG19_BN"}
	n := 0
	for platform, words := range map[string]string{homogeneous: "homogeneous cluster", heterogeneous: "heterogeneous cluster"} {
		for _, r := range reductionClaims(platform) {
			c, ok := claims.Get(r.id)
			if !ok || c.Baseline != strings.ToUpper(r.against) || !strings.HasPrefix(c.Conditions, words+"; "+name[r.model]+";") {
				t.Errorf("%s is judged for %s against %s on %s; the row says %s, %s", r.id, r.model, r.against, platform, c.Baseline, c.Conditions)
			}
			n++
		}
	}
	if n != 18 {
		t.Errorf("%d reductions, the paper states 18", n)
	}
}

func TestReductionsAndRatios(t *testing.T) {
	// BSP 1, SSP 0.8, DSSP 0.5, DASP 0.4: reductions 60, 50 and 20 %.
	got := map[string]result.Claim{}
	for _, c := range judgeReductions(homogeneous, timed(1, 0.3, 0.8, 0.5, 0.4), map[string]string{"D02": "; the range", "D43": "; the ratios' range"}) {
		got[c.ID] = c
	}
	for id, want := range map[string]float64{"D01": 60, "D02": 50, "D03": 20, "D04": 60, "D08": 50, "D09": 20} {
		if x, ok := got[id].Measured.(float64); !ok || math.Abs(x-want) > 1e-9 {
			t.Errorf("%s: measured %v, want %g", id, got[id].Measured, want)
		}
	}
	if !strings.HasSuffix(got["D02"].Why, "; the range") || strings.HasSuffix(got["D03"].Why, "; the range") {
		t.Errorf("the range stands beside %q and %q, want the first alone", got["D02"].Why, got["D03"].Why)
	}
	if why := got["D43"].Why; !strings.Contains(why, assumed) || !strings.HasSuffix(why, "; the ratios' range") {
		t.Errorf("D43 is judged without its range: %q", why)
	}
	if got["D42"].Measured != "0.4; 0.8; 0.5" { // DASP, SSP, DSSP over BSP, as the row lists them
		t.Errorf("D42: measured %v", got["D42"].Measured)
	}
}

func TestRangeRow(t *testing.T) {
	var f found
	for i, ours := range []float64{0.5, 0.84, 0.9} { // reductions 50, 16 and 10 %
		f.add(fmt.Sprint("platform ", i), cell{Iteration: train.IterationTime{PerWorker: ours}, Share: map[string]float64{"QIS": ours}},
			cell{Iteration: train.IterationTime{PerWorker: 1}})
	}
	row := rangeRow(reductionClaim{"D01", "lenet5", "bsp"}, f) // states 16.9 %, tolerance 5
	for i, want := range map[int]any{3: 16.9, 6: "1 of 3", 7: "platform 1", 8: "50–90, 0–0, 0–0 %"} {
		if row[i] != want {
			t.Errorf("column %d is %v, want %v", i, row[i], want)
		}
	}
	if math.Abs(row[4].(float64)-10) > 1e-9 || math.Abs(row[5].(float64)-50) > 1e-9 {
		t.Errorf("range %v to %v, want 10 to 50", row[4], row[5])
	}
}

func TestOrdering(t *testing.T) {
	good := timed(5, 1, 3, 2, 2)
	wantVerdict(t, "in order", ordering("", good, good), claims.SameSign, "three models")
	wantVerdict(t, "DSSP above BSP", ordering("", good, timed(5, 1, 3, 6, 2)), claims.Differs, "heterogeneous, LeNet-5: DSSP takes 1.200 of BSP")
	wantVerdict(t, "DASP below ASP", ordering("", timed(5, 1, 3, 2, 0.5), good), claims.Differs, "homogeneous, LeNet-5: ASP takes 2.000 of DASP")
	wantVerdict(t, "a tie to 0.1 %", ordering("", good, timed(5, 1.0005, 3, 2, 1)), claims.SameSign, "three models")
	wantVerdict(t, "the range", ordering("on 3 of 4", good, good), claims.SameSign, assumed+"; on 3 of 4")
}

func TestLeastAffected(t *testing.T) {
	homo := timed(1, 1, 1, 1, 1)
	wantVerdict(t, "DASP least", leastAffected("", homo, timed(4, 1, 3, 2, 1.5)), claims.SameSign, "ASP ×1.000")
	wantVerdict(t, "DSSP less", leastAffected("", homo, timed(4, 1, 3, 1.2, 1.5)), claims.Differs, "DSSP ×1.200")
	wantVerdict(t, "a tie", leastAffected("", homo, timed(4, 1, 3, 1.5, 1.5)), claims.SameSign, "a tie with DSSP")
	wantVerdict(t, "the range", leastAffected("on 3 of 4", homo, homo), claims.SameSign, assumed+"; on 3 of 4")
}

// plausibly is one plausible run of the given times.
func plausibly(set, link string, overhead time.Duration, g grid) plausibleRun {
	return plausibleRun{platforms.Variant{Name: set + ", " + link, Workers: set, Link: link}, overhead, g}
}

// The counts beside D39 and D56: one platform of two in order, the worst model
// decides; a pair needs the reference's workers, the same link and overhead.
func TestPlausibleCounts(t *testing.T) {
	const a, b = "1 Gb/s", "10 Gb/s"
	equal, good, bad := timed(1, 1, 1, 1, 1), timed(5, 1, 3, 2, 1.5), timed(5, 1, 3, 1.2, 1.5)
	oneModel := timed(5, 1, 3, 2, 1.5)
	oneModel["vgg19_bn"] = timed(5, 1, 6, 2, 1.5)["vgg19_bn"] // SSP above BSP
	homo := []plausibleRun{plausibly(homogeneous, a, 1, equal), plausibly(homogeneous, b, 1, equal), plausibly("6 × other", a, 1, equal)}
	hetero := []plausibleRun{plausibly(heterogeneous, a, 1, good), plausibly(straggler, a, 1, bad), plausibly("mixed6", b, 1, oneModel),
		plausibly(heterogeneous, a, 2, good), plausibly(heterogeneous, "25 Gb/s", 1, good)}
	if got := orderedOn(homo, hetero); !strings.HasSuffix(got, "on 3 of 3 homogeneous and 4 of 5 heterogeneous") {
		t.Errorf("%q, want 3 of 3 and 4 of 5", got)
	}
	if got := leastOn(homo, hetero); !strings.HasSuffix(got, "on 2 of 3") { // good and oneModel; the last two have no pair
		t.Errorf("%q, want 2 of the 3 pairs", got)
	}
}

// D42–D47 carry the smallest and largest of each ratio, of their own model.
func TestRatioRanges(t *testing.T) {
	other := timed(2, 1, 1, 1, 1)
	other["lenet5"] = timed(4, 1, 1, 2, 3)["lenet5"]
	wide := []plausibleRun{plausibly(heterogeneous, "a", 1, timed(1, 1, 0.8, 0.5, 0.4)), plausibly(heterogeneous, "b", 1, other)}
	_, words := rangeTable(heterogeneous, wide)
	for id, want := range map[string]string{
		"D45": "; over 2 plausible platforms DASP/BSP from 0.400 to 0.750, SSP/BSP from 0.250 to 0.800, DSSP/BSP from 0.500 to 0.500",
		"D47": "; over 2 plausible platforms DASP/BSP from 0.400 to 0.500, SSP/BSP from 0.500 to 0.800, DSSP/BSP from 0.500 to 0.500",
	} {
		if words[id] != want {
			t.Errorf("%s: %q, want %q", id, words[id], want)
		}
	}
	if _, words := rangeTable(homogeneous, wide); words["D42"] == "" || words["D45"] != "" {
		t.Errorf("the homogeneous cluster's ratios are D42–D44: %v", words)
	}
}

func TestWithinSmax(t *testing.T) {
	wantVerdict(t, "within", withinSmax(make([]cell, 2), smax), claims.SameSign, "2 seeds")
	wantVerdict(t, "beyond", withinSmax(make([]cell, 2), smax+1), claims.Differs, "7 versions")
}

func TestTimeLineNamesWaits(t *testing.T) {
	ms := time.Millisecond
	l := &dasp.Log{Workers: 1, Pushes: []dasp.Push{
		{Sent: 0, Received: 2 * ms, Replied: 3 * ms, State: dasp.WSS},
		{Sent: 3 * ms, Received: 5 * ms, Replied: 5 * ms, State: 0},
	}, End: 5 * ms}
	for method, want := range map[string][]string{"dasp": {"compute", "WSS", "compute"}, "ssp": {"compute", "at once", "compute"}} {
		var got []string
		for _, b := range timeLine(method, l).Bands {
			got = append(got, b.State)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: bands %v, want %v", method, got, want)
		}
	}
}
