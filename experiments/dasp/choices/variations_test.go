package choices

import (
	"math"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// The reference is one of the values tried, and its knob leaves the reference as it is: the sweeps cross in one point.
func TestKnobsCrossInTheReference(t *testing.T) {
	for _, k := range knobs {
		found := false
		for _, x := range k.at {
			found = found || x == k.reference
		}
		if !found || (k.options == nil) == (k.platform == nil) {
			t.Errorf("%s: reference %g is not among %v, or the knob turns two things", k.key, k.reference, k.at)
		}
		if k.options != nil {
			o, want := setup.Options(), setup.Options()
			k.options(&o, k.reference)
			if o.Smin != want.Smin || o.Smax != want.Smax || o.Alpha != want.Alpha {
				t.Errorf("%s at the reference: %+v, want %+v", k.key, o, want)
			}
			k.options(&o, k.at[len(k.at)-1])
			if o.Smin == want.Smin && o.Smax == want.Smax && o.Alpha == want.Alpha {
				t.Errorf("%s turns nothing", k.key)
			}
			if c, err := o.Config(); err != nil {
				t.Errorf("%s: %+v: %v", k.key, c, err)
			}
			continue
		}
		p, same := setup.Load(setup.Heterogeneous), k.platform(setup.Load(setup.Heterogeneous), k.reference)
		for i := range p.Workers {
			if math.Abs(same.Workers[i].FLOPS/p.Workers[i].FLOPS-1) > 1e-12 {
				t.Errorf("%s at the reference changes worker %d", k.key, i)
			}
		}
		if same.Server.Bandwidth != p.Server.Bandwidth {
			t.Errorf("%s at the reference changes the server's link", k.key)
		}
	}
}

func TestSpreadSpeeds(t *testing.T) {
	p := cluster.Uniform(3, cluster.Host{Name: "w", FLOPS: 8, Bandwidth: 1}, &cluster.Host{FLOPS: 5, Bandwidth: 1})
	p.Workers[1].FLOPS, p.Workers[2].FLOPS = 4, 2 // time factors 1, 2, 4
	for h, want := range map[float64][3]float64{0: {8, 8, 8}, 1: {8, 4, 2}, 2: {8, 2, 0.5}} {
		q := spreadSpeeds(p, h)
		for i, f := range want {
			if q.Workers[i].FLOPS != f || q.Server.FLOPS != 5 {
				t.Errorf("h = %g: worker %d computes at %g, want %g", h, i, q.Workers[i].FLOPS, f)
			}
		}
	}
}

func TestWithinSmax(t *testing.T) {
	for spread, want := range map[int64]string{setup.Smax: claims.Holds, setup.Smax + 1: claims.Differs} {
		got := withinSmax([]setup.Summary{{Spread: 1}, {Spread: spread}})
		if s := got.Parts[0].Samples; got.Verdict != want || got.Found.Args["spread"] != spread || len(s) != 2 || s[0] != 1 {
			t.Errorf("spread %d: %s, found %v; want %s", spread, got.Verdict, got.Found, want)
		}
	}
}

// Times that are longer in every seed are told from the base's, others are not.
func TestLearningTells(t *testing.T) {
	at := func(times ...float64) (cells []setup.Summary) {
		for _, x := range times {
			cells = append(cells, setup.Summary{Curve: []train.Point{{Accuracy: 0.1}, {Pushes: 100, Seconds: x, Accuracy: 0.7}}})
		}
		return cells
	}
	base := at(1, 1.01, 1.02)
	for _, c := range []struct {
		name         string
		cells        []setup.Summary
		target       float64
		told, missed bool
	}{
		{"the base itself", base, 0.7, false, false},
		{"twice as slow in every seed", at(2, 2.03, 2.02), 0.7, true, false},
		{"slower and faster", at(0.5, 1, 2), 0.7, false, false},
		{"one that misses", append(at(2, 2), setup.Summary{Curve: []train.Point{{Accuracy: 0.6}}}), 0.7, false, true},
	} {
		f := kit.NewSheet("f", learningColumns)
		f.Add(learningCells(c.target, c.cells, base)...)
		if row := f.Rows[0]; row[f.At("time_told")] != c.told || row[f.At("missed")] != c.missed || row[f.At("accuracy_told")] != false {
			t.Errorf("%s: %v", c.name, row)
		}
	}
}
