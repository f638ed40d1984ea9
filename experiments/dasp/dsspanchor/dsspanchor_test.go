package dsspanchor

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gradsync/datasets"
	"gradsync/experiments/bench"
	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// A log of two workers by hand: the first two gradients are the warm-up.
func TestLapOf(t *testing.T) {
	s := time.Second
	l := &dasp.Log{Workers: 2, Pushes: []dasp.Push{
		{Worker: 0, Applied: 1, Sent: 0, Received: 1 * s, Replied: 2 * s, Clock: 1},
		{Worker: 1, Applied: 2, Sent: 0, Received: 3 * s, Replied: 3 * s},
		{Worker: 0, Pulled: 1, Applied: 3, Sent: 2 * s, Received: 3 * s, Replied: 5 * s, Clock: 1},
		{Worker: 0, Pulled: 3, Applied: 4, Sent: 5 * s, Received: 6 * s, Clock: 2, Abandoned: true},
		{Worker: 1, Pulled: 2, Sent: 3 * s, Received: 6 * s, Abandoned: true},
	}, Updates: []dasp.Update{{At: 1 * s, Pushes: 1}, {At: 3 * s, Pushes: 2}, {At: 3 * s, Pushes: 3}, {At: 7 * s, Pushes: 4}}}
	got := simulationOf(l, 2)
	want := simulation{PerGradient: 2, Epochs300: 3 + 2*(fullGradients-2), FastShare: 0.75,
		FastWaits: 3. / 5, Waits: 3. / 8, Staleness: 0.5, Largest: 2, Factor: 3}
	if got != want {
		t.Errorf("lapOf = %+v, want %+v", got, want)
	}
}

// fieldOn runs contestants for one seed.
func fieldOn(t *testing.T, p *cluster.Platform, list []contestant, n int64) clusterRuns {
	t.Helper()
	f := clusterRuns{list: list}
	for _, c := range list {
		l := oktest.Must(c.timed(t.Context(), exp.Env{}, p, ownModel, n, 0))(t)
		f.runs = append(f.runs, []simulation{l})
	}
	return f
}

// The closed forms give the times of the simulator with free links, no jitter and an idle server.
func TestClosedFormsAreTheSimulation(t *testing.T) {
	oktest.Slow(t)
	p := setup.Load(mixedPair).WithHosts(func(h *cluster.Host, server bool) {
		h.Jitter, h.Latency, h.Overhead, h.Bandwidth = 0, 0, 0, 1e15
		if server {
			h.FLOPS, h.Memory = 1e18, 0
		}
	})
	p.Decision = 0
	const n = 3000
	f := fieldOn(t, p, contestants(2)[:6], n)
	if math.Abs(f.factor()-pairFactor()) > 0.01*pairFactor() {
		t.Errorf("f = %g, the cards' ratio is %g", f.factor(), pairFactor())
	}
	for i, c := range f.list {
		got := f.ratio(c.Key)
		want, off := aspRatio(f.factor()), 1e-3
		if c.lead() >= 0 {
			want, off = 1, tie(n)
		}
		if math.Abs(got-want) > off {
			t.Errorf("%s takes %.4f of BSP's time, by arithmetic %.4f", c.Key, got, want)
		}
		if lead := max(c.lead(), 1); c.lead() >= 0 && f.largest(i) > lead {
			t.Errorf("%s: %d clocks ahead, at most %d", c.Key, f.largest(i), lead)
		}
	}
	if x := factorOf(aspRatio(2.57)); math.Abs(x-2.57) > 1e-12 {
		t.Errorf("factorOf(aspRatio(2.57)) = %g", x)
	}
	if x := boundedRatio(16, 1600); x != 0.99 {
		t.Errorf("boundedRatio(16, 1600) = %g, want 0.99", x)
	}
}

// played is a race decided by a policy of package rivals: who pushes when, with the race's periods and no network.
func played(t *testing.T, x race, n int64) (largest int64, end time.Duration) {
	p := oktest.Must(rivals.NewDSSP(rivals.Options{Workers: 2, Lower: x.lower, Upper: x.upper}))(t)
	period := [2]time.Duration{1e9, time.Duration(x.f * 1e9)}
	next := period
	var clock [2]int64
	for range n {
		w := 1
		if next[0] > 0 && next[0] <= next[1] {
			w = 0
		}
		end, next[w] = next[w], 0
		clock[w]++
		largest = max(largest, clock[0]-clock[1])
		for _, a := range p.Step(dasp.Event{Kind: dasp.EventPush, Worker: w, At: end}) {
			if a.Kind == dasp.Reply {
				next[a.Workers[0]] = end + period[a.Workers[0]]
			}
		}
	}
	return largest, end
}

