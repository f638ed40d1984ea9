package ringsparse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// measuredRates are what one CPU core with AVX-512 does, in bytes of dense float32 per
// second: `gradsync calibrate`, density 10 %. The platform's own are assumed, with low
// confidence.
var measuredRates = []cluster.CodecRate{
	{Name: "bitmap", Encode: 13.6e9, Decode: 13.0e9},
	{Name: "coo", Encode: 6.3e9, Decode: 6.4e9},
	{Name: "count", Encode: 30e9},
	{Name: "convert", Encode: 4.3e9},
}

// rateWays are timed under both sets of rates beside the dense ring, which needs none.
var rateWays = []string{"ringsparse", "gradients"}

// assumed and measured name the two sets in sentences.
func assumed() string {
	return fmt.Sprintf("the assumed %g GB/s (low confidence)", bitmapOf(referencePlatform().Codecs).Encode/1e9)
}

func measuredSet() string {
	c := bitmapOf(measuredRates)
	return fmt.Sprintf("the rates measured on one CPU core with AVX-512 (%.1f GB/s packing, %.1f unpacking)", c.Encode/1e9, c.Decode/1e9)
}

// bitmapOf is the bitmap at one of the rates.
func bitmapOf(rates []cluster.CodecRate) ringsparse.Coder {
	for _, r := range rates {
		if r.Name == "bitmap" {
			return ringsparse.Coder{Codec: codec.Bitmap{}, Encode: r.Encode, Decode: r.Decode}
		}
	}
	panic("ringsparse: no rate of the bitmap")
}

// breakEven is the density up to which a bitmap pays at a link.
func breakEven(rates []cluster.CodecRate, gbps float64) float64 {
	c := bitmapOf(rates)
	return formula.BitmapBreakEven(gbps*gigabit, c.Encode, c.Decode)
}

// rateNodes are the sizes at which both sets of rates are compared.
func rateNodes(nodes []int) (out []int) {
	for _, n := range []int{8, 16} {
		if slices.Contains(nodes, n) {
			out = append(out, n)
		}
	}
	return out
}

// measuredGrid is grid with the measured rates and the ways that they concern; the
// dense ring's cells are copied from laps.
func measuredGrid(ctx context.Context, works []workload, nodes []int, laps map[cell]lap) (map[cell]lap, error) {
	out := map[cell]lap{}
	for i := range works {
		for _, gbps := range links {
			for _, n := range nodes {
				dense := cell{i, wayIndex("dense"), gbps, n}
				out[dense] = laps[dense]
				for _, key := range rateWays {
					k := wayIndex(key)
					l, err := works[i].run(ctx, leg{way: ways[k], gbps: gbps, nodes: n, rates: measuredRates})
					if err != nil {
						return nil, err
					}
					out[cell{i, k, gbps, n}] = l
				}
			}
		}
	}
	return out, nil
}

func rateTable(works []workload, laps, measured map[cell]lap, nodes []int) result.Table {
	t := result.Table{ID: "rates", Title: "The same with rates measured on a CPU core", Kind: result.TimingOnly,
		Caption: howTime + fmt.Sprintf("Speed-up: the dense ring's time over this one's. Assumed: the platform's rates, a guess for a CPU core of the patent's time, confidence low (%s; %s). Measured: `gradsync calibrate` at density 10 %%, one core with AVX-512 (%s). d*: the density up to which a bitmap pays, below 0 never. Added after the first run, since the platform's rates decide so much.",
			spellRates(referencePlatform().Codecs), "GB/s, packing/unpacking", spellRates(measuredRates)),
		Columns: []result.Column{{Key: "work", Title: "network"}, {Key: "link", Title: "link"}, {Key: "n", Title: "N"}}}
	for _, key := range rateWays {
		title := ways[wayIndex(key)].Title
		t.Columns = append(t.Columns, result.Column{Key: key, Title: title + ", assumed", Digits: 2}, result.Column{Key: key + "-measured", Title: title + ", measured", Digits: 2})
	}
	t.Columns = append(t.Columns, result.Column{Key: "d", Title: "d*, assumed", Digits: 2}, result.Column{Key: "d-measured", Title: "d*, measured", Digits: 2})
	for i := range works {
		for _, g := range links {
			for _, n := range nodes {
				row := []any{works[i].Title, linkName(g), n}
				for _, key := range rateWays {
					row = append(row, gain(laps, i, key, g, n), gain(measured, i, key, g, n))
				}
				t.Rows = append(t.Rows, append(row, breakEven(referencePlatform().Codecs, g), breakEven(measuredRates, g)))
			}
		}
	}
	return t
}

// spellRates lists the rates that the measured set has too.
func spellRates(rates []cluster.CodecRate) (s string) {
	for _, m := range measuredRates {
		for _, r := range rates {
			if r.Name != m.Name {
				continue
			}
			if s != "" {
				s += ", "
			}
			s += fmt.Sprintf("%s %.3g", r.Name, r.Encode/1e9)
			if r.Decode > 0 {
				s += fmt.Sprintf("/%.3g", r.Decode/1e9)
			}
		}
	}
	return s
}

