package compare

import (
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// bySpeed is how many samples of a batch each worker gets where they go by speed.
func bySpeed(p *cluster.Platform, batch int) (out []int) {
	a, err := codedsgd.Assign(len(p.Workers), 1)
	if err != nil {
		panic(err) // redundancy 1 is always in range
	}
	var speeds []float64
	for _, w := range p.Workers {
		speeds = append(speeds, w.FLOPS)
	}
	bounds := a.Split(batch, a.Blocks(), speeds)
	for i := range p.Workers {
		out = append(out, bounds[i+1]-bounds[i])
	}
	return out
}
