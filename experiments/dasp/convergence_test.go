package dasp

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// climbing makes trainings in which each method reaches the target at the given number
// of gradients (and seconds), in two seeds a thousandth apart; 0: never.
func climbing(target float64, at map[string]float64) trainings {
	t := trainings{}
	for _, m := range methods {
		for _, f := range []float64{1, 1.001} {
			c := cell{Curve: []train.Point{{Pushes: 0, Accuracy: 0.1}, {Pushes: 9, Seconds: 9, Accuracy: 0.2}}, Accuracy: 0.2}
			if x := at[m] * f; x > 0 {
				c.Curve = []train.Point{{Accuracy: 0.1}, {Pushes: int64(1000 * x), Seconds: x, Accuracy: target}, {Pushes: int64(2000 * x), Seconds: 2 * x, Accuracy: target + 0.05}}
			}
			c.Iteration.PerWorker = map[string]float64{"bsp": 4, "asp": 1, "ssp": 2, "dssp": 2.5, "dasp": 1}[m]
			t[m] = append(t[m], c)
		}
	}
	return t
}

// studied is a study of profile quick in which every network does the same on
// every platform.
func studied(at map[string]float64) study {
	st := study{profile: "quick", sizes: sizesOf("quick"), on: map[string]map[string]trainings{}}
	for _, p := range []string{homogeneous, heterogeneous} {
		st.on[p] = map[string]trainings{}
		for _, s := range st.sizes {
			st.on[p][s.Model] = climbing(s.Target, at)
		}
	}
	return st
}

// Each convergence claim is judged for the network, method and cluster that
// claims.csv names.
func TestConvergenceClaimsMatchTheTable(t *testing.T) {
	name := map[string]string{"resnet18": "ResNet-18", "vgg19_bn": "VGG19_BN"}
	n := 0
	for platform, words := range map[string]string{homogeneous: "homogeneous cluster", heterogeneous: "heterogeneous cluster"} {
		for _, r := range convergenceClaims(platform) {
			c, ok := claims.Get(r.id)
			if !ok || c.Baseline != strings.ToUpper(r.against) || !strings.HasPrefix(c.Conditions, words+"; "+name[r.model]+";") {
				t.Errorf("%s is judged for %s against %s on %s; the row says %s, %s", r.id, r.model, r.against, platform, c.Baseline, c.Conditions)
			}
			n++
		}
		for i, m := range cnns { // the ratios derived from them
			first := map[string]int{homogeneous: 48, heterogeneous: 52}[platform] + 2*i
			for _, id := range []int{first, first + 1} {
				c, _ := claims.Get(fmt.Sprintf("D%d", id))
				if !strings.HasPrefix(c.Conditions, strings.Fields(words)[0]+"; "+name[m]) || (id == first+1) != strings.HasPrefix(c.Quantity, "DASP/BSP") {
					t.Errorf("D%d is judged for %s on %s; the row says %s, %s", id, m, platform, c.Quantity, c.Conditions)
				}
			}
		}
	}
	if n != 16 {
		t.Errorf("%d reductions, the paper states 16", n)
	}
}

func TestJudgeConvergence(t *testing.T) {
	// Times: DASP 2 of BSP 4, ASP 5, SSP 2.5, DSSP 3.2.
	st := studied(map[string]float64{"bsp": 4, "asp": 5, "ssp": 2.5, "dssp": 3.2, "dasp": 2})
	got := map[string]result.Claim{}
	for _, c := range judgeConvergence(&result.Result{}, st, heterogeneous, 52) {
		if _, twice := got[c.ID]; twice {
			t.Errorf("%s is judged twice", c.ID)
		}
		got[c.ID] = c
	}
	if len(got) != 12 {
		t.Errorf("%d verdicts, want 8 reductions and 4 lists", len(got))
	}
	for id, want := range map[string]float64{"D27": 50, "D28": 60, "D29": 20, "D30": 37.5, "D31": 50, "D34": 37.5} {
		if x, ok := got[id].Measured.(float64); !ok || math.Abs(x-want) > 1e-9 || got[id].CI95 == nil {
			t.Errorf("%s: measured %v, want %g with an interval", id, got[id].Measured, want)
		}
		if got[id].Verdict == claims.Within || len(got[id].Differs) < 3 {
			t.Errorf("%s: verdict %s of a run that differs by %v", id, got[id].Verdict, got[id].Differs)
		}
	}
	if got["D52"].Measured != "0.5; 1.25; 0.625; 0.8" { // DASP, ASP, SSP, DSSP over BSP
		t.Errorf("D52: measured %v", got["D52"].Measured)
	}
	// DASP over BSP, SSP, DSSP: convergence ratio over iteration-time ratio, which
	// are 0.5 / 0.25, 0.8 / 0.5 and 0.625 / 0.4 at the iteration times of climbing.
	var x [3]float64
	if _, err := fmt.Sscanf(fmt.Sprint(got["D53"].Measured), "%g; %g; %g", &x[0], &x[1], &x[2]); err != nil ||
		math.Abs(x[0]-2)+math.Abs(x[1]-1.6)+math.Abs(x[2]-1.5625) > 1e-9 {
		t.Errorf("D53: measured %v", got["D53"].Measured)
	}
	if !strings.Contains(got["D53"].Why, "gradients to target are in the ratios 0.500; 0.800; 0.625") {
		t.Errorf("D53 hides the gradients: %s", got["D53"].Why)
	}
}

