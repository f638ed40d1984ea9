package codedsgd

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// showLoads fills in the loads, who sends less where, and what real exchanges sent.
func showLoads(r *result.Result, plan accountingPlan, sizes []size, real []exchanged) {
	r.Frames = append([]result.Frame{loads(sizes), ratios(sizes), exchangedFrame(real), messages(plan, sizes)}, showWins(plan, sizes)...)
	for _, n := range plan.Drawn {
		r.Figures = append(r.Figures,
			result.Figure{ID: fmt.Sprintf("loads-%d", n), Form: "line", Frame: "loads", Where: map[string]any{"n": n, "sends": true}, X: "r", Log: "y",
				Y: []string{"coded", "uncoded", "coded-unicast", "blocks-unicast", "ssgd", "ring", "compressed"}},
			result.Figure{ID: fmt.Sprintf("messages-%d", n), Form: "line", Frame: "messages", Where: map[string]any{"n": n}, X: "r",
				Y: []string{"cssgd", "ssgd-unicast", "ssgd-multicast"}})
	}
	r.Facts = loadFacts(plan, sizes, real)
}

// loadOf is a load as a number, NaN where there is none.
func loadOf(x *big.Rat) float64 {
	if x == nil {
		return math.NaN()
	}
	return float(x)
}

// loads has one row per n and r, and one column per accounting; sends: r < n.
func loads(sizes []size) result.Frame {
	columns := "n r "
	for _, a := range codedsgd.Accountings() {
		columns += a.Key + "/" + gradientUnits + ".2 "
	}
	f := kit.NewSheet("loads", columns+"sends")
	for _, s := range sizes {
		row := []any{s.N, s.R}
		for _, l := range s.Loads {
			row = append(row, loadOf(l))
		}
		f.Add(append(row, s.R < s.N)...)
	}
	return f.Frame
}

// sends are the sizes at which coded packets, a multicast once, send less than an
// accounting, and those that could be compared: r < n, and the accounting exists.
func sends(sizes []size, key string) (less, of []size) {
	for i := range sizes {
		s := &sizes[i]
		rival := s.at(key)
		if s.R == s.N || rival == nil {
			continue
		}
		of = append(of, *s)
		if s.at("coded").Cmp(rival) < 0 {
			less = append(less, *s)
		}
	}
	return less, of
}

// redundanciesOf lists those of n among sizes, "" if there are none.
func redundanciesOf(sizes []size, n int) string {
	var rs []int
	for _, s := range sizes {
		if s.N == n {
			rs = append(rs, s.R)
		}
	}
	return listed(rs)
}

// showWins counts against each rival the sizes at which coded packets send less (all,
// some or none, and how far below n the smallest redundancy of them is), and names the
// redundancies for the node counts that are drawn.
func showWins(plan accountingPlan, sizes []size) []result.Frame {
	wins := kit.NewSheet("wins", "rival:accounting counted:counted less of where:where far")
	winners := kit.NewSheet("winners", "rival:accounting n rs")
	for _, a := range codedsgd.Accountings()[1:] {
		less, of := sends(sizes, a.Key)
		where, far := "some", 0
		switch len(less) {
		case 0:
			where = "none"
		case len(of):
			where = "all"
		}
		for _, s := range less {
			far = max(far, s.N-s.R)
		}
		wins.Add(a.Key, map[bool]string{true: "receiver", false: "packet"}[a.PerReceiver], len(less), len(of), where, far)
		for _, n := range plan.Drawn {
			winners.Add(a.Key, n, redundanciesOf(less, n))
		}
	}
	return []result.Frame{wins.Frame, winners.Frame}
}

// ratios sets (19) beside the same blocks multicast without coding, both counted.
func ratios(sizes []size) result.Frame {
	f := kit.NewSheet("ratios", "n r eq19/.4 overr/.4 overn/.4 like/.4 bound/.4 exact")
	f.Kind = result.Counted
	for i := range sizes {
		s, exact := &sizes[i], ""
		if s.coding() {
			exact = s.ratio().RatString()
		}
		f.Add(s.N, s.R, float(s.ratio()), 1/float64(s.R), 1/float64(s.N), loadOf(s.likeForLike()), float(codedsgd.Bound(s.N, s.R)), exact)
	}
	return f.Frame
}

