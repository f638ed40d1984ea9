package convergence

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// climbing makes the cells of a method that reaches the target at a number of gradients
// (and seconds), in two seeds a thousandth apart; 0: never.
func climbing(method string, target, at float64) (out []setup.Summary) {
	for _, f := range []float64{1, 1.001} {
		c := setup.Summary{Curve: []train.Point{{Accuracy: 0.1}, {Pushes: 9, Seconds: 9, Accuracy: 0.2}}, Accuracy: 0.2, Data: &result.Data{Name: "mnist"}}
		if x := at * f; x > 0 {
			there := train.Point{Pushes: int64(1000 * x), Seconds: x, Accuracy: target}
			c.Curve = []train.Point{{Accuracy: 0.1}, there, {Pushes: int64(2000 * x), Seconds: 2 * x, Accuracy: target + 0.05}}
		}
		c.Iteration.PerWorker = map[string]float64{"bsp": 4, "asp": 1, "ssp": 2, "dssp": 2.5, "dasp": 1}[method]
		c.Digest = fmt.Sprint(c.Curve) // who has the same curve did the same
		out = append(out, c)
	}
	return out
}

// studied is a view of a profile's trainings in which every network does the same on every
// platform, but for those of some points.
func studied(profile string, at map[string]float64, but ...map[point]float64) *view {
	cells := map[point][]setup.Summary{}
	for _, p := range every(profile, networksOn{setup.Homogeneous, setup.Models}, networksOn{setup.Heterogeneous, setup.Models}) {
		x := at[p.Method]
		for _, b := range but {
			if y, ok := b[p]; ok {
				x = y
			}
		}
		cells[p] = climbing(p.Method, setup.SizeOf(profile, p.Model).Target, x)
	}
	return kit.NewView(&result.Result{Profile: profile, Seeds: []uint64{0, 1}}, cells)
}

// seeded is studied of profile quick with more seeds, a thousandth apart.
func seeded(seeds int, at map[string]float64, but ...map[point]float64) *view {
	v, cells := studied("quick", at, but...), map[point][]setup.Summary{}
	var list []uint64
	for i := range seeds {
		list = append(list, uint64(i))
	}
	for _, p := range every("quick", networksOn{setup.Homogeneous, setup.Models}, networksOn{setup.Heterogeneous, setup.Models}) {
		for i := range seeds {
			c := v.At(p)[0]
			stretch := 1 + 0.001*float64(i)
			c.Curve = kit.Map(c.Curve, func(x train.Point) train.Point { x.Seconds *= stretch; return x })
			cells[p] = append(cells[p], c)
		}
	}
	return kit.NewView(&result.Result{Profile: "quick", Seeds: list}, cells)
}

// all are the points of the methods with the times of one network on one platform.
func all(platform, model string, at map[string]float64) map[point]float64 {
	out := map[point]float64{}
	for _, m := range setup.Methods {
		out[point{platform, model, m}] = at[m]
	}
	return out
}

