package ring

import (
	"math"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/shared/cluster"
)

// Every stack has the blog's size and, on one GPU, its 370 ms.
func TestStacksAreTheBlogsSize(t *testing.T) {
	p := calm(blogCluster())
	for _, s := range stacks() {
		if got := s.params(); math.Abs(float64(got)/blogParams-1) > 0.001 {
			t.Errorf("%s: %d parameters", s.Key, got)
		}
		l, err := iteration{Stack: s, Overlap: true, Steps: 2}.run(t.Context(), p, 1)
		if err != nil || math.Abs(l.Seconds-blogSingle) > 1e-6 {
			t.Errorf("%s: %g s on one GPU, %v", s.Key, l.Seconds, err)
		}
	}
}

// One GRU layer by hand: two directions, three gates, input and state of 1910, one bias each.
func TestDeepSpeechByHand(t *testing.T) {
	s := deepSpeech()
	if got := s.Layers[3].Params; got != 43_788_660 || len(s.Layers) != 10 || s.Layers[0].Params != 14_464 {
		t.Errorf("gru2 has %d parameters, conv1 %d", got, s.Layers[0].Params)
	}
}

// Three layers of 100, 20 and 300 parameters, the last first: 300 | 20 + 100.
func TestBuckets(t *testing.T) {
	s := stack{Layers: []layerCost{{"a", 100, 1}, {"b", 20, 1}, {"c", 300, 1}}}
	it := iteration{Stack: s, Bucket: 400}
	if got := it.buckets(); len(got) != 2 || got[0] != (bucket{2, 2, 300}) || got[1] != (bucket{1, 0, 120}) {
		t.Errorf("%v", got)
	}
	if it.Bucket = 0; len(it.buckets()) != 3 {
		t.Errorf("layer by layer: %v", it.buckets())
	}
	if it.Bucket = blogBytes; len(it.buckets()) != 1 || it.buckets()[0].params != 420 {
		t.Errorf("all together: %v", it.buckets())
	}
}

// Two layers on two ideal GPUs, by hand: 30 ms forward, 40 + 20 ms backward (last layer first), 100 MB each over 1
// GB/s: 100 ms a layer on a ring of two. With overlap the link starts after 70 ms and carries both: 270 ms. Without it,
// after 90 ms: 290 ms.
func TestIterationByHand(t *testing.T) {
	s := stack{Layers: []layerCost{{"first", 25_000_000, 1}, {"last", 25_000_000, 2}}}
	p := cluster.Uniform(2, cluster.Host{Name: "g", FLOPS: 1e18, Bandwidth: 1e9}, nil)
	for overlap, want := range map[bool]float64{true: 0.27, false: 0.29} {
		it := iteration{Stack: s, Overlap: overlap, Steps: 3}
		l, err := it.runFor(t.Context(), p, 2, 0.090)
		if err != nil || math.Abs(l.Seconds-want) > 1e-5 || l.Bytes != 200_000_000 {
			t.Errorf("overlap %t: %g s, %d bytes, want %g s, %v", overlap, l.Seconds, l.Bytes, want, err)
		}
	}
	// Both layers in one bucket: the first layer's gradient, the last to come, closes it.
	l, err := iteration{Stack: s, Overlap: true, Bucket: blogBytes, Steps: 1}.runFor(t.Context(), p, 2, 0.090)
	if err != nil || math.Abs(l.Seconds-0.29) > 1e-5 {
		t.Errorf("one bucket: %g s, want 0.29, %v", l.Seconds, err)
	}
}

// made returns what is shown of iterations made by hand: 370 ms alone, then what is given.
func made(with, without float64) scalingData {
	at := map[scalingPoint][]scalingSample{}
	x := scalingData{at: func(r scalingPoint) []scalingSample { return at[r] }, seeds: 2, gpus: []int{1, 2, 10, 16, 40}}
	for _, n := range x.gpus {
		a, b := with, without
		if n == 1 {
			a, b = 0.37, 0.37
		}
		p := scalingSample{iterationTime{Seconds: a, Bytes: 2.34e9}, iterationTime{Seconds: b}, 0.39, 0.2 * 2 * float64(n-1) / float64(n)}
		at[scalingPoint{n, ""}] = []scalingSample{p, p}
	}
	for i, s := range []stack{evenly(2), evenly(3)} {
		x.stacks = append(x.stacks, s)
		at[scalingPoint{blogGPUs, s.Key}] = []scalingSample{{Overlap: iterationTime{Seconds: []float64{0.6, 0.67}[i]}, Plain: iterationTime{Seconds: 0.77}}}
	}
	return x
}

// set replaces the iteration with overlap on n GPUs, which may be new.
func (x *scalingData) set(n int, seconds float64) {
	if !slices.Contains(x.gpus, n) {
		x.gpus = append(x.gpus, n)
		slices.Sort(x.gpus)
	}
	at := x.at
	x.at = func(r scalingPoint) []scalingSample {
		if r == (scalingPoint{n, ""}) {
			return []scalingSample{{Overlap: iterationTime{Seconds: seconds}}, {Overlap: iterationTime{Seconds: seconds}}}
		}
		return at(r)
	}
}

