package ring

import (
	"math"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// Three pieces, five elements: chunks of 2, 2 and 1. In ring order chunk c starts
// at rank c, so an order that float32 feels gives another sum in each chunk.
func TestOrdersOfSums(t *testing.T) {
	const big = 1 << 24 // big + 1 rounds to big
	pieces, got := [][]float32{{big, big, big, big, big}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}, make([]float32, 5)
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
	oktest.Slow(t)
	plan := planEquals("ci")
	for _, net := range plan.Nets {
		l := oktest.Must(openLab(exp.Env{}, plan, net))(t)
		for _, x := range oktest.Must(l.compare(t.Context(), 3))(t) {
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

// The bits are compared with the right order of sums, and a sum in the other is noticed.
func TestAnotherOrderHasOtherBits(t *testing.T) {
	plan := planEquals("ci")
	l := oktest.Must(openLab(exp.Env{}, plan, plan.Nets[1]))(t)
	c := l.training(3, 3)
	got := oktest.Must(c.together(t.Context(), 3, ways[0].allReduce))(t)
	if pieces := oktest.Must(c.alone(3, inRankOrder))(t); sameBits(pieces, got) {
		t.Error("a ring of three has the bits of rank order")
	}
}

func TestExactRuns(t *testing.T) {
	rows := oktest.Must(exactRuns(t.Context()))(t)
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
	good := sameness{{Net: "mlp", How: "ring", SameBits: true, Distance: []float64{1e-6, 3e-5, 2e-5}}}
	others := []sameness{{{Net: "mlp", How: otherBatch, Distance: []float64{0.9}}},
		{{Net: "resnet18", Norms: true, How: "ring", Distance: []float64{0.5}}}, {{Net: "resnet18", Norms: true, How: otherBatch, Distance: []float64{1.4}}}}
	exact := []exactRun{{Same: true}}
	c := judgeEquals(append(others, good), exact, 1)
	if wantVerdict(t, c, claims.Equal, "B22-scope"); arg(c, "B22-distance")["worst"] != 3e-5 || len(c.Parts) != 1 || c.Parts[0].Value != 3e-5 {
		t.Errorf("%v, parts %v", c.Reasons, c.Parts)
	}
	for name, spoil := range map[string]func(l *likeness, x *exactRun){
		"bits":     func(l *likeness, _ *exactRun) { l.SameBits = false },
		"distance": func(l *likeness, _ *exactRun) { l.Distance = []float64{2e-4, 1e-5} },
		"exact":    func(_ *likeness, x *exactRun) { x.Same = false },
	} {
		l, x := good[0], exact[0]
		spoil(&l, &x)
		if c := judgeEquals([]sameness{{l}}, []exactRun{x}, 3); c.Verdict != claims.Differs || c.Found.Code != "B22-not-equal" {
			t.Errorf("%s: %s", name, c.Verdict)
		}
	}
	facts := equalsFacts(append(others, good), exact)
	for key, want := range map[string]any{"norms": 0.5, "norms_control": 1.4, "control": 0.9, "worst": 2e-5, "worst_step": 3e-5, "runs": 2, "bits": 1} {
		if got := factOf(t, facts, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

func TestDistances(t *testing.T) {
	a, b := path{{0, 0}, {3, 4}}, path{{0, 0}, {3, 0}}
	if x := (likeness{}).against(a, b); len(x.Distance) != 1 || math.Abs(x.last()-4./3) > 1e-12 || x.Largest != 4 {
		t.Errorf("%+v", x)
	}
}