// A method that misses the target leaves its own rows without a number, no
// others; a profile without the network leaves them all.
func TestConvergenceWithoutANumber(t *testing.T) {
	st := studied(map[string]float64{"bsp": 4, "asp": 5, "dssp": 3, "dasp": 2})
	for _, c := range judgeConvergence(&result.Result{}, st, homogeneous, 48) {
		row, _ := claims.Get(c.ID)
		if wants := row.Baseline == "SSP" || strings.Contains(row.Quantity, "SSP;"); wants != (c.Verdict == claims.NotRun) && row.Baseline != "BSP=1" && row.Baseline != "-" {
			t.Errorf("%s against %s: %s, %s", c.ID, row.Baseline, c.Verdict, c.Why)
		}
		if c.Verdict == claims.NotRun && !strings.Contains(c.Why, "SSP does not reach") {
			t.Errorf("%s: %s", c.ID, c.Why)
		}
	}
	ci := study{profile: "ci", sizes: sizesOf("ci"), on: map[string]map[string]trainings{homogeneous: {"lenet5": climbing(0.2, nil)}}}
	for _, c := range judgeConvergence(&result.Result{}, ci, homogeneous, 48) {
		wantVerdict(t, "ci", c, claims.NotRun, "profile ci trains LeNet-5 alone")
	}
}

func TestExtremes(t *testing.T) {
	st := studied(map[string]float64{"bsp": 4, "asp": 5, "ssp": 2.5, "dssp": 3.2, "dasp": 2})
	st.on[heterogeneous]["resnet18"] = climbing(0.75, map[string]float64{"bsp": 20, "asp": 5, "ssp": 2.5, "dssp": 2, "dasp": 2.2})
	got := judgeExtremes(&result.Result{}, st)
	for i, want := range []float64{-10, 89} { // DASP 2.2 over DSSP 2, over BSP 20
		if x, ok := got[i].Measured.(float64); !ok || math.Abs(x-want) > 1e-9 || got[i].ID != fmt.Sprintf("D%d", 35+i) {
			t.Errorf("%s: measured %v, want %g", got[i].ID, got[i].Measured, want)
		}
	}
	for i, c := range got {
		if c.CI95 == nil || !strings.Contains(c.Why, []string{"smallest of sixteen", "largest of sixteen"}[i]) || !strings.Contains(c.Why, "in 0 of them") {
			t.Errorf("%s: interval %v, %s", c.ID, c.CI95, c.Why)
		}
	}
	st.on[homogeneous]["vgg19_bn"] = climbing(0.55, map[string]float64{"bsp": 4, "asp": 2, "ssp": 2, "dssp": 3.2, "dasp": 2})
	if c := judgeExtremes(&result.Result{}, st)[0]; !strings.Contains(c.Why, "in 2 of them") {
		t.Errorf("two ties: %s", c.Why)
	}
	st.on[homogeneous]["vgg19_bn"] = climbing(0.55, map[string]float64{"bsp": 1})
	for _, c := range judgeExtremes(&result.Result{}, st) {
		wantVerdict(t, "DASP never", c, claims.NotRun, "contradicts itself")
	}
}