// beats counts the cases of some links in which a way is faster than another.
func beats(laps map[cell]lap, works int, way, other string, gbps []float64, nodes []int) (wins, of int) {
	for i := range works {
		for _, g := range gbps {
			for _, n := range nodes {
				of++
				if laps[cell{i, wayIndex(way), g, n}].Seconds < laps[cell{i, wayIndex(other), g, n}].Seconds {
					wins++
				}
			}
		}
	}
	return wins, of
}

// promiseNote says how often RingSparse is the fastest way, and how often one of its
// two kinds alone is faster.
func promiseNote(works []workload, laps, measured map[cell]lap, nodes []int) string {
	best := 0
	for i := range works {
		for _, g := range links {
			for _, n := range nodes {
				if ways[fastest(laps, i, g, n)].Key == "ringsparse" {
					best++
				}
			}
		}
	}
	alone, of := beats(laps, len(works), "gradients", "ringsparse", links, nodes)
	again, cases := beats(measured, len(works), "gradients", "ringsparse", links, rateNodes(nodes))
	return fmt.Sprintf("The patent promises the least communication. RingSparse is the fastest of the %d ways in %d of %d cases (network, link, N); gradients alone, the same without the choice of weights, is faster than RingSparse in %d of %d, and with measured instead of assumed rates in %d of %d.",
		len(ways), best, of, alone, of, again, cases)
}

// breakEvenNote says how much of “it never pays” is the assumed rate.
func breakEvenNote() string {
	own := referencePlatform().Codecs
	spell := func(rates []cluster.CodecRate) string {
		var up, never []string
		for _, g := range links {
			if d := breakEven(rates, g); d > 0 {
				up = append(up, fmt.Sprintf("up to a density of %.2f at %s", d, linkName(g)))
			} else {
				never = append(never, linkName(g))
			}
		}
		if len(never) > 0 {
			up = append(up, "and not even for a block of zeros at "+strings.Join(never, " and "))
		}
		return strings.Join(up, ", ")
	}
	return fmt.Sprintf("Where packing pays is decided by how fast a core packs. At %s a bitmap pays %s; at %s it pays %s.", assumed(), spell(own), measuredSet(), spell(measuredRates))
}

// ratesNote says who is faster than the dense ring on the fast links under both sets.
func ratesNote(works []workload, laps, measured map[cell]lap, nodes []int) string {
	at, fast := rateNodes(nodes), links[1:]
	n := at[len(at)-1]
	s := fmt.Sprintf("At %s and %s, N up to %d, RingSparse is faster than the dense ring in ", linkName(fast[0]), linkName(fast[1]), n)
	for i, key := range rateWays {
		a, of := beats(laps, len(works), key, "dense", fast, at)
		b, _ := beats(measured, len(works), key, "dense", fast, at)
		if i > 0 {
			s += ", gradients alone in "
		}
		s += fmt.Sprintf("%d of %d cases at the assumed rates and in %d at the measured", a, of, b)
	}
	s += fmt.Sprintf(". On the embedding model, N = %d, speed-up over the dense ring at measured (assumed) rates:", n)
	for i, g := range fast {
		if i > 0 {
			s += ";"
		}
		s += fmt.Sprintf(" at %s RingSparse %.2f (%.2f), gradients alone %.2f (%.2f)", linkName(g), gain(measured, 1, "ringsparse", g, n), gain(laps, 1, "ringsparse", g, n), gain(measured, 1, "gradients", g, n), gain(laps, 1, "gradients", g, n))
	}
	return s + "."
}

// packOnceNote counts the whole exchanges in which the corrected rule is dearer.
func packOnceNote(works []workload, laps map[cell]lap, nodes []int) string {
	dearer, of := beats(laps, len(works), "printed", "ringsparse", links, nodes)
	if dearer == 0 {
		return fmt.Sprintf("In all %d cases an iteration by the corrected rule is no longer than by the printed one.", of)
	}
	worst, where := 0.0, ""
	for i := range works {
		for _, g := range links {
			for _, n := range nodes {
				right, printed := laps[cell{i, wayIndex("ringsparse"), g, n}].Seconds, laps[cell{i, wayIndex("printed"), g, n}].Seconds
				if right/printed-1 > worst {
					worst, where = right/printed-1, fmt.Sprintf("%s at %s, N = %d: %.2f ms against %.2f ms", works[i].Title, linkName(g), n, 1e3*right, 1e3*printed)
				}
			}
		}
	}
	return fmt.Sprintf("The corrected rule is right block by block and not always for a whole exchange: in %d of %d cases an iteration takes longer by it than by the printed rule, by %.1f %% at most (%s). S42 charges packing at every hop, and the all-gather packs once for N − 1 hops.", dearer, of, 100*worst, where)
}
