package dasp

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// counted is a census of 10 pushes, so many of them waits and so many of those
// in vain by both tests.
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

func TestVainOverSeeds(t *testing.T) {
	list := []census{counted(4, 1), counted(0, 0), counted(4, 3)}
	mean, half, n := vainOverSeeds(list, bySmin)
	// ¼ and ¾: sd 0.35355, t(0.975, 1) = 12.706, by √2: 3.1766.
	if n != 2 || mean != 0.5 || math.Abs(half-3.1766) > 1e-3 {
		t.Errorf("%g ± %g of %d seeds, want 0.5 ± 3.1766 of the two with a wait", mean, half, n)
	}
	if _, _, n := vainOverSeeds(list[1:2], bySmin); n != 0 {
		t.Errorf("%d seeds with a wait, want none", n)
	}
}

// handGrid has SSP wait 4 of 10 times, 3 in vain, on the straggler alone; DSSP
// never.
func handGrid() censusGrid {
	g := censusGrid{}
	for _, cluster := range versionClusters {
		g[cluster] = map[string]map[string]map[string][]census{referenceLink: {}}
		for _, m := range models {
			c := counted(0, 0)
			if cluster == straggler {
				c = counted(4, 3)
				c.Early[bySmin] = [2]int{1, 1}
			}
			g[cluster][referenceLink][m] = map[string][]census{"ssp": {c}, "dssp": {counted(0, 0)}}
		}
	}
	return g
}

func TestVersionNotesSayTheNumbers(t *testing.T) {
	own := ownGrid{}
	for _, cluster := range versionClusters {
		own[cluster] = map[string]map[string][]ownRun{}
		for _, m := range models {
			waited := map[bool]float64{true: 0.4}[cluster == straggler]
			own[cluster][m] = map[string][]ownRun{"ssp": {{waited, 3, 2, 20, 4}, {waited, 1, 2, 10, 4}}, "dasp": {{0.1, 1, 3, 8, 90}, {0.3, 1, 4, 7, 80}}}
		}
	}
	notes := strings.Join(versionNotes(handGrid(), own), "\n")
	for _, want := range []string{
		"SSP, homogeneous: nobody of 30 pushes waited", "one straggler 75.0 % by Smin and 75.0 % by Smax of 12 waits", "DSSP, homogeneous: nobody",
		"of SSP 3 of the 3 waits that are not in vain and 3 of the 3 pushes let through", "of DSSP 0 of the 0 waits",
		"one straggler 3 and 3 of 18", "one straggler, LeNet-5: 20 % of pushes wait against 40 %, iteration ×0.50, mean staleness 3.50 against 2.00, largest spread 8 against 20",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "homogeneous, LeNet-5:") {
		t.Error("a cluster without a wait is compared")
	}
	f := vainFigure(handGrid())
	if len(f.X.Categories) != 3 || f.Series[0].Y[0] != 40 || f.Series[1].Y[2] != 30 || f.Series[2].Y[1] != 0 || !strings.Contains(f.Caption, "homogeneous, LeNet-5; ") {
		t.Errorf("figure of %v: %+v", f.X.Categories, f.Series)
	}
}

// rectangular complains of a table whose rows are not as wide as its head.
func rectangular(t *testing.T, r *result.Result) {
	t.Helper()
	for _, tab := range r.Tables {
		if len(tab.Rows) == 0 {
			t.Errorf("%s is empty", tab.ID)
		}
		for i, row := range tab.Rows {
			if len(row) != len(tab.Columns) {
				t.Errorf("%s: row %d has %d entries, the head %d", tab.ID, i, len(row), len(tab.Columns))
			}
		}
	}
	for _, f := range r.Figures {
		for _, s := range f.Series {
			if len(s.X) == 0 || len(s.X) != len(s.Y) || f.Alt == "" {
				t.Errorf("%s, %s: %d and %d values, text %q", f.ID, s.Name, len(s.X), len(s.Y), f.Alt)
			}
		}
	}
	if r.Status != complete || len(r.Notes) == 0 {
		t.Errorf("status %s, %d notes", r.Status, len(r.Notes))
	}
}

func TestVersionsResult(t *testing.T) {
	r := testRuns("ci", 0)
	res, err := versionsVsClocks().Old(r.ctx, r.env)
	if err != nil {
		t.Fatal(err)
	}
	rectangular(t, res)
}

// The record holds the clusters and the links of the profile.
func TestVersionSetupIsComplete(t *testing.T) {
	for profile, links := range map[string]int{"ci": 1, "quick": len(platforms.Links)} {
		cfg := versionSetup(testRuns(profile, 0).env)
		if got := cfg["links"].(map[string]float64); len(got) != links || got[referenceLink] != 1.25e9 {
			t.Errorf("%s: links %v, want %d", profile, got, links)
		}
		for _, c := range versionClusters {
			if p, ok := cfg["platforms"].(map[string]any)[c].(*cluster.Platform); !ok || len(p.Workers) != workers {
				t.Errorf("%s: %s is not recorded", profile, c)
			}
		}
	}
}
