package ring

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	_ "gradsync/shared/tensor/engine/portable"
)

// Three pieces, five elements: chunks of 2, 2 and 1. In ring order chunk c starts
// at rank c, so an order that float32 feels gives another sum in each chunk.
func TestOrdersOfSums(t *testing.T) {
	const big = 1 << 24 // big + 1 rounds to big
	pieces := [][]float32{{big, big, big, big, big}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}
	got := make([]float32, 5)
	inRankOrder(got, pieces)
	for i, g := range got {
		if g != big {
			t.Errorf("rank order, element %d: %g, want (2^24 + 1) + 1 = 2^24", i, g)
		}
	}
	inRingOrder(got, pieces)
	// Chunk 0 as above; chunk 1 (1 + 1) + 2^24; chunk 2 (1 + 2^24) + 1.
	for i, want := range []float32{big, big, big + 2, big + 2, big} {
		if got[i] != want {
			t.Errorf("ring order, element %d: %g, want %g", i, got[i], want)
		}
	}
}

// The experiment's own training: the ring's bits are the pieces', the distance is
// small without batch norm and large with it.
func TestWorkersEqualOne(t *testing.T) {
	plan := planEquals("ci")
	for _, net := range plan.Nets {
		l, err := openLab(exp.Env{}, plan, net)
		if err != nil {
			t.Fatal(err)
		}
		found, err := l.compare(t.Context(), 3, &exp.Bar{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range found {
			small := x.last() <= claims.Tolerance("B22")
			switch {
			case x.How == otherBatch:
				if x.last() < 0.1 {
					t.Errorf("%s: other images end %g apart", net.Name, x.last())
				}
			case !x.SameBits:
				t.Errorf("%s: %s of %d has other bits than the pieces", net.Name, x.How, x.Workers)
			case small == net.Norms:
				t.Errorf("%s: %s of %d ends %g apart", net.Name, x.How, x.Workers, x.last())
			}
		}
	}
}

// The bits are compared with the right order of sums, and a sum in the other is
// noticed.
func TestAnotherOrderHasOtherBits(t *testing.T) {
	plan := planEquals("ci")
	l, err := openLab(exp.Env{}, plan, plan.Nets[1])
	if err != nil {
		t.Fatal(err)
	}
	batches := l.batches(3)
	got, err := l.together(t.Context(), l.start(3), batches, 3, ways[0].allReduce)
	if err != nil {
		t.Fatal(err)
	}
	same, err := l.piecewise(l.start(3), batches, 3, inRankOrder)
	if err != nil {
		t.Fatal(err)
	}
	if string(hash(same)) == string(hash(got[len(got)-1])) {
		t.Error("a ring of three has the bits of rank order")
	}
}

func TestExactRows(t *testing.T) {
	rows, err := exactRows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2*len(exactWorkers) {
		t.Errorf("%d rows", len(rows))
	}
	for _, r := range rows {
		if !r.Same {
			t.Errorf("%s of %d differs from one pass", r.How, r.Workers)
		}
	}
}

func TestEqualityIsJudged(t *testing.T) {
	net, norm := equalsNet{Name: "mlp"}, equalsNet{Name: "resnet18", Norms: true}
	good := []likeness{{Net: net, How: "ring", SameBits: true, Distance: []float64{1e-6, 2e-5}},
		{Net: net, How: otherBatch, Distance: []float64{0.9}}, {Net: norm, How: "ring", Distance: []float64{0.5}}, {Net: norm, How: otherBatch, Distance: []float64{1.4}}}
	rows := []exactRow{{Same: true}}
	wantVerdict(t, judgeEquals(good, rows, 3), claims.Equal, "at most 2.0·10⁻⁵")
	for name, spoil := range map[string]func(l *likeness, x *exactRow){
		"bits":     func(l *likeness, _ *exactRow) { l.SameBits = false },
		"distance": func(l *likeness, _ *exactRow) { l.Distance = []float64{2e-4, 1e-5} },
		"exact":    func(_ *likeness, x *exactRow) { x.Same = false },
	} {
		l, x := good[0], rows[0]
		spoil(&l, &x)
		if c := judgeEquals([]likeness{l}, []exactRow{x}, 3); c.Verdict != claims.Differs {
			t.Errorf("%s: %s", name, c.Verdict)
		}
	}
	if n := strings.Join(equalsNotes(good, rows), " "); !strings.Contains(n, "at least 0.5 of its way apart from the single worker, where training on other images ends 1.4") || !strings.Contains(n, "2.0·10⁻⁵") {
		t.Error(n)
	}
}

func TestDistances(t *testing.T) {
	a, b := path{{0, 0}, {3, 4}}, path{{0, 0}, {3, 0}}
	if d := distances(a, b); len(d) != 1 || math.Abs(d[0]-4./3) > 1e-12 || largest(a, b) != 4 {
		t.Errorf("%v, %g", d, largest(a, b))
	}
}

func TestSmall(t *testing.T) {
	for x, want := range map[float64]string{9.44e-7: "9.4·10⁻⁷", 1e-4: "1.0·10⁻⁴", 2.5e-12: "2.5·10⁻¹²", 0.31: "0.31", 1.44: "1.4", 0: "0"} {
		if got := small(x); got != want {
			t.Errorf("%g is %s, want %s", x, got, want)
		}
	}
}

func TestNormNote(t *testing.T) {
	rows := []normRow{{Batch: 16, Distance: 0.97}, {Batch: 768, Distance: 0.23}}
	if n := normNote(rows); !strings.Contains(n, "shrinks with the batch") || !strings.Contains(n, "0.97 of a step at 8 images each, 0.23 at 384") {
		t.Error(n)
	}
	if n := normNote([]normRow{rows[1], rows[0]}); !strings.Contains(n, "does not shrink") {
		t.Error(n)
	}
}
