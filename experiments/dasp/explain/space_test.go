package explain

import (
	"reflect"
	"slices"
	"testing"

	"gradsync/experiments/dasp/setup"
)

// Every axis spans its range, and coordinate undoes value.
func TestAxes(t *testing.T) {
	for _, a := range axes {
		if a.value(0) != a.Lo || a.value(1) != a.Hi {
			t.Errorf("%s runs from %g to %g, want %g to %g", a.Key, a.value(0), a.value(1), a.Lo, a.Hi)
		}
		last := a.Lo
		for u := 0.0; u <= 1; u += 1. / 64 {
			x := a.value(u)
			if x < last || a.value(a.coordinate(x)) != x {
				t.Errorf("%s: %g at %g after %g, and %g there and back", a.Key, x, u, last, a.value(a.coordinate(x)))
			}
			last = x
		}
	}
}

func TestDecode(t *testing.T) {
	x := make([]float64, firstOption)
	for i := range x {
		x[i] = 0.5
	}
	x[9] = 1                                     // slowest 64 times the fastest
	x[10], x[11], x[12], x[13] = 1, 0, 0.5, 0.25 // places, not in order
	l := decode(x)
	if l.Times != [6]float64{1, 1, 2.83, 8, 64, 64} {
		t.Errorf("times %v", l.Times)
	}
	if l.Hardware.ServerLink != 6.32 || l.Hardware.Overhead != 3.16 { // geometric means of 0.1 and 400, 0.1 and 100
		t.Errorf("hardware %+v", l.Hardware)
	}
	if !reflect.DeepEqual(l.Options, setup.Options()) {
		t.Errorf("the smaller space has options %+v, want the tables'", l.Options)
	}
	if w := decode(widened(x)); !reflect.DeepEqual(w, l) {
		t.Errorf("widened: %+v, want %+v", w, l)
	}
	y := append(slices.Clone(x), 1, 1, 1, 1, 1, 1)
	if o := decode(y).Options; o.Smin != 60 || o.Smax != 660 || o.Alpha != 2 || o.Staleness != 30 || o.Lower != 15 || o.Upper != 75 {
		t.Errorf("options at the upper end %+v", o)
	}
}

// A Latin hypercube uses each slice of each axis once.
func TestHypercube(t *testing.T) {
	const n = 16
	points := hypercube(spaces[1], n)
	for a := range axes {
		var used [n]int
		for _, x := range points {
			used[int(x[a]*n)]++
		}
		if slices.Min(used[:]) != 1 || slices.Max(used[:]) != 1 {
			t.Errorf("axis %d: slices used %v times", a, used)
		}
	}
	if !reflect.DeepEqual(points, hypercube(spaces[1], n)) || reflect.DeepEqual(points[0][:firstOption], hypercube(spaces[0], n)[0]) {
		t.Error("the points of a space do not repeat, or two spaces share them")
	}
}

// A run is known by what it depends on, and by nothing else.
func TestKeyOf(t *testing.T) {
	base := someLaboratory()
	same := func(l laboratory) (out []string) {
		for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
			for _, method := range []string{"bsp", "ssp", "dssp", "dasp"} {
				if keyOf(l, platform, "lenet5", method) == keyOf(base, platform, "lenet5", method) {
					out = append(out, platform[:2]+method)
				}
			}
		}
		return out
	}
	times, smaxChanged, s, jitter := base, base, base, base
	times.Times[2] = 1.4
	smaxChanged.Options.Smax = 99
	s.Options.Staleness = 9
	jitter.Hardware.Jitter = 0.31
	for name, c := range map[string]struct {
		l    laboratory
		want []string
	}{
		"times":  {times, []string{"hobsp", "hossp", "hodssp", "hodasp"}},
		"Smax":   {smaxChanged, []string{"hobsp", "hossp", "hodssp", "hebsp", "hessp", "hedssp"}},
		"s":      {s, []string{"hobsp", "hodssp", "hodasp", "hebsp", "hedssp", "hedasp"}},
		"jitter": {jitter, nil},
	} {
		if got := same(c.l); !slices.Equal(got, c.want) {
			t.Errorf("%s changed: %v are the same runs, want %v", name, got, c.want)
		}
	}
}
