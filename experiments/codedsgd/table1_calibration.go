package codedsgd

import (
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// calibrated is the number of nodes at which the paper varies the redundancy.
const calibrated = 8

// network builds w for n nodes.
func (w network) network(nodes int) (*model.Model, error) {
	return model.Build(model.Spec{Name: w.Model, Classes: classes(nodes)})
}

// ratio is communication over computation of one network in the paper's own time
// model, T = r·Tcalc + (n−r)/((n−1)·r)·Tcomm.
type ratio struct {
	Network    network
	Parameters int
	FLOP       float64 // per sample, forward and backward
	Calc       float64 // Tcalc: seconds for |F_j|/n samples on one node
	Comm       float64 // Tcomm: seconds for (n−1)·Q/n whole gradients on one link
	Best       int     // the redundancy that the paper found best
	Low, High  float64 // between them Best is best
}

func (r ratio) value() float64 { return r.Comm / r.Calc }

func (r ratio) inside() bool { return r.Low <= r.value() && r.value() <= r.High }

// calibration sets both networks' ratios on p beside the ranges that the paper's
// best redundancies at 8 nodes imply.
func calibration(p *cluster.Platform) ([]ratio, error) {
	var out []ratio
	for i, w := range networks() {
		m, err := w.network(calibrated)
		if err != nil {
			return nil, err
		}
		r := ratio{Network: w, Parameters: m.NumParams(), Best: []int{3, 2}[i]}
		for _, l := range m.Layers() {
			r.FLOP += l.ForwardFLOP + l.BackwardFLOP
		}
		host := p.Workers[0]
		r.Calc = float64(w.PerNode) * r.FLOP / host.FLOPS
		messages := float64((calibrated - 1) * microBlocks(calibrated, redundancies...) / calibrated)
		r.Comm = messages * 4 * float64(r.Parameters) / host.Bandwidth
		r.Low, r.High = threshold(calibrated, r.Best-1), threshold(calibrated, r.Best)
		out = append(out, r)
	}
	return out, nil
}

// threshold is Tcomm/Tcalc at which r and r+1 take the same time on n nodes:
//
//	r·Tcalc + (n−r)/((n−1)·r)·Tcomm = (r+1)·Tcalc + (n−r−1)/((n−1)(r+1))·Tcomm  at  r(r+1)(n−1)/n
func threshold(n, r int) float64 { return float64(r*(r+1)*(n-1)) / float64(n) }