func TestNotGood(t *testing.T) {
	res, s := &result.Result{}, size{Model: "lenet5", Target: 0.7}
	for _, c := range []struct {
		name    string
		at      map[string]float64
		verdict string
		why     string
	}{
		{"DASP best", map[string]float64{"bsp": 4, "asp": 3, "ssp": 3, "dssp": 3, "dasp": 1}, claims.Differs, "DASP/BSP 0.25"},
		{"ASP faster", map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 3, "dasp": 2}, claims.SameSign, "DASP/ASP 2.0"},
		{"DASP never", map[string]float64{"bsp": 4}, claims.SameSign, "DASP: target not reached"},
		{"nobody", nil, claims.NotRun, "no method"},
	} {
		wantVerdict(t, c.name, notGood(res, s, climbing(s.Target, c.at)), c.verdict, c.why)
	}
}

func TestMoreIterations(t *testing.T) {
	res := &result.Result{}
	wantVerdict(t, "ASP most", moreIterations(res, studied(map[string]float64{"bsp": 1, "asp": 3, "ssp": 2, "dssp": 2, "dasp": 2})), claims.SameSign, "ASP/BSP 3.0")
	wantVerdict(t, "DASP more", moreIterations(res, studied(map[string]float64{"bsp": 1, "asp": 3, "ssp": 2, "dssp": 2, "dasp": 4})), claims.Differs, "ASP/DASP 0.75")
	wantVerdict(t, "SSP never", moreIterations(res, studied(map[string]float64{"bsp": 1, "asp": 3, "dssp": 2, "dasp": 4})), claims.NotRun, "SSP does not reach")
	st := studied(map[string]float64{"bsp": 1, "asp": 3, "ssp": 2, "dssp": 2, "dasp": 2})
	st.on[homogeneous]["vgg19_bn"] = climbing(0.55, map[string]float64{"bsp": 1.5, "asp": 1, "ssp": 2, "dssp": 2, "dasp": 2})
	tied := studied(map[string]float64{"bsp": 1, "asp": 3, "ssp": 3, "dssp": 2, "dasp": 3})
	wantVerdict(t, "ties are no cases", moreIterations(res, tied), claims.SameSign, "Of 16 pairs 8 are cases")
	wantVerdict(t, "all the same", moreIterations(res, studied(map[string]float64{"bsp": 1, "asp": 1, "ssp": 1, "dssp": 1, "dasp": 1})), claims.NotRun, "push by push")
	wantVerdict(t, "one network alone", moreIterations(res, st), claims.Differs, "VGG-19-BN, homogeneous cluster: ASP/BSP 0.666")
}

func TestFastAndStable(t *testing.T) {
	res := &result.Result{}
	all := map[string]float64{"bsp": 1, "asp": 1, "ssp": 1, "dssp": 1, "dasp": 1}
	wantVerdict(t, "stable", fastAndStable(res, studied(all)), claims.SameSign, "at most 2.5")
	shaky := studied(all)
	asp := shaky.on[homogeneous]["lenet5"]["asp"]
	asp[0].Curve = append(asp[0].Curve, train.Point{Accuracy: 0.4}, train.Point{Accuracy: 0.75})
	wantVerdict(t, "ASP falls", fastAndStable(res, shaky), claims.Differs, "homogeneous cluster, ASP")
	slow := studied(all)
	slow.on[heterogeneous]["lenet5"] = climbing(0.7, map[string]float64{"bsp": 1, "asp": 1, "ssp": 1, "dasp": 1})
	wantVerdict(t, "DSSP slow", fastAndStable(res, slow), claims.Differs, "heterogeneous cluster, DSSP: does not reach 70 %")
}

// falling gives each method of a network a fall of so many points.
func falling(points map[string]float64) trainings {
	t := trainings{}
	for _, m := range methods {
		fall := points[m] / 100
		t[m] = []cell{{Curve: []train.Point{{Accuracy: 0.1}, {Accuracy: 0.2}, {Accuracy: 0.7}, {Accuracy: 0.7 - fall}}}}
	}
	return t
}

