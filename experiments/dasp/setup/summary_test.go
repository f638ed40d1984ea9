package setup

import (
	"testing"

	"gradsync/experiments/kit"
	"gradsync/experiments/train"
)

func TestVisits(t *testing.T) {
	for share, want := range map[[3]float64]string{{1, 0, 0}: QISAlone, {0.9, 0.1, 0}: neverFSS, {0.9, 0, 0.1}: neverWSS, {0.8, 0.1, 0.1}: allStates} {
		other := map[string]float64{"QIS": share[0], "WSS": share[1], "FSS": share[2]}
		if got := Visits([]Summary{{Share: map[string]float64{"QIS": 1}}, {Share: other}}); got != want {
			t.Errorf("shares %v: %s, want %s", share, got, want)
		}
	}
}

// Times that are longer in every seed are told from the base's, others are not.
func TestLearningTells(t *testing.T) {
	at := func(times ...float64) (cells []Summary) {
		for _, x := range times {
			cells = append(cells, Summary{Curve: []train.Point{{Accuracy: 0.1}, {Pushes: 100, Seconds: x, Accuracy: 0.7}}})
		}
		return cells
	}
	base := at(1, 1.01, 1.02)
	for _, c := range []struct {
		name         string
		cells        []Summary
		target       float64
		told, missed bool
	}{
		{"the base itself", base, 0.7, false, false},
		{"twice as slow in every seed", at(2, 2.03, 2.02), 0.7, true, false},
		{"slower and faster", at(0.5, 1, 2), 0.7, false, false},
		{"one that misses", append(at(2, 2), Summary{Curve: []train.Point{{Accuracy: 0.6}}}), 0.7, false, true},
	} {
		f := kit.NewSheet("f", LearningColumns)
		f.Add(LearningCells(c.target, c.cells, base)...)
		if row := f.Rows[0]; row[f.At("time_told")] != c.told || row[f.At("missed")] != c.missed || row[f.At("accuracy_told")] != false {
			t.Errorf("%s: %v", c.name, row)
		}
	}
}