func TestScalingIsJudged(t *testing.T) {
	got := made(0.68, 0.77).claims(deepSpeech())
	want := map[string][2]string{"B01": {claims.Input, "our-layers"}, "B02": {claims.Input, "our-layers"}, "B10": {claims.Within, "B10-limit"},
		"B13": {claims.Within, "B13"}, "B15": {claims.Input, "B15"}, "B14": {claims.Within, "by-bounds"}, "B16": {claims.Within, "stacks-inside"},
		"B17": {claims.Holds, "B17-edge"}, "B18": {claims.Differs, "B18"}}
	if len(got) != len(want) {
		t.Errorf("%d claims", len(got))
	}
	for _, c := range got {
		wantVerdict(t, c, want[c.ID][0], want[c.ID][1])
		if given := slices.Contains([]string{"B01", "B02", "B15"}, c.ID); (arg(c, "input") != nil) != given {
			t.Errorf("%s differs by %v", c.ID, c.Differs) // parameters, bytes and 370 ms go in
		}
	}
	for i, ms := range map[int]float64{5: 680, 6: 90} {
		c := got[i]
		if math.Abs(c.Measured.(float64)-ms) > 1e-9 || arg(c, "by-bounds")["where"] != "inside" || len(c.Parts) != 2 {
			t.Errorf("%s: %v, %v, %v", c.ID, c.Measured, c.Reasons, c.Parts)
		}
	}
	if in := arg(got[6], "stacks-inside")["inside"]; !slices.Equal(in.([]string), []string{"even-3"}) {
		t.Errorf("saved as the blog says: %v", in)
	}
	if e := arg(got[7], "B17")["efficiency"].(float64); math.Abs(e-54.4) > 0.1 {
		t.Errorf("efficiency %g", e)
	}
	if g := arg(got[8], "B18")["growth"].(float64); math.Abs(g-8.33) > 0.01 {
		t.Errorf("from 10 to 40 GPUs the cost grows by %g %%", g)
	}
	fast := made(0.55, 0.77)
	for id, of := range map[string]func(scalingSample) float64{"B14": withOverlap, "B16": saved} {
		if c := fast.ranged(id, of); c.Verdict != claims.Differs || math.Abs(arg(c, "by-bounds")["off"].(float64)-100) > 1e-9 {
			t.Errorf("%s: %s, %v", id, c.Verdict, c.Reasons)
		}
	}
	slow := made(0.68, 0.77)
	slow.set(40, 0.75) // 10 % above 16 GPUs
	wantVerdict(t, slow.linear(), claims.Differs, "B17-growth")
	bent := made(0.68, 0.77) // 40 GPUs as fast as 16, but not what lies between
	for _, n := range []int{20, 24, 28} {
		bent.set(n, 2)
	}
	wantVerdict(t, bent.linear(), claims.Differs, "B17-growth")
}

// A throughput that stops growing is no straight line.
func TestSaturationIsNotLinear(t *testing.T) {
	x := made(0.68, 0.77)
	for _, n := range []int{4, 8, 10, 12, 16, 40} {
		x.set(n, 0.68*max(float64(n)/8, 1))
	}
	if r2 := x.r2(); r2.Value >= leastR2 || len(r2.Samples) != 2 {
		t.Errorf("R² = %+v", r2)
	}
	if c := x.linear(); *c.Parts[0].Holds || arg(c, "B17")["straight"] != false {
		t.Errorf("a curve is called straight: %+v", c.Reasons)
	}
	if w := x.work(); math.Abs(w-40*0.37/3.4) > 1e-9 {
		t.Errorf("40 GPUs do the work of %g", w)
	}
}

// One seed above the bound of growth and one below, with means inside it, decide nothing.
func TestLinearIsJudgedBySeeds(t *testing.T) {
	x := made(0.68, 0.77)
	at := x.at
	x.at = func(r scalingPoint) []scalingSample {
		if r == (scalingPoint{40, ""}) {
			return []scalingSample{{Overlap: iterationTime{Seconds: 0.64}}, {Overlap: iterationTime{Seconds: 0.73}}}
		}
		return at(r)
	}
	c := x.linear()
	wantVerdict(t, c, claims.Undecided, "open-parts")
	if p := c.Parts[1]; !p.Undecided || p.CI95 == nil || len(p.Samples) != 2 || math.Abs(p.Samples[1]-0.73/0.68) > 1e-9 {
		t.Errorf("growth %+v", p)
	}
}

// Throughput falls at the edge of a node, or goes on rising.
func TestEdgeOfANode(t *testing.T) {
	for seconds, drops := range map[float64]bool{0.5: true, 0.42: false} { // 576 and 686 after 640 samples/s
		x := made(0.68, 0.77)
		x.set(8, 0.4)
		x.set(9, seconds)
		if c := x.linear(); arg(c, "B17-edge")["drops"] != drops || arg(c, "B17-edge")["in_rate"] != 640. {
			t.Errorf("%g s: %v", seconds, c.Reasons)
		}
	}
}

// Every profile has the sizes that claims and notes ask for.
func TestPlansHaveTheSizes(t *testing.T) {
	for _, profile := range exp.Profiles {
		for _, n := range []int{1, 2, 8, 10, 16, 40} {
			if !slices.Contains(planScaling(profile).GPUs, n) {
				t.Errorf("%s has no %d GPUs", profile, n)
			}
		}
	}
}

// By hand: 370 ms on one GPU against 650 to 700 ms on forty, each with its own batch.
func TestBlogEfficiency(t *testing.T) {
	if least, most := blogEfficiency(); math.Abs(least-100*370./700) > 1e-9 || math.Abs(most-100*370./650) > 1e-9 {
		t.Errorf("%g to %g %%, want 52.86 to 56.92", least, most)
	}
}