func TestInBetween(t *testing.T) {
	good := map[string]float64{"bsp": 0, "asp": 4, "ssp": 1, "dssp": 1, "dasp": 2}
	fill := func(homo, hetero map[string]float64) study {
		st := studied(nil)
		for _, m := range cnns {
			st.on[homogeneous][m], st.on[heterogeneous][m] = falling(homo), falling(hetero)
		}
		return st
	}
	better := map[string]float64{"bsp": 0, "asp": 4, "ssp": 1, "dssp": 1, "dasp": 1}
	wantVerdict(t, "as stated", inBetween(&result.Result{}, fill(good, better)), claims.SameSign, "0.50 homogeneous, 0.25 heterogeneous")
	wantVerdict(t, "no better", inBetween(&result.Result{}, fill(good, good)), claims.Differs, "0.50 homogeneous, 0.50 heterogeneous")
	wantVerdict(t, "BSP falls", inBetween(&result.Result{}, fill(map[string]float64{"bsp": 3, "asp": 4, "ssp": 1, "dssp": 1, "dasp": 2}, better)), claims.Differs, "BSP 3.00")
	wantVerdict(t, "nothing falls", inBetween(&result.Result{}, fill(nil, nil)), claims.Differs, "ASP's accuracy never falls")
	ci := study{profile: "ci", sizes: sizesOf("ci")}
	wantVerdict(t, "ci", inBetween(&result.Result{}, ci), claims.NotRun, "profile ci")
}

func TestPickTakesTheBestMean(t *testing.T) {
	if got := pick([][]float64{{0.2, 0.9}, {0.5, 0.75}, {0.625, 0.625}, {0.6, 0.6}}); got != 1 {
		t.Errorf("picked %d, want the best mean over seeds and of equals the first, 1", got)
	}
}

// The page says how DASP does beside ASP and DSSP where it does anything else.
func TestLead(t *testing.T) {
	st := studied(map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 2, "dasp": 2})
	got := strings.Join(lead(heterogeneous, st), "")
	if !strings.Contains(got, "LeNet-5 2.00 of ASP's [") || strings.Contains(got, "DSSP") || !strings.Contains(got, "VGG-19-BN 2.00 of ASP's") {
		t.Errorf("twice ASP's time, the same as DSSP: %q", got)
	}
	if got := lead(heterogeneous, studied(map[string]float64{"bsp": 4, "asp": 2, "ssp": 3, "dssp": 2, "dasp": 2})); got != nil {
		t.Errorf("the same as both: %q", got)
	}
	row := convergenceTable("x", "x", sizeOf("quick", "lenet5"), st.on[heterogeneous]["lenet5"]).Rows[1]
	if math.Abs(row[6].(float64)-2) > 1e-9 || row[7] == nil {
		t.Errorf("the table's DASP over ASP is %v", row[6:9])
	}
}

func TestNotesAreMerged(t *testing.T) {
	var n mergedNotes
	n.add("a", "x.")
	n.add("b", "y.")
	n.add("c", "x.")
	n.add("d", "")
	if got := strings.Join(n.lines(), "|"); got != "a, c: x.|b: y." {
		t.Errorf("%q", got)
	}
}

// A time at the first evaluation is an upper bound, and is said to be.
func TestEarly(t *testing.T) {
	s := size{Model: "lenet5", Target: 0.7}
	c := climbing(0.7, map[string]float64{"bsp": 1, "dasp": 1})
	c["dasp"][0].Curve = c["dasp"][0].Curve[1:]
	if got := early(s, c, "bsp", "dasp"); !strings.Contains(got, "DASP is there at its first evaluation in 1 of 2 seeds") || strings.Contains(got, "BSP") {
		t.Errorf("%q", got)
	}
}

func TestPercentIsRound(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard", "paper"} {
		for _, s := range sizesOf(profile) {
			if len(s.percent()) > len("97.5 %") {
				t.Errorf("%s: target %s", s.Model, s.percent())
			}
		}
	}
}

// Networks that share a set give it once, with what each does to its images.
func TestSetData(t *testing.T) {
	var res result.Result
	setData(&res, &result.Data{Name: "a", Note: "x"}, nil, &result.Data{Name: "a", Note: "y"}, &result.Data{Name: "a", Note: "x"})
	if res.Data == nil || res.Data.Note != "x; y" || res.Datasets != nil {
		t.Errorf("one set: %+v, %v", res.Data, res.Datasets)
	}
	res = result.Result{}
	setData(&res, &result.Data{Name: "a"}, &result.Data{Name: "b"})
	if len(res.Datasets) != 2 || *res.Data != res.Datasets[0] {
		t.Errorf("two sets: %+v, %v", res.Data, res.Datasets)
	}
}