// The capped race is the policy, decision by decision: the same end and the same
// largest gap for many factors and ranges.
func TestRaceIsTheDSSPPolicy(t *testing.T) {
	for _, f := range []float64{1.125, 1.5, 2.3125, 2.5625, 3.0625, 6.1875} { // whole numbers of 2⁻⁴: no rounding
		for _, bounds := range [][2]int64{{3, 15}, {0, 4}, {2, 2}, {1, 9}} {
			x := race{f, bounds[0], bounds[1], true, cluster.Host{}}
			largest, end := played(t, x, 2000)
			if got := x.run(2000, nil); got.largest != largest || math.Abs(got.time-end.Seconds()) > 1e-6 {
				t.Errorf("f = %g, range %v: the race ends at %g, %d ahead; the policy at %g, %d ahead", f, bounds, got.time, got.largest, end.Seconds(), largest)
			}
		}
	}
}

// As printed the gap has no bound: with the six-fold straggler and jitter it goes
// far beyond 15, as with none; and a race without jitter never waits long.
func TestPrintedDSSPRunsAway(t *testing.T) {
	for _, jitter := range []float64{0, 0.05} {
		most := map[bool]int64{}
		for _, capped := range []bool{true, false} {
			for seed := range uint64(2) {
				x := race{6, 3, 15, capped, cluster.Host{Jitter: jitter}}
				most[capped] = max(most[capped], x.run(5000, cluster.Stream(seed, 0, "dssp-anchor", "race")).largest)
			}
		}
		if most[false] < 200 {
			t.Errorf("jitter %g: at most %d clocks ahead, expected a runaway", jitter, most[false])
		}
		if most[true] > 16 {
			t.Errorf("jitter %g, capped: %d clocks ahead, want at most s_U + 1 = 16", jitter, most[true])
		}
	}
}

func TestOrder(t *testing.T) {
	list := []entrant{{symbol: "c", seconds: 3}, {symbol: "a", seconds: 1},
		{symbol: "b", seconds: 1.0009}, {symbol: "d", seconds: 3.0031}}
	if got := order(list, 1e-3); got != "a=b<c<d" {
		t.Errorf("order = %q", got)
	}
	if list[0].symbol != "c" {
		t.Error("order sorted its argument")
	}
	// Against 4 1 2 3: (a,b) ties, (c,…) and the rest by hand.
	agree, ties, against := pairs(list, []entrant{{symbol: "c", seconds: 4},
		{symbol: "a", seconds: 1}, {symbol: "b", seconds: 2}, {symbol: "d", seconds: 3}}, 1e-3)
	if agree != 4 || ties != 1 || against != 1 {
		t.Errorf("pairs: %d alike, %d ties, %d against; want 4, 1, 1", agree, ties, against)
	}
}

// raceField has the given seconds of 300 epochs for BSP, ASP, SSP three times and DSSP, in two seeds.
func raceField(seconds ...float64) clusterRuns {
	f := clusterRuns{list: contestants(2)}
	for i := range f.list {
		x := seconds[min(i, len(seconds)-1)]
		l := simulation{Epochs300: x, Factor: 2.5}
		f.runs = append(f.runs, []simulation{l, l})
	}
	return f
}

func TestHomogeneousOrder(t *testing.T) {
	s := lengthsOf("standard")
	for _, c := range []struct {
		name          string
		seconds       []float64 // BSP, ASP, SSP s=3, 6, 15, DSSP
		verdict, seen string
	}{
		{"as stated", []float64{1, 4, 2, 2, 2, 3}, claims.Holds, "BSP<SSP<DSSP<ASP"},
		{"the opposite", []float64{4, 1, 3, 3, 3, 2}, claims.Differs, "ASP<DSSP<SSP<BSP"},
		{"one tie", []float64{1, 4, 2, 2, 2, 2.001}, claims.Differs, "BSP<SSP=DSSP<ASP"},
		{"SSP by s = 15 too", []float64{1, 4, 2, 2, 6, 3}, claims.Differs, "BSP<DSSP<SSP<ASP"},
		{"SSP by its mean", []float64{1, 4, 0.5, 2, 2.6, 3}, claims.Holds, "BSP<SSP<DSSP<ASP"},
	} {
		f := raceField(c.seconds...)
		got := homogeneousOrder(map[string]clusterRuns{ownModel: f, "resnet18": f}, s)
		if len(got.Differs) != len(homogeneousDiffers) {
			t.Errorf("%s: differs in %v", c.name, got.Differs)
		}
		seen := got.Found.Args["orders"].([]map[string]any)[1]
		if got.Verdict != c.verdict || got.ID != "X13" || seen["model"] != "resnet18" || seen["order"] != c.seen {
			t.Errorf("%s: %s, found %v; want %s, %s", c.name, got.Verdict, seen, c.verdict, c.seen)
		}
	}
	// One model of two against it is enough.
	got := homogeneousOrder(map[string]clusterRuns{ownModel: raceField(1, 4, 2, 2, 2, 3), "resnet18": raceField(2, 4, 1, 1, 1, 3)}, s)
	if got.Verdict != claims.Differs {
		t.Errorf("one model against the order: %s", got.Verdict)
	}
}

