package multiverse

import (
	"cmp"
	"math"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/shared/cluster"
)

// reference finds the platform nearest to the middle of the second block, says how stable it is,
// and lists the block.
func (v *view) reference(laboratory []answer) {
	var good []int
	vectors := make([][18]float64, len(laboratory))
	for i, a := range laboratory {
		if a.timed {
			vectors[i] = a.vector()
		}
		if a.passes.onUnequal() {
			good = append(good, i)
		}
	}
	best, sums := medoid(vectors, good)
	counts := map[int]int{}
	r := cluster.Stream(designSeed, 0, platformAxes, "dasp/multiverse/bootstrap")
	for range v.e.Resamples {
		if len(good) == 0 {
			break
		}
		drawn := make([]int, len(good))
		for i := range drawn {
			drawn[i] = good[r.IntN(len(good))]
		}
		slices.Sort(drawn) // ties go to the first of the block
		again, _ := medoid(vectors, drawn)
		counts[again]++
	}
	order := slices.Clone(good)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	share := func(i int) float64 { return kit.ShareOf(counts[i], v.e.Resamples) }
	v.Facts = append(v.Facts, kit.Facts("platforms", len(laboratory), "platforms_admissible", len(good), "resamples", v.e.Resamples,
		"platforms_standard", efforts["standard"].Platforms)...)

	columns := "platform levels admissible distance/.2 medoid/%.0"
	for _, red := range reductions() {
		columns += " " + red.ID
	}
	s := kit.NewSheet("platforms", columns)
	for i, a := range laboratory {
		distance, chosen := any(nil), any(nil)
		if at := slices.Index(good, i); at >= 0 {
			distance, chosen = sums[at]/float64(len(good)), share(i)
		}
		s.Add(append([]any{i + 1, "r" + a.digits(), a.passes.onUnequal(), distance, chosen}, a.thousandths()...)...)
	}
	nearest := kit.NewSheet("nearest", "choice:choice level:level chosen:level reference:level")
	place, stable, next, chosen := math.NaN(), math.NaN(), math.NaN(), false
	if best >= 0 {
		place, stable, next, chosen = float64(best+1), share(best), 0, slices.Equal(laboratory[best].reading, inTheMiddle)
		if runner := slices.DeleteFunc(order, func(i int) bool { return i == best }); len(runner) > 0 {
			next = share(runner[0])
		}
		for a, x := range axes {
			if x.Platform {
				nearest.Add(x.Key, laboratory[best].key(a), inTheMiddle.key(a), standing.key(a))
			}
		}
	}
	v.Facts = append(v.Facts, kit.Facts("medoid", place, "medoid_stable/%.0", stable, "medoid_next/%.0", next, "medoid_chosen", chosen)...)
	v.Frames = append(v.Frames, nearest.Frame, s.Frame)
}
