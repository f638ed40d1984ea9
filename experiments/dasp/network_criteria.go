package dasp

import (
	"fmt"
	"gradsync/experiments/exp"
	"math"
)

func blindToLinks(_ string, cells map[string][]linkCell) (bool, string, bool) {
	w := allWaits(cells[computeForm.key])
	if w.WSS == 0 {
		return false, "no push in WSS", false
	}
	x := float64(w.Short) / float64(w.WSS)
	return x >= mostWaits, fmt.Sprintf("%.1f %% of %d", 100*x, w.WSS), true
}

func boundAlone(_ string, cells map[string][]linkCell) (bool, string, bool) {
	if onlyQIS(cells[computeForm.key]) {
		return false, "every push in QIS", false
	}
	x, _ := ratio(values(cellsOf(cells[computeForm.key]), perIteration), values(cellsOf(cells[untimedForm.key]), perIteration))
	return x-1 <= sameTime && 1-x <= sameTime, fmt.Sprintf("×%.4f", x), true
}

// stateShare is the mean over seeds of a state's share of pushes.
func stateShare(cells []linkCell, state string) float64 {
	x, _ := exp.MeanAndHalf(values(cellsOf(cells), func(c cell) float64 { return c.Share[state] }))
	return x
}

func fewerFSS(_ string, cells map[string][]linkCell) (bool, string, bool) {
	blind, sees := stateShare(cells[computeForm.key], "FSS"), stateShare(cells[iterationForm.key], "FSS")
	if blind == 0 && sees == 0 {
		return false, "no push in FSS", false
	}
	return sees < blind, fmt.Sprintf("%.1f %% against %.1f %%", 100*sees, 100*blind), true
}

// longerIteration holds if the interval excludes 1, or where one seed has none,
// if the ratio is above 1.
func longerIteration(_ string, cells map[string][]linkCell) (bool, string, bool) {
	if onlyQIS(cells[computeForm.key]) && onlyQIS(cells[iterationForm.key]) {
		return false, "every push in QIS", false
	}
	x, ci := ratio(values(cellsOf(cells[iterationForm.key]), perIteration), values(cellsOf(cells[computeForm.key]), perIteration))
	if ci == nil {
		return x > 1, fmt.Sprintf("×%.3f", x), true
	}
	return ci[0] > 1, fmt.Sprintf("×%.3f [%.3f, %.3f]", x, ci[0], ci[1]), true
}

func keepsSaving(_ string, cells map[string][]linkCell) (bool, string, bool) {
	free, _ := overBSP(cells, "asp")
	ours, _ := overBSP(cells, computeForm.key)
	if free >= 1 {
		return false, "ASP saves nothing", false
	}
	x := (1 - ours) / (1 - free)
	return x >= keptSaving, fmt.Sprintf("%.0f %%", 100*x), true
}

func evensOut(_ string, cells map[string][]linkCell) (bool, string, bool) {
	x := unevenness(cells["asp"])
	return x <= evened, fmt.Sprintf("×%.2f", x), !math.IsNaN(x)
}

func latencyStraggler(model string, cells map[string][]linkCell) (bool, string, bool) {
	x := stateShare(cells[computeForm.key], "QIS")
	measured := fmt.Sprintf("%.1f %% in QIS", 100*x)
	if model == models[0] {
		return x < notNearly, measured, true
	}
	return x > nearlyAll, measured, true
}
