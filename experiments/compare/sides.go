package compare

import (
	"fmt"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// homeRow is an exchange of a network on which RingSparse may be at home.
type homeRow struct {
	Link, Network, Method, How string
	Round                      float64 // seconds
	Sent                       float64 // bytes of all workers, per round
}

// homeDensity is the share of a worker's gradient that is not zero where it is stated.
const homeDensity = 0.01

// home times ring and RingSparse on the dense network, on the MLP on raw pixels, whose
// black ones give real zeros, and on gradients of a stated density.
func (r *runs) home(grounds []ground, s size) (out []homeRow, err error) {
	seed := r.env.Seeds[0]
	for _, g := range grounds {
		for _, network := range []string{"LeNet-5", "MLP on raw pixels", fmt.Sprintf("MLP, stated density %g %%", 100*homeDensity)} {
			for _, k := range []string{"ring", "ring-layers", "ringsparse"} {
				m, how := methodOf(k), result.TimingOnly
				c := s.config(m, g, seed)
				c.MaxPushes, c.MaxUpdates, c.Warmup, c.EvalEvery = 0, s.Timed, s.Warmup, -1
				if network != "LeNet-5" {
					c.Model = "mlp"
				}
				switch {
				case k != "ringsparse":
					c.TimingOnly = true
				case network == "LeNet-5":
					how = result.Trained
				case network == "MLP on raw pixels":
					c.RawPixels, how = true, result.Trained
				default:
					c.TimingOnly, c.Density = true, homeDensity
				}
				p, err := r.get(fmt.Sprintf("%s, %s, %s", network, m.Title, g.link()), c)
				if err != nil {
					return nil, err
				}
				out = append(out, homeRow{g.link(), network, m.Title, how, p.Iteration, float64(p.Sent) / float64(p.Updates)})
			}
		}
	}
	return out, nil
}

// paperRow is an exchange in coded SGD's own message model.
type paperRow struct {
	Link, Method           string
	Round, Sent, Delivered float64
}

// paperBlocks is Q of that model with six nodes, lcm(C(6,1), C(6,2)): every method sends
// the gradient of each of the micro-blocks by itself.
const paperBlocks = 30

// paper times the exchanges of coded SGD in its message model, timing-only.
func (r *runs) paper(grounds []ground, s size) (out []paperRow, err error) {
	for _, g := range grounds {
		for _, k := range []string{"ssgd-unicast", "ssgd-multicast", "cssgd"} {
			m := methodOf(k)
			o := codedsgd.Options{Method: m.Sync, Redundancy: m.redundancy(), MicroBlocks: paperBlocks}
			m.Coded = &o
			p, err := r.get(fmt.Sprintf("%s, micro-blocks, %s", m.Title, g.link()), s.timing(m, g, r.env.Seeds[0]))
			if err != nil {
				return nil, err
			}
			n := float64(p.Updates)
			out = append(out, paperRow{g.link(), m.Title, p.Iteration, float64(p.Sent) / n, float64(p.Delivered) / n})
		}
	}
	return out, nil
}

// parts is about how many runs a study makes, for the bar.
func parts(seeds int) float64 {
	each := 0
	for _, m := range methods() {
		each += 2 // events and training
		if !m.Async {
			each++ // the common training, its own, times
		}
	}
	return float64(1 + len(links)*(seeds*each+9+3))
}
