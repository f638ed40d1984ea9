package dasp

import (
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// What the other platforms vary, fixed before the first run: the GTX 1060's time
// factor from 2 to 3.1 (that at which ASP's stated time is its pace), the links
// of platforms.Links; the homogeneous cluster's server as four machines, one, and
// one on 10 Gb/s, and the jitter.
var (
	otherFactors = []float64{2, 2.57, 3.1}
	otherPairOf  = []int{0, 1, 2, 5, 6} // of contestants(2): BSP, ASP, SSP s=3, DSSP, DASP (1, 2)
	otherServers = []struct {
		Name      string
		Bandwidth float64
	}{{"400 Gb/s", 50e9}, {"100 Gb/s", 12.5e9}, {"10 Gb/s", 1.25e9}}
	otherJitters = []float64{0, 0.05, 0.2}
	otherSixteen = []int{0, 1, 2, 3, 4, 5} // of contestants(16): without DASP
)

// anchorRuns is how many runs a seed has, otherRuns how many the other platforms
// have.
func anchorRuns() float64 { return float64(len(contestants(2)) * (1 + len(sixteenModels))) }
func otherRuns() float64 {
	return float64(len(otherFactors)*len(platforms.Links)*len(otherPairOf) + len(otherServers)*len(otherJitters)*len(otherSixteen))
}

func some(list []contestant, which []int) (out []contestant) {
	for _, i := range which {
		out = append(out, list[i])
	}
	return out
}

// withFactor returns the pair with a slow worker f times slower than the fast.
func withFactor(p *cluster.Platform, f, bandwidth float64) *cluster.Platform {
	q := p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = bandwidth })
	q.Workers[1].FLOPS, q.Workers[1].Memory = q.Workers[0].FLOPS/f, q.Workers[0].Memory/f
	return q
}

// otherPairs is the range over links and time factors of the two-worker cluster.
func (r *runs) otherPairs(n int64) (result.Table, error) {
	list := some(contestants(2), otherPairOf)
	t := result.Table{ID: "other-pairs", Title: "Two workers: other links and other time factors", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Time of the same number of gradients, BSP = 1; %d gradients, one seed, so that the bounded methods' rows are good to about %.1f %%. "+
			"“Factor” is how many times longer the slow card computes; 3.1 is the one at which ASP's stated ratio is its pace. “f” is that of whole iterations, transfers included, as simulated under ASP. Closed form: 2/(1 + f).",
			n, 100*tie(n)),
		Columns: []result.Column{{Key: "link", Title: "links"}, {Key: "factor", Title: "factor", Digits: 2}, {Key: "f", Title: "f", Digits: 2}}}
	for _, c := range list[1:] {
		t.Columns = append(t.Columns, result.Column{Key: c.Name, Title: c.Name, Digits: 3})
	}
	t.Columns = append(t.Columns, result.Column{Key: "closed", Title: "ASP, closed form", Digits: 3})
	for _, link := range platforms.Links {
		for _, factor := range otherFactors {
			f, err := r.fields(withFactor(load(mixedPair), factor, link.Bandwidth), list, anchorModel, n, r.env.Seeds[:1])
			if err != nil {
				return t, err
			}
			row := []any{link.Name, factor, f.factor()}
			for _, c := range list[1:] {
				row = append(row, f.ratio(c.Name))
			}
			t.Rows = append(t.Rows, append(row, aspRatio(f.factor())))
		}
	}
	return t, nil
}

// homogeneousTable is the 16-worker cluster, both models.
func homogeneousTable(homo map[string]field, s anchorSize) result.Table {
	t := result.Table{ID: "homogeneous", Title: "Sixteen equal workers, 100 Gb/s InfiniBand", Kind: result.TimingOnly,
		Caption: "Time of 300 epochs' gradients. " + scaled(s.Gradients) + " ± is half the 95 % interval over seeds. Waits: share of the workers' time from a gradient's arrival to its answer, the server's own work included.",
		Columns: []result.Column{{Key: "model", Title: "model"}, {Key: "method", Title: "method"}, {Key: "time", Title: "300 epochs", Unit: "s", Digits: 1},
			{Key: "half", Title: "±", Unit: "s", Digits: 1}, {Key: "ratio", Title: "BSP = 1", Digits: 4}, {Key: "waits", Title: "waits", Unit: "%", Digits: 2},
			{Key: "largest", Title: "most clocks ahead"}, {Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2}}}
	for _, m := range sixteenModels {
		f := homo[m]
		for i, c := range f.list {
			mean, half := exp.MeanAndHalf(f.times(i))
			x, _ := ratio(f.times(i), f.times(0))
			t.Rows = append(t.Rows, []any{anchorNames[m], c.Name, mean, exp.OrNone(half), x, 100 * f.mean(i, func(l lap) float64 { return l.Waits }),
				f.largest(i), f.mean(i, func(l lap) float64 { return l.Staleness })})
		}
	}
	return t
}

var anchorNames = map[string]string{anchorModel: "ResNet-110", "resnet18": title["resnet18"]}

// otherOrders is the order on other servers and jitters.
func (r *runs) otherOrders(n int64) (result.Table, error) {
	t := result.Table{ID: "other-orders", Title: "Sixteen equal workers: other servers and jitters, ResNet-110", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Order of the times of %d gradients, fastest first; “=”: within %.1f %%; one seed. The stated order is BSP < SSP < DSSP < ASP. The server's link is that of four machines, of one, and of one on 10 Gb/s Ethernet.", n, 100*tie(n)),
		Columns: []result.Column{{Key: "server", Title: "server's link"}, {Key: "jitter", Title: "jitter", Unit: "%"}, {Key: "order", Title: "order, fastest first"}, {Key: "asp", Title: "ASP, BSP = 1", Digits: 3}}}
	for _, server := range otherServers {
		for _, jitter := range otherJitters {
			p := load(sixteen).WithHosts(func(h *cluster.Host, server bool) {
				if !server {
					h.Jitter = jitter
				}
			}).WithServerBandwidth(server.Bandwidth)
			f, err := r.fields(p, some(contestants(16), otherSixteen), anchorModel, n, r.env.Seeds[:1])
			if err != nil {
				return t, err
			}
			var list []placed
			for i, c := range f.list {
				list = append(list, placed{c.Name, f.times(i)[0]})
			}
			t.Rows = append(t.Rows, []any{server.Name, 100 * jitter, order(list, tie(n)), f.ratio("ASP")})
		}
	}
	return t, nil
}