// Every X row but the last is not run, once, with the reason and both ratios.
func TestAnchorClaims(t *testing.T) {
	got := tableClaims(raceField(10, 5, 10, 10, 10, 9))
	if len(got) != 12 {
		t.Fatalf("%d claims, want X01–X12", len(got))
	}
	for i, c := range got {
		if c.ID != fmt.Sprintf("X%02d", i+1) || c.Verdict != claims.NotRun || len(c.Reasons) != 2 ||
			c.Reasons[0].Code != "dssp-not-trained" || math.Abs(c.Reasons[0].Args["flop"].(float64)-2.28e16) > 1e14 {
			t.Errorf("%s: %s, %v", c.ID, c.Verdict, c.Reasons)
		}
	}
	for i, want := range map[int]result.Reason{0: result.Because("dssp-pace", "ratio", 1., "stated", 1.), 1: result.Because("dssp-pace-unreached", "ratio", 1.),
		2: result.Because("dssp-pace", "ratio", 0.5, "stated", 2993.1/6159.2), 3: result.Because("dssp-pace-no-base", "ratio", 0.5),
		5: result.Because("dssp-pace-unreached", "ratio", 1.), 10: result.Because("dssp-pace", "ratio", 0.9, "stated", 3016.4/6159.2)} {
		g := got[i].Reasons[1]
		if g.Code != want.Code || len(g.Args) != len(want.Args) {
			t.Errorf("%s: %v, want %v", got[i].ID, g, want)
		}
		for k, x := range want.Args {
			if math.Abs(g.Args[k].(float64)-x.(float64)) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", got[i].ID, k, g.Args[k], x)
			}
		}
	}
	for _, name := range datasets.Names() {
		if strings.Contains(name, "100") {
			t.Errorf("there is a data set %s: the reason is out of date", name)
		}
	}
}

// The claims' rows and the contestants name the same methods.
func TestContestantsMatchTheClaims(t *testing.T) {
	for _, c := range contestants(2) {
		claim, ok := claims.Get(c.Stated)
		if !ok {
			continue
		}
		next, _ := claims.Get(after(c.Stated))
		digits := regexp.MustCompile(`\d+`).FindAllString(claim.Baseline, -1)
		if !strings.HasPrefix(c.Symbol, strings.Fields(claim.Baseline)[0]) || next.Baseline != claim.Baseline ||
			!strings.Contains(claim.Text, "0.67") || !strings.Contains(next.Text, "0.68") ||
			len(digits) > 0 && digits[0] != strconv.FormatInt(c.Lower, 10) || len(digits) > 1 && digits[1] != strconv.FormatInt(c.Upper-c.Lower, 10) {
			t.Errorf("%s is set beside %s, %q and %q of %s", c.Key, c.Stated, claim.Text, next.Text, claim.Baseline)
		}
	}
}

// The hours that benchRate gives are a least: no round of BENCHMARKS.json was much faster. Nor was the fastest much
// slower, if no other programs ran beside it.
func TestBenchRateIsTheBenchmarks(t *testing.T) {
	text := oktest.Must(os.ReadFile("../../../BENCHMARKS.json"))(t)
	book := oktest.Must(bench.ReadBook(text))(t)
	c := book.Find("Step", "model=resnet18/batch=32/threads=2")
	if c == nil || len(c.By["asm"]["GFLOP/s"]) == 0 {
		t.Fatal("BENCHMARKS.json has no rounds of asm for resnet18, batch 32")
	}
	best, busy := 1e9*slices.Max(c.By["asm"]["GFLOP/s"]), book.Loaded().Busy
	t.Logf("the fastest round has %.3g FLOP/s, others ran beside it: %t", best, busy)
	if benchRate < 0.7*best || !busy && benchRate > 1.4*best {
		t.Errorf("benchRate is %g FLOP/s, the fastest round of BENCHMARKS.json has %.3g", benchRate, best)
	}
}

// The cost in FLOP is the network's own, three passes over 15 million images.
func TestTrainingCost(t *testing.T) {
	flop, hours := trainingCost()
	if want := 3 * 2 * 253_149_824.0 * 15e6; math.Abs(flop/want-1) > 1e-12 {
		t.Errorf("%g FLOP, want %g", flop, want)
	}
	if math.Abs(hours-flop/420e9/3600) > 1e-9 {
		t.Errorf("%g hours", hours)
	}
}

