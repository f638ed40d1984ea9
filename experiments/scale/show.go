package scale

import (
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// row is a point and what was found there, means over seeds.
type row struct {
	point
	Round, Per kit.Estimate // seconds; workers alone that it is worth
	Stale      float64
	PerRank    float64
	Busiest    float64
	Added      float64 // share of what the workers added since the size before do alone; NaN: the first size
}

// end is where a method stops, of one pair.
type end struct {
	pair
	Method string
	Half   int     // the most workers that do half their work; 0: none
	Stops  int     // from where on more workers bring less than least; 0: nowhere on the grid
	Best   float64 // workers alone that it is worth at most
	At     int     // the number of workers with which it is that
}

// rows returns the method's rows on c, by number of workers.
func rows(v *kit.View[point, sample], p plan, c pair, method string) (out []row) {
	for i, n := range p.Workers {
		x := point{c, method, n}
		cells := v.At(x)
		r := row{point: x, Round: kit.Each(cells, func(s sample) float64 { return s.Round }).Mean(),
			Per: kit.Each(cells, func(s sample) float64 { return s.per(n) }).Mean(), Stale: kit.Each(cells, func(s sample) float64 { return s.Stale }).Mean().Value,
			PerRank: cells[0].PerRank, Busiest: cells[0].Busiest, Added: math.NaN()}
		if i > 0 {
			r.Added = (r.Per.Value - out[i-1].Per.Value) / float64(n-p.Workers[i-1])
		}
		out = append(out, r)
	}
	return out
}

// endOf finds where a method's rows stop.
func endOf(of []row) end {
	e := end{pair: of[0].pair, Method: of[0].Method}
	for i, r := range of {
		if r.Per.Value >= half*float64(r.Workers) {
			e.Half = r.Workers
		}
		if r.Per.Value > e.Best {
			e.Best, e.At = r.Per.Value, r.Workers
		}
		if e.Stops == 0 && i+1 < len(of) && of[i+1].Added < least {
			e.Stops = r.Workers
		}
	}
	return e
}

// serverFirst tells whether in every case each method with a server stops before both rings.
func serverFirst(ends []end) bool {
	stops := func(e end) int {
		if e.Stops == 0 {
			return math.MaxInt
		}
		return e.Stops
	}
	ring := func(e end) bool { return e.Method == "ring" || e.Method == "hierarchical" }
	for _, a := range ends {
		for _, b := range ends {
			if a.pair == b.pair && !ring(a) && ring(b) && stops(a) >= stops(b) {
				return false
			}
		}
	}
	return true
}

// twins tells whether DASP took ASP's times and staleness everywhere.
func twins(all []row) bool {
	same := map[point]row{}
	for _, r := range all {
		m := r.Method
		if r.Method = "dasp"; m == "asp" {
			same[r.point] = r
		} else if a := same[r.point]; m == "dasp" && (a.Round.Value != r.Round.Value || a.Stale != r.Stale) {
			return false
		}
	}
	return true
}

// served returns the bytes that the server sends in a round, NaN where there is none.
func (r row) served() float64 { return kit.OnlyIf(r.Busiest > r.PerRank, r.Busiest) }

// number returns n, nil for 0.
func number(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func show(v *kit.View[point, sample]) {
	p := planOf(v.Profile)
	var all []row
	var ends []end
	for _, c := range p.Cases {
		for _, m := range p.Methods {
			of := rows(v, p, c, m)
			all, ends = append(all, of...), append(ends, endOf(of))
		}
	}
	v.Frames = []result.Frame{
		kit.Rows("ends", "model:model link/Gb/s.0 method:method half stops best/.0 at", ends, func(e end) []any {
			return []any{e.Model, e.Gbps, e.Method, number(e.Half), number(e.Stops), e.Best, e.At}
		}),
		kit.Rows("sizes", "model:model link/Gb/s.0 method:method workers round/s worth±/.1 share/%.2 added/%.2 stale/.0 sent/MB.1 served/GB.2", all,
			func(r row) []any {
				return []any{r.Model, r.Gbps, r.Method, r.Workers, r.Round.Value, r.Per, 100 * r.Per.Value / float64(r.Workers), 100 * r.Added, r.Stale,
					r.PerRank / 1e6, r.served() / 1e9}
			}),
	}
	v.Facts = append(v.Facts, kit.Facts("half/%.0", 100*half, "least/%.0", 100*least, "few", fewSeeds, "batch", p.Batch, "first", p.Workers[0],
		"last", p.Workers[len(p.Workers)-1], "rounds", p.Rounds, "jitter/%.0", 100*kit.Load(p.Devices).Workers[0].Jitter,
		"latency/µs", 2*kit.Load(p.Devices).Workers[0].Latency.Microseconds(), "twins", twins(all), "server_first", serverFirst(ends))...)
	for _, c := range p.Cases {
		alone := v.At(point{c, p.Methods[0], p.Workers[0]})[0].Alone
		v.Facts = append(v.Facts, kit.Facts("alone_"+c.Model+"/ms.1", 1e3*alone)...)
	}
	for _, c := range p.Cases {
		v.Figures = append(v.Figures, result.Figure{ID: "worth-" + c.Model, Form: "line", Frame: "sizes", Where: map[string]any{"model": c.Model},
			X: "workers", Y: []string{"worth"}, By: []string{"method"}, Log: "xy"})
	}
}
