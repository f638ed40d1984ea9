package ring

import (
	"math"
	"slices"
	"strings"
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

// One GRU layer by hand: two directions, three gates, input and state of 1910,
// one bias each.
func TestDeepSpeechByHand(t *testing.T) {
	s := deepSpeech()
	if got := s.Blocks[3].Params; got != 43_788_660 || len(s.Blocks) != 10 || s.Blocks[0].Params != 14_464 {
		t.Errorf("gru2 has %d parameters, conv1 %d", got, s.Blocks[0].Params)
	}
}

// Three layers of 100, 20 and 300 parameters, the last first: 300 | 20 + 100.
func TestBuckets(t *testing.T) {
	s := stack{Blocks: []block{{"a", 100, 1}, {"b", 20, 1}, {"c", 300, 1}}}
	it := iteration{Stack: s, Bucket: 400}
	got := it.buckets()
	if len(got) != 2 || got[0] != (bucket{2, 2, 300}) || got[1] != (bucket{1, 0, 120}) || it.name(got[1]) != "b … a" {
		t.Errorf("%v", got)
	}
	if it.Bucket = 0; len(it.buckets()) != 3 {
		t.Errorf("layer by layer: %v", it.buckets())
	}
	if it.Bucket = blogBytes; len(it.buckets()) != 1 || it.buckets()[0].params != 420 {
		t.Errorf("all together: %v", it.buckets())
	}
}

// Two layers on two ideal GPUs, by hand: 30 ms forward, 40 + 20 ms backward (last
// layer first), 100 MB each over 1 GB/s: 100 ms a layer on a ring of two. With
// overlap the link starts after 70 ms and carries both: 270 ms. Without it, after
// 90 ms: 290 ms.
func TestIterationByHand(t *testing.T) {
	s := stack{Blocks: []block{{"first", 25_000_000, 1}, {"last", 25_000_000, 2}}}
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

// points are made by hand: an iteration of 370 ms alone, then what is given.
func madePoints(with, without float64) []point {
	var out []point
	for _, n := range []int{1, 2, 10, 16, 40} {
		x := point{GPUs: n, Exchange: 0.39, Equal: 0.2 * 2 * float64(n-1) / float64(n)}
		a, b := with, without
		if n == 1 {
			a, b = 0.37, 0.37
		}
		x.Overlap, x.Plain = []lap{{Seconds: a, Bytes: 2.34e9}, {Seconds: a}}, []lap{{Seconds: b}, {Seconds: b}}
		out = append(out, x)
	}
	return out
}

func TestScalingIsJudged(t *testing.T) {
	wide := []spread{{Stack: evenly(2), Overlap: 0.6, Plain: 0.77}, {Stack: evenly(3), Overlap: 0.67, Plain: 0.77}}
	good := judgeScaling(deepSpeech(), madePoints(0.68, 0.77), wide)
	want := map[string][2]string{"B01": {claims.SameSign, "chosen"}, "B02": {claims.SameSign, "chosen"}, "B10": {claims.Within, "limit"}, "B13": {claims.Within, ""},
		"B15": {claims.SameSign, "never better"}, "B14": {claims.SameSign, "judged by its bounds: inside"}, "B16": {claims.SameSign, "3 equal layers"}, "B17": {claims.SameSign, "54 % efficiency"}, "B18": {claims.Differs, "from 10 to 40 GPUs it grows by 8.3 %"}}
	if len(good) != len(want) {
		t.Errorf("%d claims", len(good))
	}
	for _, c := range good {
		wantVerdict(t, c, want[c.ID][0], want[c.ID][1])
	}
	for i, text := range map[int]string{5: "680 ms (600 to 670 over 2 distributions)", 6: "90 ms (100 to 170 over 2 distributions)"} {
		if good[i].Measured != text {
			t.Errorf("%s: %v, want %s", good[i].ID, good[i].Measured, text)
		}
	}
	for _, i := range []int{0, 1, 4} { // parameters, bytes and 370 ms go in
		if d := good[i].Differs; len(d) != 1 || d[0] != input {
			t.Errorf("%s differs by %v", good[i].ID, d)
		}
	}
	points := madePoints(0.55, 0.77)
	wantVerdict(t, judgeIteration(at(points, 40), wide, 2), claims.Differs, "100 ms below")
	wantVerdict(t, judgeSaved(at(points, 40), wide, 2), claims.Differs, "100 ms above")
	slow := madePoints(0.68, 0.77)
	slow[4].Overlap = []lap{{Seconds: 0.75}, {Seconds: 0.75}} // 10 % above 16 GPUs
	wantVerdict(t, judgeLinear(slow, 2), claims.Differs, "+10.3 %")
	bent := madePoints(0.68, 0.77) // 40 GPUs as fast as 16, but not what lies between
	for _, n := range []int{20, 24, 28} {
		bent = append(bent, point{GPUs: n, Overlap: []lap{{Seconds: 2}, {Seconds: 2}}})
	}
	wantVerdict(t, judgeLinear(bent, 2), claims.Differs, "+0.0 %")
	flat := madePoints(0.68, 0.77)
	for i := range flat {
		flat[i].Equal = 0.39
	}
	wantVerdict(t, judgeConstant(flat), claims.SameSign, "")
}

// A throughput that stops growing is no straight line.
func TestSaturationIsNotLinear(t *testing.T) {
	points := madePoints(0.68, 0.77)
	for n := 4; n < 16; n += 4 {
		x := at(points, 16)
		x.GPUs = n
		points = append(points, x)
	}
	for i, p := range points {
		if p.GPUs > 8 {
			s := 0.68 * float64(p.GPUs) / 8
			points[i].Overlap = []lap{{Seconds: s}, {Seconds: s}}
		}
	}
	if l := fitLine(points); l.R2 >= leastR2 {
		t.Errorf("R² = %g", l.R2)
	}
	if n := strings.Join(scalingNotes(points, []spread{{Stack: evenly(2), Overlap: 0.6, Plain: 0.7}}), " "); !strings.Contains(n, "do the work of 4.4") {
		t.Error(n)
	}
}

// Throughput falls at the edge of a node, or goes on rising: both are said.
func TestEdgeOfANode(t *testing.T) {
	points := []point{{GPUs: 8, Overlap: []lap{{Seconds: 0.4}}}, {GPUs: 9, Overlap: []lap{{Seconds: 0.5}}}}
	if n := edgeNote(points); !strings.Contains(n, "9 GPUs, on two nodes, do less than 8 in one, 576 against 640") {
		t.Error(n)
	}
	if n := edgeOf(points); n != "at the edge of a node the throughput drops, from 640 samples/s on 8 GPUs to 576 on 9" {
		t.Error(n)
	}
	points[1].Overlap[0].Seconds = 0.42
	if n := edgeOf(points); !strings.Contains(n, "still rises, from 640 samples/s on 8 GPUs to 686 on 9") {
		t.Error(n)
	}
	if n := edgeNote(points); !strings.Contains(n, "still rises, from 640 to 686") {
		t.Error(n)
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