// The reason: answered first, the slow worker no longer queues behind the
// fast one, and DSSP's gain over SSP and ASP's over its closed form go away.
func TestTheQueueAtTheServerIsTheReason(t *testing.T) {
	oktest.Slow(t)
	p := setup.Load(mixedPair)
	gains := func() (dssp, asp float64) {
		c := contestants(2)
		f := fieldOn(t, p, []contestant{c[0], c[1], c[2], c[5]}, 3000)
		factor := f.factor()
		if factor < 1 { // the slow worker is the first
			factor = 1 / factor
		}
		return 1 - f.ratio("dssp")/f.ratio("ssp-3"), 1 - f.ratio("asp")/aspRatio(factor)
	}
	dssp, asp := gains()
	p.Workers[0], p.Workers[1] = p.Workers[1], p.Workers[0]
	dsspAfter, aspAfter := gains()
	if dssp < 0.02 || asp < 0.02 || math.Abs(dsspAfter) > dssp/4 || math.Abs(aspAfter) > asp/4 {
		t.Errorf("gains of DSSP %.4f and of ASP %.4f become %.4f and %.4f", dssp, asp, dsspAfter, aspAfter)
	}
}

// The findings follow the numbers.
func TestAnchorReadings(t *testing.T) {
	asp := aspRatio(pairFactor())
	for want, got := range map[string]string{"never": reading(1, 1, 1, asp), "always": reading(asp, asp, asp, asp),
		"regular": reading(asp, asp, 1, asp), "perfect": reading(asp, 1, 1, asp)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for want, lists := range map[bool][][]float64{true: {{0.85, 0.95, 0.995}}, false: {{0.85, 0.84, 0.995}, {0.5, 0.6, 0.7}}} {
		for _, x := range lists {
			if queueIsTheReason(x) != want {
				t.Errorf("%v: want %t", x, want)
			}
		}
	}
	size := lengthsOf("standard")
	for seconds, want := range map[float64]bool{1: true, 0.7: false} {
		for _, fact := range facts(raceField(1, 0.5, seconds, seconds, seconds, 1), size) {
			if fact.Key == "ssp.unexplained" && fact.Value != want {
				t.Errorf("SSP at %g of BSP: %v", seconds, fact.Value)
			}
		}
	}
	for _, c := range []struct {
		f            clusterRuns
		free, narrow bool
	}{
		{raceField(1, 0.5, 1, 1, 1, 1, 0.6, 0.5), true, true}, {raceField(1, 0.5, 1, 1, 1, 1, 0.9, 0.5), false, true},
		{raceField(1, 0.5, 1, 1, 1, 1, 0.9, 0.9), false, false},
	} {
		if free, narrow := byVersions(c.f, size); free != c.free || narrow != c.narrow {
			t.Errorf("DASP at %g and %g of BSP: %t, %t", c.f.over(6).Value, c.f.over(7).Value, free, narrow)
		}
	}
}

// The record holds both clusters' contestants: DASP's thresholds grow with N.
func TestAnchorSetupIsComplete(t *testing.T) {
	raw := oktest.Must(json.Marshal(config(lengthsOf("quick"))))(t)
	for _, want := range []string{`"dasp-1-2"`, `"dasp-8-16"`, `"resnet18"`, `"other_links":[{`, `"alpha":`, `"race_bounds":[3,15]`, `"overhead":3000000`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in the configuration", want)
		}
	}
}

// Every push and update is train.Run's, by the same worker in the same state and
// at the same time, to the nanoseconds that a drawn jitter rounds away per layer.
func TestOneStageIsTrainRunPushByPush(t *testing.T) {
	for _, c := range []struct {
		platform, model string
		which           int
	}{{mixedPair, ownModel, 5}, {sixteen, "resnet18", 6}, {mixedPair, "lenet5", 0}} {
		cfg := contestants(int64(len(setup.Load(c.platform).Workers)))[c.which].config(setup.Load(c.platform), c.model, 64, 3)
		want := oktest.Must(train.Run(t.Context(), cfg))(t)
		network := setup.FullSizeOf(c.model)
		got := oktest.Must(network.InOneStage(t.Context(), cfg))(t)
		if len(got.Pushes) != len(want.Log.Pushes) || len(got.Updates) != len(want.Log.Updates) {
			t.Fatalf("%+v: %d pushes, %d updates; want %d, %d", c, len(got.Pushes), len(got.Updates), len(want.Log.Pushes), len(want.Log.Updates))
		}
		for i, p := range want.Log.Pushes {
			q := got.Pushes[i]
			same := q.Worker == p.Worker && q.Applied == p.Applied && q.State == p.State
			if d := q.Received - p.Received; !same || d.Abs() > 50*time.Microsecond*time.Duration(1+i/64) {
				t.Fatalf("%+v: push %d is %+v, want %+v", c, i, q, p)
			}
		}
	}
}
