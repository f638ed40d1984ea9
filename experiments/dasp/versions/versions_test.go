package versions

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// counted is a census of 10 pushes with a number of waits, of which some are in vain by
// both tests.
func counted(waits, vain int) census {
	c := census{Length: 1}
	for t := range tests {
		c.Count[t] = [2][2]int{{10 - waits - 1, 1}, {vain, waits - vain}}
	}
	if waits == 0 {
		c.Count = [tests][2][2]int{{{10, 0}, {0, 0}}, {{10, 0}, {0, 0}}}
	}
	return c
}

func TestVainShare(t *testing.T) {
	list := []census{counted(4, 1), counted(0, 0), counted(4, 3)}
	e := vainShare(list, bySmin)
	// ¼ and ¾: sd 0.35355, t(0.975, 1) = 12.706, by √2: 3.1766.
	if e.N != 2 || e.Value != 50 || math.Abs(e.Half()-317.66) > 1e-1 || e.Samples != nil {
		t.Errorf("%+v, want 50 ± 317.66 of the two with a wait, without samples", e)
	}
	if e := vainShare(list[1:2], bySmin); e.N != 0 {
		t.Errorf("%+v, want none", e)
	}
}

// row returns the one row of a frame whose first columns have some keys, by column.
func row(t *testing.T, r *result.Result, frame string, keys ...any) map[string]any {
	t.Helper()
	f := r.Frame(frame)
	var found []map[string]any
	for _, cells := range f.Rows {
		same, by := true, map[string]any{}
		for i, k := range keys {
			same = same && cells[i] == k
		}
		for i, c := range f.Columns {
			by[c.Key] = cells[i]
		}
		if same {
			found = append(found, by)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d rows of %s at %v", len(found), frame, keys)
	}
	return found[0]
}

// SSP makes 4 of 10 wait, 3 in vain, on the straggler alone; DSSP never. DASP's own runs
// take half the time.
func TestVersionFramesByHand(t *testing.T) {
	s := study()
	s.Measure = func(_ context.Context, _ exp.Env, w point, seed uint64) (measured, error) {
		x := measured{Census: counted(0, 0), Story: storyLine{Ms: []float64{10, 12, 20}, Clock: []int64{0, 1, 2}, Version: []int64{0, 2, 1}}}
		if w.Cluster == setup.Straggler && w.Method == "ssp" {
			x.Census = counted(4, 3)
			x.Census.Early[bySmin] = [2]int{1, 1}
			x.Census.Own = ownRun{0.4, float64(3 - 2*seed), 2, int64(20 - 10*seed), 4, 0, promises{}}
		} else if w.Method == "dasp" {
			x.Census.Own = ownRun{0.1 + 0.2*float64(seed), 1, 3 + float64(seed), int64(8 - seed), 90, 0, promises{}}
		}
		return x, nil
	}
	r := oktest.Must(s.Run(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{0, 1}}))(t)
	for what, want := range map[string][2]any{
		"waits in vain":               {row(t, r, "clusters", setup.Straggler, "ssp")["vain_smin_share"], 75.},
		"all waits":                   {row(t, r, "clusters", setup.Straggler, "ssp")["waits"], 24},
		"of none":                     {row(t, r, "clusters", setup.Straggler, "dssp")["vain_smin_share"], nil},
		"ahead though answered":       {row(t, r, "clusters", setup.Straggler, "ssp")["ahead_smax"], 6},
		"early waits":                 {row(t, r, "head-start", "ssp")["early_waits"], 6},
		"right waits":                 {row(t, r, "head-start", "ssp")["right_waits"], 6},
		"drawn":                       {row(t, r, "versions-vain", setup.Straggler+"-lenet5", setup.Straggler, "lenet5", "dssp")["anybody"], true},
		"not drawn":                   {row(t, r, "versions-vain", setup.Homogeneous+"-lenet5", setup.Homogeneous, "lenet5", "ssp")["anybody"], false},
		"share of waits":              {row(t, r, "versions-vain", setup.Straggler+"-lenet5", setup.Straggler, "lenet5", "ssp")["waits"], 40.},
		"iteration beside SSP's":      {row(t, r, "versions-worth", setup.Straggler, "lenet5", "dasp")["over_ssp"], 0.5},
		"staleness":                   {row(t, r, "versions-worth", setup.Straggler, "lenet5", "dasp")["staleness"], 3.5},
		"largest spread":              {row(t, r, "versions-worth", setup.Straggler, "lenet5", "ssp")["spread"], int64(20)},
		"where SSP makes nobody wait": {row(t, r, "versions-worth", setup.Homogeneous, "lenet5", "dasp")["beside_ssp"], false},
		"falls":                       {row(t, r, "stories", "ssp")["version_low"], 1},
		"corners":                     {len(r.Frame("gaps").Rows), 10},
		"a gap holds":                 {fmt.Sprint(r.Frame("gaps").Rows[:3]), "[[ssp 10 0 0] [ssp 12 0 0] [ssp 12 1 2]]"},
	} {
		if want[0] != want[1] {
			t.Errorf("%s: %v, want %v", what, want[0], want[1])
		}
	}
}

// The record holds the clusters and the links of the profile.
func TestVersionSetupIsComplete(t *testing.T) {
	for profile, links := range map[string]int{"ci": 1, "quick": len(platforms.Links)} {
		cfg := config(profile)
		if got := cfg["links"].(map[string]float64); len(got) != links || got[referenceLink] != 1.25e9 {
			t.Errorf("%s: links %v, want %d", profile, got, links)
		}
		for _, c := range clusters {
			if cfg["platforms"].(map[string]any)[c] == nil {
				t.Errorf("%s: %s is not recorded", profile, c)
			}
		}
	}
}
