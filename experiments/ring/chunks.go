package ring

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/tensor/model"
)

// The axes: a small and a large gradient, and the links in Gb/s.
var (
	chunksModels = []string{"lenet5", "resnet18"}
	chunksLinks  = []float64{1, 10}
)

// planChunks returns into how many pieces a profile cuts each chunk; 1 is the plain ring.
func planChunks(profile string) []int {
	if profile == "ci" {
		return []int{1, 2, 4, 16}
	}
	return []int{1, 2, 3, 4, 5, 6, 8, 12, 16}
}

// chunksCluster returns a platform with the links of common Ethernet; their bandwidth is an axis.
func chunksCluster() *cluster.Platform { return kit.Load("homogeneous6") }

// chunked is one all-reduce in pieces.
type chunked struct {
	Model            string
	Link             float64 // Gb/s
	Pieces           int
	Timed, Predicted float64 // seconds of virtual time; of the closed form
	Whole            float64 // seconds timed at one piece
	Best             bool    // the least time of its gradient and link, and the fewest pieces with it
}

// saved returns how much sooner it is there than whole chunks, in per cent.
func (c chunked) saved() float64 { return 100 * (1 - c.Timed/c.Whole) }

// sooner tells whether that shows in the digits that are printed.
func (c chunked) sooner() bool { return math.Round(10*c.saved()) > 0 }

// chunks returns the experiment that asks into how many pieces a ring should cut its chunks.
func chunks() exp.Experiment {
	return kit.Inquiry{ID: "ring/chunks", Source: "ours", Kind: result.TimingOnly, Profiles: []string{"ci", "quick"},
		Seedless: true, Run: runChunks,
		Seconds: func(string, int) float64 { return 0.2 },
		Config: func(profile string) map[string]any {
			return map[string]any{"platform": kit.Platform(chunksCluster()), "models": chunksModels, "links": chunksLinks, "pieces": planChunks(profile)}
		}}.Experiment()
}

func runChunks(ctx context.Context, env exp.Env, r *result.Result) error {
	p, plan := chunksCluster(), planChunks(env.Profile)
	b := exp.Bar{Env: env, Total: float64(len(chunksModels) * len(chunksLinks) * len(plan))}
	rows, off := []chunked{}, 0.0 // off is the closed form's error, at most
	pays, rises := false, true    // somewhere; everywhere past the best number
	for _, name := range chunksModels {
		m, err := model.New(name)
		if err != nil {
			return err
		}
		r.Facts = append(r.Facts, kit.Facts("size_"+name+"/MB.2", 4*float64(m.NumParams())/1e6)...)
		for _, link := range chunksLinks {
			best := len(rows)
			for i, pieces := range plan {
				c, err := timeChunks(ctx, p, m.NumParams(), link, pieces)
				if err != nil {
					return err
				}
				if c.Model, c.Whole = name, c.Timed; i > 0 {
					c.Whole = rows[len(rows)-1].Whole
				}
				if rows = append(rows, c); c.Timed < rows[best].Timed {
					best = len(rows) - 1
				}
				off = max(off, math.Abs(c.Predicted/c.Timed-1))
				b.Step(fmt.Sprintf("%s at %g Gb/s, %d pieces", name, link, pieces))
			}
			rows[best].Best = true
			pays = pays || rows[best].sooner()
			rises = rises && best < len(rows)-1 && slices.IsSortedFunc(rows[best:], func(after, before chunked) int {
				if after.Timed > before.Timed {
					return 0
				}
				return -1
			})
			key := fmt.Sprintf("_%s_%g", name, link)
			r.Facts = append(r.Facts, kit.Facts("best"+key, rows[best].Pieces, "saved"+key+"/%.1", rows[best].saved())...)
		}
	}
	host := p.Workers[0]
	r.Facts = append(r.Facts, kit.Facts("workers", len(p.Workers), "latency/µs", 2*host.Latency.Microseconds(),
		"overhead/µs", host.Overhead.Microseconds(), "off/%.3", 100*off, "pays", pays, "rises", rises)...)
	head := "model:model link/Gb/s.0 pieces time/ms.3 modelled/ms.3 of_whole/%.1 saved/%.1 best:bool sooner:bool"
	r.Frames = []result.Frame{kit.Rows("times", head, rows, func(c chunked) []any {
		return []any{c.Model, c.Link, c.Pieces, 1e3 * c.Timed, 1e3 * c.Predicted, 100 * c.Timed / c.Whole, c.saved(), c.Best, c.sooner()}
	})}
	r.Figures = []result.Figure{{ID: "chunks-time", Form: "line", Frame: "times", X: "pieces", Y: []string{"of_whole"}, By: []string{"model", "link"}}}
	return nil
}

// timeChunks times one all-reduce of n elements on p with links of link Gb/s. The closed form
// knows neither overhead o nor header: each of a gradient's P·N pieces holds a link o longer, as
// o·B bytes more would, and takes o longer to arrive.
func timeChunks(ctx context.Context, p *cluster.Platform, n int, link float64, pieces int) (chunked, error) {
	ranks, bandwidth, o := len(p.Workers), link*1e9/8, p.Workers[0].Overhead.Seconds()
	p = p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = bandwidth })
	segment := (n + ranks*pieces - 1) / (ranks * pieces) // rounded up: no chunk has a piece more
	t, err := onVirtual(ctx, p, ranks, func(p cluster.Proc) error {
		return collective.Ring{Segment: segment}.AllReduceTiming(p, 0, n)
	})
	padded := 4*float64(n) + float64(ranks*pieces)*(o*bandwidth+cluster.HeaderBytes)
	alpha := 2*p.Workers[0].Latency.Seconds() + o
	return chunked{Link: link, Pieces: pieces, Timed: t.Seconds, Predicted: formula.RingPipelinedTime(ranks, padded, pieces, alpha, bandwidth)}, err
}