// Each convergence claim is judged for the network, method and cluster that claims.csv names.
func TestConvergenceClaimsMatchTheTable(t *testing.T) {
	name, n := map[string]string{"resnet18": "ResNet-18", "vgg19_bn": "VGG19_BN"}, 0
	for platform, words := range map[string]string{setup.Homogeneous: "homogeneous cluster", setup.Heterogeneous: "heterogeneous cluster"} {
		for _, r := range convergenceList(platform) {
			c, ok := claims.Get(r.id)
			if !ok || c.Baseline != strings.ToUpper(r.against) || !strings.HasPrefix(c.Conditions, words+"; "+name[r.Model]+";") {
				t.Errorf("%s is judged for %v against %s; the row says %s, %s", r.id, r.point, r.against, c.Baseline, c.Conditions)
			}
			n++
		}
		for i, m := range cnns { // the ratios derived from them
			first := map[string]int{setup.Homogeneous: 48, setup.Heterogeneous: 52}[platform] + 2*i
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

func TestConvergenceClaims(t *testing.T) {
	// Times: DASP 2 of BSP 4, ASP 5, SSP 2.5, DSSP 3.2.
	v := studied("quick", map[string]float64{"bsp": 4, "asp": 5, "ssp": 2.5, "dssp": 3.2, "dasp": 2})
	got := map[string]result.Claim{}
	for _, c := range convergenceClaims(v, setup.Heterogeneous, 52) {
		if _, twice := got[c.ID]; twice {
			t.Errorf("%s is judged twice", c.ID)
		}
		got[c.ID] = c
	}
	if len(got) != 12 {
		t.Errorf("%d verdicts, want 8 reductions and 4 lists", len(got))
	}
	for id, want := range map[string]float64{"D27": 50, "D28": 60, "D29": 20, "D30": 37.5, "D31": 50, "D34": 37.5} {
		c := got[id]
		if x, ok := c.Measured.(float64); !ok || math.Abs(x-want) > 1e-9 || c.CI95 == nil || len(c.Samples[0]) != 2 {
			t.Errorf("%s: measured %v, want %g with an interval", id, c.Measured, want)
		}
		if c.Verdict == claims.Within || len(c.Differs) < 3 || c.Table != "7" || c.Network == "" || c.Rival == "" || c.Cluster != setup.Heterogeneous {
			t.Errorf("%s: verdict %s of a run that differs by %v", id, c.Verdict, c.Differs)
		}
	}
	for id, want := range map[string][]float64{
		"D52": {0.5, 1.25, 0.625, 0.8}, // DASP, ASP, SSP, DSSP over BSP
		// DASP over BSP, SSP, DSSP: convergence ratio over iteration-time ratio, which are
		// 0.5 / 0.25, 0.8 / 0.5 and 0.625 / 0.4 at the iteration times of climbing.
		"D53": {2, 1.6, 1.5625},
	} {
		if x, ok := got[id].Measured.([]float64); !ok || !slices.EqualFunc(x, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s: measured %v, want %v", id, got[id].Measured, want)
		}
	}
	i := slices.Index(kittest.Codes(got["D53"].Reasons), "gradient-ratios")
	if g := got["D53"].Reasons[i].Args["ratios"].([]float64); math.Abs(g[0]-0.5)+math.Abs(g[1]-0.8)+math.Abs(g[2]-0.625) > 1e-3 {
		t.Errorf("D53 hides the gradients: %v", g)
	}
}

// A method that misses a target leaves its own reductions and the ratios to the sign test, which two
// pairs never decide, and no others; a profile without the network leaves them all without a number.
func TestConvergenceWithoutANumber(t *testing.T) {
	for _, c := range convergenceClaims(studied("quick", map[string]float64{"bsp": 4, "asp": 5, "dssp": 3, "dasp": 2}), setup.Homogeneous, 48) {
		row, _ := claims.Get(c.ID)
		bounded := slices.ContainsFunc(c.Reasons, func(r result.Reason) bool { return r.Code == "bounded-pairs" })
		list := c.ID >= "D48"
		if wants := row.Baseline == "SSP" || list; wants != bounded || wants && !list && c.Verdict != claims.Undecided || c.Verdict == claims.NotRun {
			t.Errorf("%s against %s: %s, %v", c.ID, row.Baseline, c.Verdict, c.Reasons)
		}
		if x, _ := c.Measured.([]float64); list && (x == nil || slices.Index(c.CI95, nil) < 0 || len(c.Samples[0]) != 2) {
			t.Errorf("%s has no numbers: %v, %v", c.ID, c.Measured, c.CI95)
		}
	}
	for _, c := range convergenceClaims(studied("ci", nil), setup.Homogeneous, 48) {
		kittest.WantClaim(t, "ci", c, claims.NotRun, "untrained", "profile", "ci")
	}
}

// One number with misses that six pairs decide leaves a list decided, and one on the other side makes it
// differ; its size is open, so that the list is never better than the same sign.
func TestRatiosWithMisses(t *testing.T) {
	at := map[string]float64{"bsp": 4, "asp": 4.8, "ssp": 3.8, "dssp": 3.7, "dasp": 3.6}
	p := point{setup.Homogeneous, "resnet18", "dasp"}
	for _, c := range []struct {
		misses, want, code string
		seeds              int
	}{{"asp", claims.SameSign, "", 6}, {"asp", claims.Undecided, "sign-test-open", 5}, {"dasp", claims.Differs, "other-side", 6}} {
		v := seeded(c.seeds, at, map[point]float64{p.as(c.misses): 0})
		got := ratiosOf(v, "D48", p, primary, [][2]string{{"dasp", "bsp"}, {"asp", "bsp"}, {"ssp", "bsp"}, {"dssp", "bsp"}})
		kittest.WantClaim(t, c.misses+" misses", got, c.want, c.code)
		kittest.WantClaim(t, c.misses+" misses", got, c.want, "bounded-pairs", "ours", c.misses, "missed", c.seeds, "method", "bsp", "rival", 0)
	}
}

// A reduction of an interval of its own that excludes 0 does not decide the least of sixteen: the
// interval is of all cases at once, and cells that were declared undecidable have no say.
func TestExtremes(t *testing.T) {
	at := map[string]float64{"bsp": 4, "asp": 5, "ssp": 2.5, "dssp": 3.2, "dasp": 2}
	wide := all(setup.Heterogeneous, "resnet18", map[string]float64{"bsp": 20, "asp": 5, "ssp": 2.5, "dssp": 2, "dasp": 2.2})
	declared := all(setup.Homogeneous, "resnet18", map[string]float64{"bsp": 4, "asp": 5, "ssp": 0.2, "dssp": 0.2, "dasp": 2})
	for i, c := range extremes(studied("quick", at, wide, declared)) {
		want, rival := []float64{-10, 89}[i], []string{"dssp", "bsp"}[i] // DASP 2.2 over DSSP 2, over BSP 20
		if x, ok := c.Measured.(float64); !ok || math.Abs(x-want) > 1e-9 || c.CI95 == nil {
			t.Errorf("%s: measured %v %v, want %g", c.ID, c.Measured, c.CI95, want)
		}
		kittest.WantClaim(t, "extremes", c, []string{claims.Differs, claims.SameSign}[i], fmt.Sprintf("D%d", 35+i), "against", rival, "of", 16, "same", 0,
			"declared", 4, "cases", 12)
		kittest.WantClaim(t, "extremes", c, []string{claims.Differs, claims.SameSign}[i], "paper-contradicts-itself", "lo", 1.8, "hi", 61.2)
	}
	tied := all(setup.Homogeneous, "vgg19_bn", map[string]float64{"bsp": 4, "asp": 2, "ssp": 2, "dssp": 3.2, "dasp": 2})
	c := extremes(studied("quick", at, wide, tied))[0]
	kittest.WantClaim(t, "two ties", c, claims.Differs, "D35", "same", 2, "declared", 3, "cases", 11)
	for _, c := range extremes(studied("ci", nil)) {
		kittest.WantClaim(t, "ci", c, claims.NotRun, "untrained", "profile", "ci")
	}
	if c := extremes(studied("quick", map[string]float64{"bsp": 2, "asp": 2, "ssp": 2, "dssp": 2, "dasp": 2}))[0]; c.Verdict != claims.NoCase {
		t.Errorf("all do the same: %s, %v", c.Verdict, c.Reasons)
	}
}

// By hand: of two intervals the least lies from the least lower end to the least upper one, and the
// largest likewise. Student's quantile of one degree at 1 − 0.025/12 is 152.788 in place of 12.7062, so
// that two seeds whose ratios are a per cent apart exclude 1 alone and not among twelve.
func TestExtremesHoldAtOnce(t *testing.T) {
	with := func(lo, hi float64) reduction { return reduction{Estimate: kit.Estimate{CI: &[2]float64{lo, hi}}} }
	cases := []reduction{with(-3, 9), with(1, 4), with(-1, 12)}
	if lo, hi := jointly(cases, 1), jointly(cases, -1); *lo != [2]float64{-3, 4} || *hi != [2]float64{1, 12} {
		t.Errorf("the least lies in %v, the largest in %v", *lo, *hi)
	}
	if jointly(append(cases, reduction{}), 1) != nil {
		t.Error("a case without an interval is passed over")
	}
	x, base := kit.Sample{0.8, 0.808}, kit.Sample{1, 1}
	if one, all := x.Over(base), x.OverOf(base, 12); one.Against(1) != "below" || all.Against(1) != "undecided" ||
		math.Abs(math.Log(all.CI[1]/all.Value)/math.Log(one.CI[1]/one.Value)-152.788/12.7062) > 0.01 {
		t.Errorf("alone %v, among twelve %v", *one.CI, *all.CI)
	}
	side := func(s string) reduction { return reduction{side: s} }
	for _, c := range []struct {
		want string
		of   []reduction
	}{
		{claims.Below, []reduction{side(claims.Above), side(claims.Below), side("")}},
		{claims.Above, []reduction{side(claims.Above), side(claims.Above)}},
		{claims.Undecided, []reduction{side(claims.Above), side("")}},
	} {
		if got := sideOfExtreme(c.of, claims.Below, claims.Above); got != c.want {
			t.Errorf("the least of %v is %s, want %s", c.of, got, c.want)
		}
	}
	at := map[string]float64{"bsp": 4, "asp": 5, "ssp": 2.5, "dssp": 3.2, "dasp": 2}
	for i, c := range extremes(seeded(6, at, map[point]float64{{setup.Heterogeneous, "vgg19_bn", "bsp"}: 0})) {
		// The miss leaves only the side: six pairs do not decide among 12, and the other cases are above 0.
		kittest.WantClaim(t, "a miss", c, []string{claims.Undecided, claims.SameSign}[i], "extreme-bounded")
	}
}

func TestListedRange(t *testing.T) {
	c := listedRange()
	if kittest.WantClaim(t, "D37", c, claims.Input, "nothing-run"); c.Found.Code != claims.AsStated {
		t.Errorf("%+v", c)
	}
}

func TestNotGood(t *testing.T) {
	for _, c := range []struct {
		name          string
		at            map[string]float64
		verdict, code string
		args          []any
		parts         int
	}{
		{"DASP best", map[string]float64{"bsp": 4, "asp": 3, "ssp": 3, "dssp": 3, "dasp": 1}, claims.Differs, "", nil, 4},
		{"ASP faster", map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 3, "dasp": 2}, claims.Holds, "", nil, 4},
		{"as DSSP", map[string]float64{"bsp": 4, "asp": 3, "ssp": 3, "dssp": 1, "dasp": 1}, claims.Differs, "same-as-dasp", []any{"methods", []string{"dssp"}}, 4},
		{"DASP never", map[string]float64{"bsp": 4}, claims.Undecided, "not-in-every-seed", []any{"methods", []string{"asp", "ssp", "dssp", "dasp"}}, 4},
		{"as all", map[string]float64{"bsp": 1, "asp": 1, "ssp": 1, "dssp": 1, "dasp": 1}, claims.NoCase, "same-as-dasp", nil, 4},
		{"nobody", nil, claims.NoCase, "same-as-dasp", nil, 4},
	} {
		got := notGood(studied("quick", c.at))
		if kittest.WantClaim(t, c.name, got, c.verdict, c.code, c.args...); len(got.Parts) != c.parts {
			t.Errorf("%s: parts %v", c.name, got.Parts)
		}
	}
}

// DASP misses a target in one seed: the sign test judges each rival, its number counts the miss at the
// run's end, and nothing says that the target was not reached.
func TestNotGoodWithOneMiss(t *testing.T) {
	for seeds, want := range map[int]string{5: claims.Undecided, 6: claims.Holds} {
		v := seeded(seeds, map[string]float64{"bsp": 4, "asp": 3, "ssp": 3, "dssp": 3, "dasp": 5})
		dasp := v.At(point{setup.Homogeneous, "lenet5", "dasp"})
		dasp[1].Curve = slices.Clone(dasp[1].Curve)
		dasp[1].Curve[1].Accuracy, dasp[1].Curve[2].Accuracy = 0.3, 0.4
		c := notGood(v)
		kittest.WantClaim(t, "one miss", c, want, "not-in-every-seed", "methods", []string{"dasp"})
		p := c.Parts[0]
		if x, ok := p.Value.(float64); !ok || x < 1.2 || p.CI95 != nil || len(p.Samples) != seeds || p.P == nil ||
			math.Abs(*p.P-math.Pow(0.5, float64(seeds-1))) > 1e-12 {
			t.Errorf("%d seeds: %+v", seeds, p)
		}
		if n := len(c.Found.Args["rivals"].([]map[string]any)); n != 4 {
			t.Errorf("%d rivals are told of, want 4", n)
		}
	}
}

func TestMoreIterations(t *testing.T) {
	judge := func(at map[string]float64, but ...map[point]float64) result.Claim {
		frame, c := moreIterations(studied("quick", at, but...))
		if len(frame.Rows) != 16 {
			t.Errorf("%d rows, want the paper's 16", len(frame.Rows))
		}
		return c
	}
	below := func(c result.Claim) (n int) {
		for _, p := range c.Parts {
			if p.Holds != nil && !*p.Holds {
				n++
			}
		}
		return n
	}
	kittest.WantClaim(t, "ASP most", judge(map[string]float64{"bsp": 1, "asp": 3, "ssp": 2, "dssp": 2, "dasp": 2}), claims.Holds, "D58-cases", "cases", 16)
	c := judge(map[string]float64{"bsp": 1, "asp": 3, "ssp": 2, "dssp": 2, "dasp": 4})
	if kittest.WantClaim(t, "DASP more", c, claims.Differs, "D58-cases"); below(c) != 4 {
		t.Errorf("DASP more: %d parts fail, want 4", below(c))
	}
	c = judge(map[string]float64{"bsp": 1, "asp": 3, "dssp": 2, "dasp": 2})
	if kittest.WantClaim(t, "SSP never", c, claims.Undecided, "D58-cases", "cases", 16); c.Parts[1].P == nil || c.Parts[2].P != nil {
		t.Errorf("SSP never: %+v", c.Parts)
	}
	kittest.WantClaim(t, "ties are no cases", judge(map[string]float64{"bsp": 1, "asp": 3, "ssp": 3, "dssp": 2, "dasp": 3}), claims.Holds,
		"D58-cases", "cases", 8, "of", 16)
	kittest.WantClaim(t, "all the same", judge(map[string]float64{"bsp": 1, "asp": 1, "ssp": 1, "dssp": 1, "dasp": 1}), claims.NoCase, "all-do-as-asp")
	c = judge(map[string]float64{"bsp": 1, "asp": 3, "ssp": 2, "dssp": 2, "dasp": 2},
		all(setup.Homogeneous, "vgg19_bn", map[string]float64{"bsp": 1.5, "asp": 1, "ssp": 2, "dssp": 2, "dasp": 2}))
	if kittest.WantClaim(t, "one network alone", c, claims.Differs, "D58-cases"); below(c) != 4 {
		t.Errorf("one network alone: %d parts fail, want 4", below(c))
	}
}

func TestFastAndStable(t *testing.T) {
	same := map[string]float64{"bsp": 1, "asp": 1, "ssp": 1, "dssp": 1, "dasp": 1}
	kittest.WantClaim(t, "stable", fastAndStable(studied("quick", same)), claims.Holds, "D57-stable", "points", 2.5)
	shaky := studied("quick", same)
	asp, low := shaky.At(point{setup.Homogeneous, "lenet5", "asp"}), train.Point{Accuracy: 0.4}
	asp[0].Curve = append(asp[0].Curve, low, train.Point{Accuracy: 0.75})
	kittest.WantClaim(t, "ASP falls in one seed", fastAndStable(shaky), claims.Undecided, "D57-falls", "platform", setup.Homogeneous, "method", "asp")
	asp[1].Curve = append(asp[1].Curve, low, train.Point{Accuracy: 0.75})
	kittest.WantClaim(t, "ASP falls", fastAndStable(shaky), claims.Differs, "D57-falls", "platform", setup.Homogeneous, "method", "asp")
	slow := studied("quick", same, map[point]float64{{setup.Heterogeneous, "lenet5", "dssp"}: 0})
	kittest.WantClaim(t, "DSSP slow", fastAndStable(slow), claims.Differs, "D57-missed", "platform", setup.Heterogeneous, "method", "dssp", "percent", 70.0)
}

func TestInBetween(t *testing.T) {
	// fill gives each method of the two networks a fall of a number of points.
	fill := func(homo, hetero map[string]float64) *view {
		v := studied("quick", nil)
		for _, p := range every("quick", networksOn{setup.Homogeneous, cnns}, networksOn{setup.Heterogeneous, cnns}) {
			fall := map[string]map[string]float64{setup.Homogeneous: homo, setup.Heterogeneous: hetero}[p.Platform][p.Method] / 100
			for i := range v.At(p) {
				v.At(p)[i].Curve = []train.Point{{Accuracy: 0.1}, {Accuracy: 0.2}, {Accuracy: 0.7}, {Accuracy: 0.7 - fall}}
				v.At(p)[i].Digest = fmt.Sprint(v.At(p)[i].Curve)
			}
		}
		return v
	}
	good := map[string]float64{"bsp": 0, "asp": 4, "ssp": 1, "dssp": 1, "dasp": 2}
	better := map[string]float64{"bsp": 0, "asp": 4, "ssp": 1, "dssp": 1, "dasp": 1}
	c := inBetween(fill(good, better))
	kittest.WantClaim(t, "as stated", c, claims.Holds, "D40-share", "model", "resnet18")
	if n := len(c.Parts); n != 2*(2*7+1) || c.Found.Args["n"] != 4 {
		t.Errorf("%d parts, %v cases as stated; want 30, 4", n, c.Found.Args["n"])
	}
	if p := c.Parts[14]; p.Of["method"] != "dasp" || p.Of["rival"] != "asp" || math.Abs(p.Value.(float64)+0.25) > 1e-9 || p.CI95 == nil || len(p.Samples) != 2 {
		t.Errorf("DASP's share of ASP's falls from a half to a quarter: %+v", p)
	}
	kittest.WantClaim(t, "no better", inBetween(fill(good, good)), claims.Differs, "D40-share")
	c = inBetween(fill(map[string]float64{"bsp": 3, "asp": 4, "ssp": 1, "dssp": 1, "dasp": 2}, better))
	if c.Verdict != claims.Differs || c.Found.Args["n"] != 2 {
		t.Errorf("BSP falls: %s, %v", c.Verdict, c.Found)
	}
	kittest.WantClaim(t, "nothing falls", inBetween(fill(nil, nil)), claims.Differs, "D40-never")
	kittest.WantClaim(t, "ci", inBetween(studied("ci", nil)), claims.NotRun, "untrained", "profile", "ci")
}

// The frame says how DASP does beside each method, and how many seeds are without a time.
func TestConvergenceFrame(t *testing.T) {
	v := studied("quick", map[string]float64{"bsp": 4, "asp": 1, "ssp": 0, "dssp": 2, "dasp": 2})
	f := convergenceFrame(v, every("quick", networksOn{setup.Homogeneous, setup.Models[:1]}))
	get := func(row int, key string) any { return f.Rows[row][f.At(key)] }
	for i, want := range []string{"sooner", "later", "undecided", "same", "same"} { // SSP never: two pairs decide nothing
		if got := get(i, "finding"); got != want {
			t.Errorf("beside %s: %v, want %s", get(i, "method"), got, want)
		}
	}
	if x := get(1, "dasp_over").(float64); math.Abs(x-2) > 1e-9 || get(1, "dasp_over_lo") == nil || get(2, "seconds") != nil || get(2, "missed") != 2 {
		t.Errorf("rows %v", f.Rows)
	}
	v.At(point{setup.Homogeneous, "lenet5", "dasp"})[0].Curve = v.At(point{setup.Homogeneous, "lenet5", "dasp"})[0].Curve[1:]
	if n := first(v, point{setup.Homogeneous, "lenet5", "dasp"}); n != 1 {
		t.Errorf("%d seeds are there at their first evaluation, want 1", n)
	}
	if got := behind(v, point{setup.Homogeneous, "lenet5", "dasp"}, "dasp", "bsp"); got[len(got)-1].Args["n"] != 1 {
		t.Errorf("an upper bound is not said to be one: %v", got)
	}
}

// Means of a curve end with the shortest seed; bounds stay within 0 and 100 %.
func TestCurvesFrame(t *testing.T) {
	v, p := studied("ci", map[string]float64{"bsp": 4}), point{setup.Homogeneous, "lenet5", "bsp"}
	v.At(p)[0].Curve[0].Accuracy = 0.9
	v.At(p)[1].Curve = v.At(p)[1].Curve[:2]
	f := curvesFrame(v, []point{p})
	if n := len(f.Rows); n != 3+2+2 {
		t.Fatalf("%d rows, want five of seeds and two of means", n)
	}
	mean := f.Rows[5]
	get := func(key string) any { return mean[f.At(key)] }
	if get("seed") != nil || math.Abs(get("accuracy").(float64)-50) > 1e-9 || get("accuracy_lo") != 0.0 || get("accuracy_hi") != 100.0 {
		t.Errorf("the mean is %v", mean)
	}
}

func TestFluctuationCountsFallsAlone(t *testing.T) {
	c := setup.Summary{Curve: []train.Point{{Accuracy: 0.1}, {Accuracy: 0.9}, {Accuracy: 0.5}, {Accuracy: 0.44}, {Accuracy: 0.6}, {Accuracy: 0.58}}}
	if got := fluctuation(c); math.Abs(got-100*0.02/2) > 1e-9 { // last half: 0.44, 0.6, 0.58
		t.Errorf("fluctuation = %g points, want 1", got)
	}
}

// Pages of a user's own runs say nothing wrong in either language: one seed has no
// interval, a missed target no time, a short profile fewer networks.
func TestOwnRunsRender(t *testing.T) {
	book := oktest.Must(notebook.Open(os.DirFS("../../../reports/text")))(t)
	for name, c := range map[string]struct {
		profile string
		seeds   int
		at      map[string]float64
		lacks   string
	}{
		"one seed":        {"quick", 1, map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 2, "dasp": 2}, "±"},
		"DASP never":      {"quick", 2, map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 2}, "same accuracy DASP needs"},
		"nobody":          {"quick", 2, nil, "same accuracy DASP needs"},
		"LeNet-5 alone":   {"ci", 2, map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 2, "dasp": 2}, "ResNet-18 to"},
		"the real images": {"standard", 2, map[string]float64{"bsp": 4, "asp": 1, "ssp": 3, "dssp": 2, "dasp": 2}, "VGG-19-BN’s gradients from"},
	} {
		for _, study := range trainingStudies() {
			if !slices.Contains(study.Profiles, c.profile) {
				continue
			}
			cells := map[point][]setup.Summary{}
			for _, p := range study.Points(c.profile) {
				cells[p] = climbing(p.Method, setup.SizeOf(c.profile, p.Model).Target, c.at[p.Method])[:c.seeds]
			}
			v := kit.NewView(kit.Start(study.ID, study.Source, study.Kind, exp.Env{Profile: c.profile, Seeds: []uint64{7, 8}[:c.seeds]}, nil), cells)
			study.Show(v)
			raw, err := result.Encode(v.Result)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, study.ID, err)
			}
			r := oktest.Must(result.Decode(study.ID, raw))(t)
			page, err := book.Page(r, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			text, _, _ := strings.Cut(page.Text(0), "What the paper states")
			text = strings.ReplaceAll(text, "± half", "")
			text = strings.ReplaceAll(text, "± is half", "")
			if strings.Contains(text, c.lacks) || c.seeds == 1 && strings.Contains(text, "[") {
				t.Errorf("%s, %s says\n%s", name, study.ID, text)
			}
		}
	}
}

// Claims on one network that differ are counted, and apart those with whose network DASP trained as ASP did.
func TestDiffer(t *testing.T) {
	at := map[string]float64{"bsp": 4, "asp": 1, "ssp": 2, "dssp": 2.5, "dasp": 1}
	other := map[string]float64{"bsp": 4, "asp": 1, "ssp": 2, "dssp": 2.5, "dasp": 3}
	v := studied("quick", at, all(setup.Homogeneous, "vgg19_bn", other))
	for _, c := range []result.Claim{{Network: "resnet18", Verdict: claims.Differs}, {Network: "vgg19_bn", Verdict: claims.Differs},
		{Network: "resnet18", Verdict: claims.Within}, {Verdict: claims.Differs}} {
		c.Cluster = setup.Homogeneous
		v.Claims = append(v.Claims, c)
	}
	for key, want := range map[string]int{"differ": 2, "differ_as_asp": 1} {
		if got := kittest.Fact(t, differ(v), key); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %d", key, got, want)
		}
	}
}
