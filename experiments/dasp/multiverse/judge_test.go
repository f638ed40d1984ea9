package multiverse

import (
	"math"
	"reflect"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// timed returns a reading in which every network on a cluster takes these seconds, by method in the
// order of setup.Methods, in two seeds a thousandth apart.
func timed(homo, hetero [5]float64) (m measured) {
	m.Bounded = true
	for c, times := range [][5]float64{homo, hetero} {
		for n := range setup.Models {
			for k, t := range times {
				m.Times[c][n][k] = []float64{t, 1.001 * t}
			}
			m.Waits[c][n] = [3]bool{true, true, true}
		}
	}
	return m
}

// found returns what m finds of a claim.
func found(t *testing.T, m measured, id string) string {
	t.Helper()
	for _, q := range questions() {
		if q.ID == id {
			return q.find(m, standing)
		}
	}
	t.Fatalf("nobody asks %s", id)
	return ""
}

// Every claim is asked once; a reduction against its own cluster, network and rival.
func TestQuestions(t *testing.T) {
	m := timed([5]float64{5, 1, 3, 2, 4}, [5]float64{5, 1, 3, 4, 2})
	m.Times[1][0][4] = []float64{2.9, 3.2} // LeNet-5, DASP: below SSP in one seed, above in the other
	for id, want := range map[string]string{
		"D01": claims.Holds, "D02": claims.Differs, "D03": claims.Differs, "D09": claims.Differs, "D10": claims.Undecided, "D11": claims.Undecided,
		"D14": claims.Holds, "D18": claims.Holds,
		"D13": claims.Holds, "D42": claims.Holds, "D45": claims.Undecided,
		"D59": claims.Holds,
	} {
		if got := found(t, m, id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if x := questions()[12].values(m)[0]; math.Abs(x-60) > 1e-9 || questions()[12].ID != "D13" {
		t.Errorf("D13 is a reduction of %g %%, want 60", x)
	}
	if xs := questions()[20].values(m); questions()[20].ID != "D43" || math.Abs(xs[0]-0.8) > 1e-9 || math.Abs(xs[1]-0.6) > 1e-9 || math.Abs(xs[2]-0.4) > 1e-9 {
		t.Errorf("D43: %v, want DASP, SSP and DSSP over BSP", xs)
	}
	seen := map[string]bool{}
	for _, q := range questions() {
		if _, ok := claims.Get(q.ID); !ok || seen[q.ID] {
			t.Errorf("%s is no claim, or stands twice", q.ID)
		}
		seen[q.ID] = true
	}
	if len(seen) != 18+1+6+1+1 {
		t.Errorf("%d claims", len(seen))
	}
}

// D39 and D56: one comparison decides against, a tie holds, the same run is no case.
func TestComparisonsOfMany(t *testing.T) {
	good, equal := [5]float64{5, 1, 3, 2, 2}, [5]float64{1, 1, 1, 1, 1}
	for _, c := range []struct {
		name, id     string
		homo, hetero [5]float64
		want         string
	}{
		{"in order", "D39", good, good, claims.Holds},
		{"DSSP above BSP", "D39", good, [5]float64{5, 1, 3, 10, 2}, claims.Differs},
		{"DASP below ASP", "D39", [5]float64{5, 1, 3, 2, 0.5}, good, claims.Differs},
		{"a tie to 0.1 %", "D39", good, [5]float64{5, 1.0005, 3, 2, 1}, claims.Holds},
		{"least affected", "D56", equal, [5]float64{4, 1, 3, 2, 1.5}, claims.Holds},
		{"DSSP is less", "D56", equal, [5]float64{4, 1, 3, 1.2, 1.5}, claims.Differs},
		{"as much as DSSP", "D56", equal, [5]float64{4, 1, 3, 1.5, 1.5}, claims.Holds},
		{"ASP is no rival", "D56", equal, [5]float64{4, 0.5, 3, 2, 1.5}, claims.Holds},
	} {
		if got := found(t, timed(c.homo, c.hetero), c.id); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.id, got, c.want)
		}
	}
	m := timed(good, good)
	m.Same[0][1][3] = true // ResNet-18, equal workers: DASP did what DSSP did
	if found(t, m, "D06") != claims.NoCase || found(t, m, "D05") != claims.Holds {
		t.Errorf("the same run: D06 %s, D05 %s", found(t, m, "D06"), found(t, m, "D05"))
	}
	if m.Bounded = false; found(t, m, "D59") != claims.Differs {
		t.Error("D59 holds though a spread was wider")
	}
}

// The filters: the large networks alone count, against SSP, DSSP and ASP, and all three states.
func TestFilters(t *testing.T) {
	base := timed([5]float64{}, [5]float64{})
	for name, c := range map[string]struct {
		change func(*measured)
		want   admissible
	}{
		"none":             {func(*measured) {}, admissible{true, true, true}},
		"LeNet-5":          {func(m *measured) { m.Same[0][0][asp], m.Waits[1][0] = true, [3]bool{} }, admissible{true, true, true}},
		"BSP":              {func(m *measured) { m.Same[0][1][0] = true }, admissible{true, true, true}},
		"equal, ASP":       {func(m *measured) { m.Same[0][1][asp] = true }, admissible{false, true, true}},
		"unequal, DSSP":    {func(m *measured) { m.Same[1][2][3] = true }, admissible{true, false, true}},
		"no FSS":           {func(m *measured) { m.Waits[1][2][2] = false }, admissible{true, true, false}},
		"no FSS, equal":    {func(m *measured) { m.Waits[0][2][2] = false }, admissible{true, true, true}},
		"the same run SSP": {func(m *measured) { m.Same[1][1][2] = true }, admissible{true, false, true}},
	} {
		m := base
		c.change(&m)
		if got := m.filter(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Four points on a line: the second has the least sum; a repeat pulls it, a tie goes to the first.
func TestMedoid(t *testing.T) {
	vectors := make([][18]float64, 4)
	for i, x := range []float64{0, 1, 3, 9} {
		vectors[i][7] = x
	}
	best, sums := medoid(vectors, []int{0, 1, 2, 3})
	if best != 1 || sums[0] != 13 || sums[1] != 11 || sums[2] != 11 || sums[3] != 23 {
		t.Errorf("medoid %d, sums %v", best, sums)
	}
	if best, _ = medoid(vectors, []int{1, 2, 2, 3}); best != 2 {
		t.Errorf("with a repeat: %d", best)
	}
	if best, _ = medoid(vectors, nil); best != -1 {
		t.Errorf("of none: %d", best)
	}
}

// A stated value among 0 … 100: inside the central 90 %, at the edge, beyond.
func TestSizeOf(t *testing.T) {
	var xs []float64
	for i := range 101 {
		xs = append(xs, float64(i))
	}
	for x, want := range map[float64]string{50: reached, 5: reached, 4.9: atTheEdge, 95: reached, 95.1: atTheEdge, 0: atTheEdge,
		100.1: outOfReach, -1: outOfReach} {
		if got := sizeOf(x, xs); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
	if sizeOf(1, nil) != "" || !math.IsNaN(quantile(nil, 0.5)) || quantile([]float64{7}, 0.9) != 7 {
		t.Error("quantiles of none and of one")
	}
}

// Profile quick asks F3 first and times what passes it alone: F3 has the answer that the timed reading has, and the
// committed claims of quick are standard's to the last field.
func TestStatesFirst(t *testing.T) {
	e := effort{Seeds: 1, PerWorker: 40, Warmup: 5}
	count := map[bool]int{}
	for _, r := range design(allAxes, false, 120) {
		if r.at("noise") == burstsLevel {
			continue
		}
		m := oktest.Must(measure(t.Context(), r, e))(t)
		has := oktest.Must(hasStates(t.Context(), r, e))(t)
		if count[has]++; has != m.filter().States {
			t.Errorf("%s: DASP's own runs say %v", r.digits(), has)
		}
	}
	if count[true] == 0 || count[false] == 0 {
		t.Errorf("%v: one answer alone was asked", count)
	}
	quick := oktest.Must(result.Read("../../results/dasp/multiverse.json"))(t)
	standard := oktest.Must(result.Read("../../results/dasp/standard/multiverse.json"))(t)
	if len(quick.Claims) != 26 || !reflect.DeepEqual(quick.Claims, standard.Claims) {
		t.Errorf("%d claims of quick are not standard's", len(quick.Claims))
	}
}
