package quantisation

import (
	"math"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

func TestMappingHolds(t *testing.T) {
	m := mapping(0)
	if !m.holds() || m.Worst < 0.99 || judgeMapping(m).Verdict != "equal" { // some of the numbers fall halfway
		t.Errorf("%+v", m)
	}
	for name, spoil := range map[string]func(*mapped){
		"top": func(m *mapped) { m.Top-- }, "bottom": func(m *mapped) { m.Bottom-- }, "zero": func(m *mapped) { m.Zero = 1 },
		"order": func(m *mapped) { m.Monotone = false },
		"error": func(m *mapped) { m.Worst = 1.001 }, "clipped": func(m *mapped) { m.Clipped = 5 }, "refused": func(m *mapped) { m.Refused = 0 },
	} {
		bad := m
		spoil(&bad)
		if c := judgeMapping(bad); c.Verdict != claims.Differs || c.Found.Code != "C13-found" {
			t.Errorf("%s spoilt: %s", name, c.Verdict)
		}
	}
}

// By hand: 5 is 1073741823.5 steps, so either neighbour is exactly half a step off and
// the next one 1.5 steps; 10 is Top steps.
func TestHalfSteps(t *testing.T) {
	for _, c := range []struct {
		v    float32
		q    int32
		want float64
	}{{5, 1073741824, 1}, {5, 1073741823, 1}, {5, 1073741825, 3}, {10, math.MaxInt32, 0}, {0, 1, 2}} {
		if got := halfSteps(c.v, c.q); got != c.want {
			t.Errorf("%g as %d: %g half steps, want %g", c.v, c.q, got, c.want)
		}
	}
}

func TestPacketsAreDecodedExactly(t *testing.T) {
	d := decodeRandom(7, 2000)
	if d.Packets != 2000 || d.Errors != 0 {
		t.Errorf("%d of %d packets were decoded wrongly", d.Errors, d.Packets)
	}
	// Four numbers uniform on [−1, 1] sum to more than 1 in size with probability 77/192
	// (Irwin–Hall), so of two such sums one does in 1 − (115/192)² = 64.1 % of packets.
	if share := float64(d.Wrapped) / 2000; math.Abs(share-0.641) > 0.04 || d.Saturating == 0 || d.Float32 == 0 {
		t.Errorf("%+v", d)
	}
	a := oktest.Must(codedsgd.Assign(5, 4))(t)
	cut := oktest.Must(codedsgd.NewCut(8, [2]int{4, 2}, 4, codedsgd.Rows))(t)
	all := setup.Blocks{make([]int32, 8), make([]int32, 8), make([]int32, 8), make([]int32, 8), make([]int32, 8)}
	p := a.Packets(a.Groups()[0])[0]
	var one decoded
	if one.add([]int32{0, 1}, []int32{0, 0}, p, all, p.Terms[0], cut); one.Errors != 1 || one.Float32 != 0 || one.Wrapped != 0 {
		t.Errorf("a wrong number: %+v", one)
	}
}

// Trap of eq. (17): six blocks of 2.0 are 12, of a range 20 wide: −8.
func TestFinalSumWraps(t *testing.T) {
	for blocks, want := range map[int][2]float64{1: {2, 2}, 5: {10, 10}, 6: {-8, 12}, 8: {-4, 16}} {
		narrow, wide := wrappedSum(blocks)
		kittest.Near(t, "int32", narrow, want[0], 1e-7)
		kittest.Near(t, "int64", wide, want[1], 1e-7)
	}
}

func TestArithmetics(t *testing.T) {
	kittest.Near(t, "32 bits", bits(32).Range, 10, 0)
	kittest.Near(t, "step of 8 bits", bits(8).Range/codedsgd.Top, 10./128, 1e-9)
	kittest.Near(t, "bits of 20 bits", bits(20).bitsOf(), 20, 1e-12)
	for _, profile := range exp.Profiles {
		k := arithmetics(profile)
		if !k[inFloat].Float || k[inPaper].Range != 10 || k[inPaper].blocksOf(8) != 56 || k[inPaperNodes].blocksOf(8) != 8 || k[inPaperOne].blocksOf(8) != 1 ||
			k[inFine].Range != 640 || k[inFineNodes].blocksOf(4) != 4 || k[inFineOne].blocksOf(4) != 1 {
			t.Errorf("%s: %+v", profile, k[:7])
		}
		keys := map[string]bool{}
		for _, a := range k {
			if keys[a.Key] {
				t.Errorf("%s: two have the key %s", profile, a.Key)
			}
			keys[a.Key] = true
		}
	}
}

// made returns trainings of two seeds: by arithmetic the distance, the loss's difference in
// both seeds, and how many of 1,000 elements were clipped.
func made(rows ...[4]float64) *trainings {
	s := &trainings{Plan: plansOf("ci")[0], Kinds: arithmetics("ci")}
	for len(rows) < len(s.Kinds) {
		rows = append(rows, [4]float64{0.01, 0, 0, 0})
	}
	for _, r := range rows {
		s.Learnt = append(s.Learnt, []learnt{{Loss: 1 + r[1], Distance: r[0], Saturated: int64(r[3]), Elements: 1000},
			{Loss: 1 + r[2], Distance: r[0], Saturated: int64(r[3]), Elements: 1000}})
	}
	return s
}

func TestWhatCountsAsAnEffect(t *testing.T) {
	float := [4]float64{}
	for _, c := range []struct {
		paper       [4]float64
		moves       bool
		cause, seen string
	}{
		{[4]float64{0.02, 0, 0, 0}, false, "nothing", "none"},
		{[4]float64{0.02, 0.1, 0.1, 5}, false, "clipped", "other"},
		{[4]float64{0.021, 0.1, -0.1, 0}, true, "steps", "none"},
		{[4]float64{0.3, 0.001, 0.001, 5}, true, "range", "small"}, // below the 1 % that counts
	} {
		if s := made(float, c.paper); s.moves(inPaper) != c.moves || s.cause() != c.cause || s.seen(inPaper) != c.seen {
			t.Errorf("%v: moves %v, %s, %s", c.paper, s.moves(inPaper), s.cause(), s.seen(inPaper))
		}
	}
	s := made(float, [4]float64{0.3, 0.1, 0.1, 0})
	for i := range s.Learnt {
		s.Learnt[i] = s.Learnt[i][:1]
	}
	if s.seen(inPaper) != "alone" {
		t.Error("one seed changes a loss")
	}
}

// By hand, three seeds that differ by −1, 0 and 1: t(2 degrees, 95 %) = 4.303 over √3.
func TestWhatWouldNotBeSeen(t *testing.T) {
	s := made([4]float64{}, [4]float64{0.02, 0, 0, 0})
	for i := range s.Learnt {
		s.Learnt[i] = []learnt{{Loss: 3}, {Loss: 3}, {Loss: 3}}
	}
	s.Learnt[inPaper] = []learnt{{Loss: 2}, {Loss: 3}, {Loss: 4}}
	if e := s.lossGap(inPaper); s.seen(inPaper) != "none" {
		t.Errorf("%+v: %s", e, s.seen(inPaper))
	} else {
		kittest.Near(t, "half", e.Half(), 4.303/math.Sqrt(3), 1e-3)
	}
}

// By hand, 8 nodes, 56 micro-blocks of one byte: at r = 2 a node has 14 and lacks 42; at
// r = 1, without a code, it quantises 7 and sums 56. The parts are all that a run counts.
func TestCodingParts(t *testing.T) {
	if p := codedBy(8, 2, 56, 1); p != (codingParts{14, 42, 42, 56}) || p.code() != 84 || p.all() != 154 {
		t.Errorf("r = 2: %+v", p)
	}
	if p := codedBy(8, 1, 56, 1); p != (codingParts{7, 0, 0, 56}) {
		t.Errorf("r = 1: %+v", p)
	}
	for _, c := range oktest.Must(codingCosts(t.Context(), exp.Env{}))(t) {
		kittest.Near(t, c.Net.Title, c.Parts.all(), c.Bytes, 2e-3*c.Bytes)
	}
}

func TestCodingIsJudged(t *testing.T) {
	cost := func(bytes float64, whole bool) codingCost {
		return codingCost{setup.DNN, 2, whole, bytes, 1, codingParts{Encoded: bytes / 4, Decoded: bytes / 4}}
	}
	good := []codingCost{cost(0.05*codingRate, false), cost(codingRate, true)}
	kittest.JudgedAs(t, judgeCoding(good), claims.Holds, "C32-found.cases", []map[string]any{{"code": 2.5, "model": "mlp", "r": 2, "share": 5}},
		"C32-measured.least", 0.25, "C32-measured.most", 0.8333)
	kittest.JudgedAs(t, judgeCoding(append(good, cost(0.06*codingRate, false))), claims.Differs, "C32.need", 2.4)
}

// The result at ci's size: with one node's gradients unclipped int32 ends where float32
// does, and what a block holds grows with its images.
func TestQuantisationPage(t *testing.T) {
	oktest.Slow(t)
	r := kittest.Ran(t, Experiment(), "ci", 0)
	// One set, embedded, or where the machine has them each network's own.
	if len(r.Claims) != 2 || len(r.Data) == 0 || len(r.Data) > len(setup.Networks()) {
		t.Fatal(len(r.Claims), r.Data)
	}
	for _, net := range setup.Networks() {
		at := func(key, arithmetic string) float64 {
			return kittest.CellAt(t, r, "loss", key, "model", net.Model, "arithmetic", arithmetic).(float64)
		}
		if fine := at("distance", "bits-26"); fine > 1 {
			t.Errorf("%s: unclipped int32 of fine steps is %g %% off float32", net.Title, fine)
		}
		if at("saturated", "range-0.01") == 0 || at("distance", "range-0.01") < 50 {
			t.Errorf("%s: ±0.01 clips %g %%, %g %% off", net.Title, at("saturated", "range-0.01"), at("distance", "range-0.01"))
		}
		if one, hundred := kittest.CellAt(t, r, "sums", "largest", "model", net.Model, "images", 1),
			kittest.CellAt(t, r, "sums", "largest", "model", net.Model, "images", 100); !(hundred.(float64) > one.(float64)) {
			t.Errorf("%s: largest elements %v of one image, %v of 100", net.Title, one, hundred)
		}
	}
}
