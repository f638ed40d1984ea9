package multiverse

import (
	"cmp"
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
		vectors[i] = a.vector()
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
		s.Add(append([]any{i + 1, "r" + a.digits(), a.passes.onUnequal(), distance, chosen}, thousandths(vectors[i])...)...)
	}
	nearest := kit.NewSheet("nearest", "choice:choice level:level chosen:level reference:level")
	if best >= 0 {
		runner := slices.DeleteFunc(order, func(i int) bool { return i == best })
		stable := 0.0
		if len(runner) > 0 {
			stable = share(runner[0])
		}
		v.Facts = append(v.Facts, kit.Facts("medoid", best+1, "medoid_stable/%.0", share(best), "medoid_next/%.0", stable,
			"medoid_chosen", slices.Equal(laboratory[best].reading, inTheMiddle))...)
		for a, x := range axes {
			if x.Platform {
				nearest.Add(x.Key, laboratory[best].key(a), inTheMiddle.key(a), standing.key(a))
			}
		}
	}
	v.Frames = append(v.Frames, nearest.Frame, s.Frame)
}
