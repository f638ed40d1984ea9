package setup

import (
	"fmt"

	"gradsync/experiments/claims"
)

// Reduction is one stated reduction of the mean iteration time.
type Reduction struct {
	ID      string `json:"-"`
	Model   string `json:"-"`
	Against string `json:"-"`
}

// Reductions are D01–D09 of the homogeneous and D10–D18 of the heterogeneous cluster:
// model by model, against BSP, SSP, DSSP.
func Reductions(platform string) (out []Reduction) {
	first := 1
	if platform == Heterogeneous {
		first = 10
	}
	for i, m := range Models {
		for j, b := range Baselines {
			out = append(out, Reduction{fmt.Sprintf("D%02d", first+len(Baselines)*i+j), m, b})
		}
	}
	return out
}

// StatedNumber returns the number that a claim states.
func StatedNumber(id string) float64 {
	c, _ := claims.Get(id)
	x, ok := c.Number()
	if !ok {
		panic("dasp: " + id + " states no number")
	}
	return x
}
