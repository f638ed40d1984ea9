package reports

// commonFacts is what all results of one profile have in common, said once above them.
type commonFacts struct {
	Profile string
	Facts   []fact
}

// shareFacts takes out of the provenance of every side what all sides of its profile
// say alike, in their order; warnings stay where they are. A side alone keeps its own.
func shareFacts(sides []side) []commonFacts {
	var out []commonFacts
	of := map[string][]int{}
	for i, s := range sides {
		if of[s.Profile] == nil {
			out = append(out, commonFacts{Profile: s.Profile})
		}
		of[s.Profile] = append(of[s.Profile], i)
	}
	shared := out[:0]
	for _, c := range out {
		at := of[c.Profile]
		if len(at) == 1 {
			continue
		}
		says := map[fact]int{}
		for _, i := range at {
			for _, f := range sides[i].Prov {
				says[f]++
			}
		}
		for n, i := range at {
			var own []fact
			for _, f := range sides[i].Prov {
				switch {
				case f.Warn || says[f] < len(at):
					own = append(own, f)
				case n == 0:
					c.Facts = append(c.Facts, f)
				}
			}
			sides[i].Prov = own
		}
		if len(c.Facts) > 0 {
			shared = append(shared, c)
		}
	}
	return shared
}
