package own

import (
	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
)

// What is found of a method beside the reference, in the order in which it is asked.
const (
	Failed    = "failed"          // a run of it could not be made
	Diverged  = "diverged"        // a loss or a parameter of a run became infinite or NaN
	Reference = "reference"       // it is the reference
	Unpaired  = "unpaired"        // the reference failed or diverged
	NoCase    = claims.WordNoCase // both did exactly the same in every seed
	Never     = "never"           // neither reaches the accuracy in any seed
	Alone     = "alone"           // one seed has no interval
	Sooner    = "sooner"
	Later     = "later"
	Cannot    = claims.WordCannot // the seeds are too few to tell
)

// findings lists all of them.
var findings = []string{Failed, Diverged, Reference, Unpaired, NoCase, Never, Alone, Sooner, Later, Cannot}

// gradientsTimed is the number of gradients whose time timing-only runs are compared by.
const gradientsTimed = 1000

// Row says what was found of a method at a value of the axis. Times are in seconds, per seed: to the target, averaged
// over Plan.Accuracies, and to the target alone; or of 1,000 gradients, where nothing was trained.
type Row struct {
	Point
	Times, Once kit.Times
	// Over is the geometric mean of the ratios of Times to the reference's, paired by seed; no number where
	// a time of either is only bounded, and of the reference itself.
	Over    kit.Estimate
	Finding string
	// Decide is how many seeds would decide where these cannot: by the interval as
	// kit.Estimate.SeedsToDecide has it, where times are bounded by the sign test. 0: not to be said.
	Decide   int
	Missed   int // seeds in which it never has the target
	Diverged []uint64
	Failed   []Failure
	First    int // seeds that have the lowest accuracy at the first evaluation, so that the time to it is an upper bound
	Cells    []Cell
}

// Failure is why a run could not be made.
type Failure struct {
	Seed uint64
	Why  string
}

// Reference returns what the rows at a value are compared with: the first method at that value, or, of a single method,
// itself at the first value.
func (p *Plan) Reference(value int) Point {
	if len(p.Methods) == 1 {
		value = 0
	}
	return Point{p.Methods[0], value}
}

// Rows judges cells: a row per value and method, in this order.
func (p *Plan) Rows(cells Cells) (rows []Row) {
	for v := range p.Values {
		reference := p.row(p.Reference(v), cells)
		for _, m := range p.Methods {
			row := p.row(Point{m, v}, cells)
			row.Finding = beside(row, reference)
			if row.Finding != Reference && row.compared() && reference.compared() {
				if row.Missed+reference.Missed == 0 {
					row.Over = row.Times.Over(reference.Times)
				}
				row.Decide = decide(row, reference)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// row makes a row but for what depends on the reference.
func (p *Plan) row(at Point, cells Cells) Row {
	r := Row{Point: at, Cells: cells[at]}
	for i, c := range r.Cells {
		switch {
		case c.Failed != "":
			r.Failed = append(r.Failed, Failure{p.Seeds[i], c.Failed})
		case c.Diverged != nil:
			r.Diverged = append(r.Diverged, p.Seeds[i])
		}
		r.Times = append(r.Times, p.time(c))
		if !p.timing() {
			r.Once = append(r.Once, train.TimeTo(c.Curve, p.one().TargetAccuracy, train.InSeconds))
			if len(c.Curve) > 0 && c.Curve[0].Accuracy >= p.Accuracies()[0] {
				r.First++
			}
		}
	}
	r.Missed = r.Times.Missed()
	return r
}

// time returns what a cell is compared by.
func (p *Plan) time(c Cell) kit.Time {
	if p.timing() {
		return kit.Time{At: gradientsTimed * c.Seconds / float64(max(c.Pushes, 1))}
	}
	return train.MeanTimeTo(c.Curve, p.Accuracies(), train.InSeconds)
}

// compared reports whether r has times that others can be compared with.
func (r Row) compared() bool { return len(r.Failed)+len(r.Diverged) == 0 }

// beside finds whether r is sooner or later than the reference.
func beside(r, reference Row) string {
	switch {
	case len(r.Failed) > 0:
		return Failed
	case len(r.Diverged) > 0:
		return Diverged
	case r.Point == reference.Point:
		return Reference
	case !reference.compared():
		return Unpaired
	case same(r.Cells, reference.Cells):
		return NoCase
	case r.Missed == len(r.Cells) && reference.Missed == len(r.Cells):
		return Never
	case len(r.Cells) == 1:
		return Alone
	}
	switch r.Times.Against(reference.Times) {
	case "below":
		return Sooner
	case "above":
		return Later
	}
	return Cannot
}

// same reports whether two methods did exactly the same in every seed, event by event and bit by bit.
func same(a, b []Cell) bool {
	for i := range a {
		if a[i].Digest == "" || a[i].Digest != b[i].Digest {
			return false
		}
	}
	return len(a) > 0
}

// signsDecide is the least number of pairs of one order that the exact sign test decides by.
const signsDecide = 6

// decide returns how many seeds would decide what these cannot.
func decide(r, reference Row) int {
	switch {
	case r.Finding != Cannot:
		return 0
	case r.Missed+reference.Missed == 0:
		return max(r.Over.SeedsToDecide(), 0)
	}
	if s := r.Times.Beside(reference.Times); s.Unknown == 0 && min(s.Sooner, s.Later) == 0 && s.Sooner+s.Later > 0 {
		return signsDecide
	}
	return 0
}
