package where

import (
	"fmt"
	"math"
	"testing"

	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	_ "gradsync/shared/tensor/engine/portable"
)

// The formulas are the virtual clock: of every way, to a hundred-thousandth, on even and on few workers.
func TestFormulasAreTheClock(t *testing.T) {
	p := planOf("ci")
	for _, c := range []point{{"assumed", 1, 0.1, 0.01, 8}, {"measured", 10, 0.5, 0.3, 4}, {"gpu", 100, 1, 1, 2}, {"gpu", 25, 0.05, 1, 3}} {
		run := oktest.Must(p.time(t.Context(), c))(t)
		for way, by := range p.formulas(c) {
			if math.Abs(off(by, run[way])) > 1e-5 {
				t.Errorf("%v, %s: %g s by the formulas, %g s run", c, way, by, run[way])
			}
		}
	}
}

// By hand: two workers, four elements, links of 4 B/s without latency, packing free. A dense block of two
// elements takes 2 s, twice. A bitmap of a block of half zeros is 2/8 + 4 bytes.
func TestExchangeByHand(t *testing.T) {
	l := link{4, 0, []cluster.CodecRate{{Name: "bitmap", Encode: 1e18, Decode: 1e18}, {Name: "coo", Encode: 1e18, Decode: 1e18},
		{Name: "count", Encode: 16}, {Name: "convert", Encode: 8}}}
	x := layer{4, 1, 0.5}
	kittest.Near(t, "dense", l.exchange(2, x, "dense"), 4, 1e-12)
	// One pass of 16 bytes at 16 B/s, a bitmap at density 1/2, two elements counted, a bitmap at 3/4.
	kittest.Near(t, "gradients", l.exchange(2, x, "gradients"), 1+4.25/4+0.5+6.25/4, 1e-9)
	// The same by gradients; weights are counted too, W′ is made in 2 s and two elements are turned in 1.
	kittest.Near(t, "ringsparse", l.exchange(2, x, "ringsparse"), 2+4.25/4+1+6.25/4+2+1, 1e-9)
	// Every rank's whole gradient once: 4/8 + 8 bytes.
	kittest.Near(t, "all-gather", l.exchange(2, x, "all-gather"), 1+8.5/4, 1e-9)
	kittest.Near(t, "fixed", l.perLayer(2, x), 4, 1e-12)
}

// Densities by hand. Weights that are zero everywhere stay it as weights; gradients fill in; where weights travel
// first, gradients made of them are zero where they are, so that the sparser kind may change.
func TestPath(t *testing.T) {
	for _, c := range []struct {
		x           layer
		kinds, want string
	}{
		{layer{1, 0.1, 1}, "both", "[0.1 0.1 0.1]"},
		{layer{1, 1, 0.5}, "both", "[0.5 0.75 0.875]"},
		{layer{1, 1, 0.5}, "weights", "[1 1 1]"},
		{layer{1, 0.1, 0.5}, "gradients", "[0.5 0.75 0.875]"},
		// A tie, so weights; 0.5·0.75 as gradients, zero where weights are; then 0.5·0.875 + 0.5·0.5.
		{layer{1, 0.5, 0.5}, "both", "[0.5 0.375 0.6875]"},
	} {
		if got := path(3, c.x, c.kinds); fmt.Sprint(got) != c.want {
			t.Errorf("%+v %s: %v, want %s", c.x, c.kinds, got, c.want)
		}
	}
}

// Who is first, and by how much, by hand; of equals the dense ring.
func TestAhead(t *testing.T) {
	x := times{"dense": 4, "ringsparse": 3, "gradients": 5, "weights": 6, "all-gather": 7}
	if x.fastest() != "ringsparse" || x.ahead() != 0.25 {
		t.Errorf("%s, ahead by %g", x.fastest(), x.ahead())
	}
	m := found{plan: plan{Pays: 0.25}}
	if !m.pays(x) {
		t.Error("a quarter ahead does not pay")
	}
	x["ringsparse"] = 4
	if x.fastest() != "dense" || x.ahead() != 0 || m.pays(x) {
		t.Errorf("a tie: %s, ahead by %g", x.fastest(), x.ahead())
	}
}

// The network has what the map is about: an embedding of few gradients beside weights of which a tenth is kept.
func TestTheNetworkHasZerosInBothKinds(t *testing.T) {
	oktest.Slow(t)
	p := planOf("ci")
	x := p.network(1)
	these, largest, err := x.densities()
	oktest.Nil(t, err)
	if e := these[0]; e.weights != 1 || e.gradients > 0.02 || e.gradients < 0.005 {
		t.Errorf("the embedding: %+v", e)
	}
	for _, l := range these[1:] {
		if math.Abs(l.weights-p.Keep) > 1e-3 || l.gradients < 0.5 {
			t.Errorf("a pruned layer: %+v", l)
		}
	}
	c := oktest.Must(x.closeness(t.Context(), these, largest))(t)
	if !(c.Share > 0 && c.Share <= 1 && c.Last > 0 && c.Last <= p.Close && c.Moved > 100*c.Last) {
		t.Errorf("%+v", c)
	}
}

// A drawn mask is RingSparse's alone to use: parameters where it is false end as +0.
func TestPrunedParametersStayZero(t *testing.T) {
	x := planOf("ci").network(2)
	_, params, err := x.run(t.Context(), subject, "gpu", 10, 2)
	oktest.Nil(t, err)
	zeros := 0
	for i, keep := range x.mask {
		if !keep {
			if zeros++; math.Float32bits(params[i]) != 0 {
				t.Fatalf("entry %d is %g", i, params[i])
			}
		}
	}
	if all := len(x.mask) - x.layers[1].Offset; math.Abs(float64(zeros)/float64(all)-0.9) > 1e-3 {
		t.Errorf("%d of %d pruned entries are zero", zeros, all)
	}
}

func TestExperimentRuns(t *testing.T) {
	oktest.Slow(t)
	r, points := kittest.RunCI(t, Experiment()), len(rateSets())*len(planOf("ci").Links)*35
	if len(r.Figures) != 3 || len(r.Frame("map").Rows) != points || len(r.Frame("told").Rows) != 12 || len(r.Frame("trained").Rows) != 6 {
		t.Errorf("%d figures, %d points, %d told, %d trained", len(r.Figures), len(r.Frame("map").Rows), len(r.Frame("told").Rows), len(r.Frame("trained").Rows))
	}
	kittest.WantFact(t, r, "ran.within", true)
	kittest.WantFact(t, r, "close.holds", true)
	kittest.WantFact(t, r, "ran", 48)
	if n := kittest.Fact(t, r.Facts, "first"); n == 0 {
		t.Error("RingSparse is first nowhere")
	}
	// A row of the reading that the map rests on: 1 Gb/s, assumed rates, a tenth of the weights, a hundredth of gradients.
	kittest.Near(t, "RingSparse", kittest.CellAt(t, r, "told", "ringsparse", "rates", "assumed", "link", 1.0).(float64), 113.775, 0.01)
}
