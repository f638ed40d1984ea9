package setup

import (
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// Shares are those of DASP's pushes by state, in per cent: the mean over seeds.
func Shares(cells []Summary) (row []any) {
	for _, s := range States {
		row = append(row, kit.Each(cells, func(c Summary) float64 { return c.Share[s] }).Mean().Times(100))
	}
	return row
}

// StateColumns are those of DASP's states, and StateCells their cells after the first of a
// row: shares of pushes and seconds waited, the gaps of all seeds, the largest spread of any,
// and which states the pushes visit.
const StateColumns = " QIS/%.2 WSS/%.2 FSS/%.2 QIS_wait/s.2 WSS_wait/s.2 FSS_wait/s.2 gap/versions p99/versions spread/versions visits:visits"

func StateCells(cells []Summary, first ...any) []any {
	row := append(first, Shares(cells)...)
	for _, s := range States {
		row = append(row, kit.Each(cells, func(c Summary) float64 { return c.Seconds[s] }).Mean())
	}
	gaps := Gaps(cells)
	return append(row, gaps.Quantile(0.5), gaps.Quantile(0.99), WidestSpread(cells), Visits(cells))
}

// LearningColumns set trainings beside those of a base, and LearningCells are their cells
// after the first of a row, paired by seed: which times and accuracies can be told from the
// base's, where there are intervals.
const LearningColumns = " seconds/s.3 ratio~/.3 pushes/.0 accuracy/%.2 difference±/points.2 missed time_told accuracy_told"

func LearningCells(target float64, cells, base []Summary, first ...any) []any {
	seconds, gained := SecondsAt(cells, target), make(kit.Sample, len(base))
	for i, c := range cells {
		gained[i] = 100 * (c.Accuracy - base[i].Accuracy)
	}
	ratio, difference := seconds.Over(SecondsAt(base, target)), gained.Mean()
	told := func(e kit.Estimate, null float64) bool { return e.CI != nil && e.Excludes(null) }
	return append(first, seconds.Mean(), ratio, PushesAt(cells, target).Mean(), kit.Each(cells, func(c Summary) float64 { return 100 * c.Accuracy }).Mean(),
		difference, seconds == nil, told(ratio, 1), told(difference, 0))
}

func SizeFacts(s Size) []result.Fact {
	return append(Settings(), kit.Facts("target/%", 100*s.Target, "batch", s.Batch, "rate", s.Rate, "gradients", s.Pushes,
		"timed_gradients", Workers*PerWorker)...)
}

// SizeColumns tell how each network is trained, and size.cells are their cells: the gradient
// of the whole network, the part of it that is trained, and the target.
const SizeColumns = "model:model gradient/MB narrower/.0 image batch rate pushes every target/%.0"

func (s Size) Cells(more ...any) []any {
	return append([]any{s.Model, s.Megabytes(), s.Narrower(), kit.OnlyIf(s.Image > 0, float64(s.Image)), s.Batch, s.Rate, s.Pushes, s.EvalEvery,
		100 * s.Target}, more...)
}
