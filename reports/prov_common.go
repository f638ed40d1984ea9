package reports

// commonFacts is what the results of one profile have in common, said once above them.
type commonFacts struct {
	Profile string
	Facts   []fact
}

// shareFacts takes out of the provenance of every side what more than three quarters
// of the sides of its profile say alike, of the facts that each of them states once.
// A side that says otherwise keeps its own, and warnings stay where they are.
func shareFacts(sides []side) (shared []commonFacts) {
	var profiles []string
	of := map[string][]int{}
	for i, s := range sides {
		if of[s.Profile] == nil {
			profiles = append(profiles, s.Profile)
		}
		of[s.Profile] = append(of[s.Profile], i)
	}
	for _, p := range profiles {
		says, names, common := map[fact]int{}, map[string]int{}, map[fact]bool{}
		for _, i := range of[p] {
			once := map[string]int{}
			for _, f := range sides[i].Prov {
				says[f]++
				once[f.Name.En()]++
			}
			for name, n := range once {
				if n == 1 {
					names[name]++
				}
			}
		}
		c, all := commonFacts{Profile: p}, len(of[p])
		for _, i := range of[p] {
			var own []fact
			for _, f := range sides[i].Prov {
				if f.Warn || all == 1 || names[f.Name.En()] != all || 4*says[f] <= 3*all {
					own = append(own, f)
				} else if !common[f] {
					common[f] = true
					c.Facts = append(c.Facts, f)
				}
			}
			sides[i].InCommon = len(own) < len(sides[i].Prov)
			sides[i].Prov = own
		}
		if len(c.Facts) > 0 {
			shared = append(shared, c)
		}
	}
	return shared
}
