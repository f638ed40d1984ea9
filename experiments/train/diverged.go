package train

import (
	"encoding/json"
	"math"
)

// Divergence is where an evaluation first found the loss or a parameter not
// finite.
type Divergence struct {
	Pushes  int64 `json:"pushes"`
	Updates int64 `json:"updates"`
}

// diverged finds the first evaluation whose loss is not finite.
func diverged(points []Point) *Divergence {
	for _, p := range points {
		if !finite(p.Loss) {
			return &Divergence{p.Pushes, p.Updates}
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func allFinite(params []float32) bool {
	for _, p := range params {
		if !finite(float64(p)) {
			return false
		}
	}
	return true
}

// plainPoint is a Point without its methods.
type plainPoint Point

// pointJSON is a Point whose loss is null where JSON has no number for it.
type pointJSON struct {
	plainPoint
	Loss *float64 `json:"loss"`
}

// MarshalJSON writes null for a loss that is not finite.
func (p Point) MarshalJSON() ([]byte, error) {
	return json.Marshal(pointJSON{plainPoint(p), unless(!finite(p.Loss), p.Loss)})
}

// UnmarshalJSON reads null as a loss of NaN.
func (p *Point) UnmarshalJSON(raw []byte) error {
	var j pointJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*p = Point(j.plainPoint)
	p.Loss = math.NaN()
	if j.Loss != nil {
		p.Loss = *j.Loss
	}
	return nil
}