// exchangedFrame has one row per size, and one column per way of exchanging.
func exchangedFrame(all []exchanged) result.Frame {
	columns := "n r "
	for _, w := range realWays {
		columns += w.Once + "/" + gradientUnits + ".2 "
	}
	f := kit.NewSheet("exchanged", columns+"each/"+gradientUnits+".2 packets same")
	f.Kind = result.Counted
	for of := range slices.Chunk(all, len(realWays)) {
		row := []any{of[0].N, of[0].R}
		for _, x := range of {
			row = append(row, float(x.Once))
		}
		f.Add(append(row, float(of[0].Each), of[0].Packets, sameExchanges(of) == len(of))...)
	}
	return f.Frame
}

// messages is the paper's message model: Q micro-blocks for every r, so that all loads
// are in parts of Q.
func messages(plan accountingPlan, sizes []size) result.Frame {
	const unit = "/" + gradientUnits
	f := kit.NewSheet("messages", "n r cssgd"+unit+" ssgd-unicast"+unit+" ssgd-multicast"+unit)
	for i := range sizes {
		s := &sizes[i]
		of := func(load string) float64 { return float(new(big.Rat).Quo(s.at(load), s.at("blocks"))) }
		if s.R < s.N && slices.Contains(plan.Drawn, s.N) {
			f.Add(s.N, s.R, of("coded"), of("blocks-unicast"), of("blocks"))
		}
	}
	return f.Frame
}

// sizeIndex finds one size; the plan has it.
func sizeIndex(sizes []size, n, r int) *size {
	for i := range sizes {
		if sizes[i].N == n && sizes[i].R == r {
			return &sizes[i]
		}
	}
	panic(fmt.Sprintf("codedsgd: no size n = %d, r = %d", n, r))
}

// rise follows CSSGD's load on n nodes from r = 1 up to where it no longer rises.
func rise(sizes []size, n int) (r int) {
	for r = 1; r < n && sizeIndex(sizes, n, r+1).at("coded").Cmp(sizeIndex(sizes, n, r).at("coded")) > 0; r++ {
	}
	return r
}

// loadFacts sums up.
func loadFacts(plan accountingPlan, sizes []size, real []exchanged) []result.Fact {
	n := plan.Drawn[len(plan.Drawn)-1]
	half, others, late, under, sending := 0, 0, 0, 0, 0 // like for like below 1 where r > n/2, and otherwise
	for i := range sizes {
		s := &sizes[i]
		if s.R == s.N {
			continue
		}
		sending++
		if s.at("ssgd").Cmp(s.at("coded")) < 0 {
			under++
		}
		if 2*s.R > s.N {
			late++
		}
		switch less := s.likeForLike().Cmp(big.NewRat(1, 1)) < 0; {
		case less && 2*s.R > s.N:
			half++
		case less:
			others++
		}
	}
	equal, of := countedEqual(sizes)
	nth, nthEqual, _, _ := oneNth(sizes)
	top := rise(sizes, n)
	load := func(accounting string, r int) float64 { return loadOf(sizeIndex(sizes, n, r).at(accounting)) }
	return kit.Facts("most", plan.Most, "n", n, "n.last", n-1, "exchanged", plan.Exchanged, "elements", plan.Elements,
		"real", len(real), "real.same", sameExchanges(real), "counted", of, "counted.same", equal, "sizes", sending, "under", under,
		"half", half == late && others == 0, "half.late", half, "half.other", others, "nth", nth, "nth.equal", nthEqual,
		"rises.to", top, "rises", top > 1, "coded.top", load("coded", top), "coded.first", load("coded", 1),
		"coded.two", load("coded", 2), "coded.last", load("coded", n-1), "coded-unicast.two", load("coded-unicast", 2), "ssgd", load("ssgd", 1),
		"sum-only.two", load("sum-only", 2), "sum-only.last", load("sum-only", n-1),
		"compressed.two", load("compressed", 2), "compressed.last", load("compressed", n-1))
}
