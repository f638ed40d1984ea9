package setup

import (
	"math"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// Gigabit is 1 Gb/s in bytes per second.
const Gigabit = 1e9 / 8

// Links are the bandwidths of the experiments' axis in Gb/s, fixed before their first run; the
// first is the platform's own.
var Links = []float64{1, 10, 25}

// Platform returns the platform of every timed run here.
func Platform() *cluster.Platform { return kit.Load("sparse32") }

// WithLink returns p without jitter and with links of gbps: the same work always takes the same
// time, so that differences are the exchange's.
func WithLink(p *cluster.Platform, gbps float64) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Jitter = gbps*Gigabit, 0 })
}

// AddData notes in r what images were trained on, each set once.
func AddData(r *result.Result, d *result.Data) {
	if d != nil && !slices.ContainsFunc(r.Data, func(x result.Data) bool { return x.SHA256 == d.SHA256 }) {
		r.Data = append(r.Data, *d)
	}
}

// MeasuredRates lists the rates of one CPU core with AVX-512, in bytes of dense float32 per
// second: `gradsync calibrate`, density 10 %. The platform's own are assumed, with low confidence.
var MeasuredRates = []cluster.CodecRate{
	{Name: "bitmap", Encode: 13.6e9, Decode: 13.0e9},
	{Name: "coo", Encode: 6.3e9, Decode: 6.4e9},
	{Name: "count", Encode: 30e9},
	{Name: "convert", Encode: 4.3e9},
}

func RateOf(rates []cluster.CodecRate, name string) cluster.CodecRate {
	i := slices.IndexFunc(rates, func(r cluster.CodecRate) bool { return r.Name == name })
	if i < 0 {
		panic("ringsparse: no rate of " + name)
	}
	return rates[i]
}

// RateFrame sets assumed rates beside measured ones, in GB/s.
func RateFrame() result.Frame {
	head := "work_of:work-of assumed/GB/s assumed_unpack/GB/s measured/GB/s measured_unpack/GB/s"
	return kit.As(result.Stated, kit.Rows("codec-rates", head, MeasuredRates, func(m cluster.CodecRate) []any {
		out := []any{m.Name}
		for _, r := range []cluster.CodecRate{RateOf(Platform().Codecs, m.Name), m} {
			for _, x := range []float64{r.Encode, r.Decode} {
				if x == 0 {
					x = math.NaN() // nothing is unpacked
				}
				out = append(out, x/1e9)
			}
		}
		return out
	}))
}
