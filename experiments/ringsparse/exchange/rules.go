package exchange

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// rulePlan holds what the costs and the rule are checked on.
type rulePlan struct {
	Prime     int       `json:"prime"`     // elements of P02's layer: blocks are ragged at every N
	Elements  int       `json:"elements"`  // of P03's layer
	Encode    float64   `json:"encode"`    // bytes per second of P03
	Decode    float64   `json:"decode"`    // so fast that decoding ends while bytes travel
	Codecs    []string  `json:"codecs"`    // of P03
	Densities []float64 `json:"densities"` // of P03 and the table
	Largest   int       `json:"largest"`   // elements of the largest block of the search
	Block     int       `json:"block"`     // bytes of the table's block
}

func planRule() rulePlan {
	return rulePlan{Prime: 100_003, Elements: 1 << 16, Encode: 2e9, Decode: 64e9, Codecs: []string{"bitmap", "coo"},
		Densities: []float64{0.02, 0.1, 0.25, 0.5, 0.8, 0.9, 1}, Largest: 64, Block: 1 << 20}
}

// exactCost is a whole exchange whose time is nothing but Ta or Tb, several times.
type exactCost struct {
	Nodes    int
	Codec    string
	Bytes    []int64  // of the largest message of each step
	Measured int64    // ns
	Expected *big.Rat // ns
}

func (c exactCost) equal() bool { return c.Expected.Cmp(big.NewRat(c.Measured, 1)) == 0 }

// exactCosts times exchanges on links of one byte per nanosecond:
//
//	direct, a layer whose blocks are ragged:  T = Σ over 2(N−1) steps of Ta(longest block)
//	coded, N = 2:                             T = Σ over both exchanges of Tb(larger message)
func exactCosts(ctx context.Context, plan rulePlan, seed uint64) (direct, coded []exactCost, err error) {
	for _, n := range upTo(2, mostRanks) {
		seconds, err := denseRing(ctx, instant(n), plan.Prime)
		if err != nil {
			return nil, nil, err
		}
		c := exactCost{Nodes: n, Codec: "dense", Measured: int64(math.Round(seconds * 1e9)), Expected: new(big.Rat)}
		for range 2 * (n - 1) {
			c.Bytes = append(c.Bytes, 4*int64((plan.Prime+n-1)/n))
			c.Expected.Add(c.Expected, big.NewRat(c.Bytes[0], 1))
		}
		direct = append(direct, c)
	}
	for _, name := range plan.Codecs {
		for _, d := range plan.Densities {
			c, err := exactCoded(ctx, plan, name, d, seed)
			if err != nil {
				return nil, nil, err
			}
			coded = append(coded, c)
		}
	}
	return direct, coded, nil
}

// exactCoded exchanges real vectors of density d between two workers.
func exactCoded(ctx context.Context, plan rulePlan, name string, d float64, seed uint64) (exactCost, error) {
	layers := setup.OneLayer(plan.Elements)
	job := ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: ringsparse.Options{Kinds: "gradients", Codec: name, Charge: true,
		LogChoices: true, Rates: []cluster.CodecRate{{Name: name, Encode: plan.Encode, Decode: plan.Decode}}}}
	tasks := setup.DrawnTasks(seed, layers, func(_ int, g []float32, r *rand.Rand) { setup.Scatter(g, 1, d, r) })
	x, err := setup.Iterate(ctx, instant(2), virtual.Config{Headerless: true}, job, tasks)
	if err != nil {
		return exactCost{}, err
	}
	c := exactCost{Nodes: 2, Codec: name, Measured: int64(math.Round(x.Seconds * 1e9)), Expected: new(big.Rat), Bytes: make([]int64, 2)}
	for _, k := range x.Choices {
		c.Bytes[k.Hop] = max(c.Bytes[k.Hop], int64(k.Bytes))
	}
	block := 4 * int64(plan.Elements) / 2
	for _, bytes := range c.Bytes { // Tc + Compres(D)/B + Td
		c.Expected.Add(c.Expected, big.NewRat(block*1e9, int64(plan.Encode)))
		c.Expected.Add(c.Expected, big.NewRat(bytes, 1))
		c.Expected.Add(c.Expected, big.NewRat(block*1e9, int64(plan.Decode)))
	}
	return c, nil
}

// judgeCosts judges P02 and P03.
func judgeCosts(plan rulePlan, direct, coded []exactCost) []result.Claim {
	judge := func(id string, costs []exactCost, args ...any) result.Claim {
		n := kit.CountIf(costs, exactCost.equal)
		args = append(args, "equal", n, "of", len(costs))
		found := claims.Identity(n == len(costs), result.Because(id+"-found", "equal", n, "of", len(costs)))
		return claims.Verdict(id, found, result.Because(id, args...))
	}
	return []result.Claim{judge("P02", direct, "most", mostRanks, "elements", plan.Prime),
		judge("P03", coded, "densities", len(plan.Densities), "codecs", plan.Codecs)}
}

func costFrame(direct, coded []exactCost) result.Frame {
	head := "n codec:codec first/bytes last/bytes formula/ns time/ns equal:bool"
	return kit.Rows("exact", head, slices.Concat(direct, coded), func(c exactCost) []any {
		formula, _ := c.Expected.Float64()
		return []any{c.Nodes, c.Codec, c.Bytes[0], c.Bytes[len(c.Bytes)-1], formula, c.Measured, c.equal()}
	})
}

// ruleCheck holds what the printed rule does to blocks small enough to try all.
type ruleCheck struct {
	Plan        rulePlan
	Cases, Ties int
	Wrong       int      // blocks that the printed rule sends the dearer way
	RightWrong  int      // the same of the corrected rule
	Smallest    *example // a block that it does so to
}

// example is a block at a link with its costs in nanoseconds.
type example struct {
	Elements, NonZeros int
	Gbps, Ta, Tb       float64
}

// newRuleCheck tries every length up to the largest and every number of non-zeros, at
// every link, as a bitmap at the platform's rates.
func newRuleCheck(plan rulePlan) ruleCheck {
	c, coder := ruleCheck{Plan: plan}, bitmapOf(setup.Platform().Codecs)
	for n := 1; n <= plan.Largest; n++ {
		for _, gbps := range setup.Links {
			for k := 0; k <= n; k++ {
				ta, tb := costsOf(coder, n, coder.Codec.SizeAt(n, float64(k)/float64(n)), gbps)
				c.Cases++
				if ta == tb {
					c.Ties++
					continue
				}
				if dearer(ta, tb, ringsparse.Compress(ta, tb, false)) {
					c.RightWrong++
				}
				if !dearer(ta, tb, ringsparse.Compress(ta, tb, true)) {
					continue
				}
				if c.Wrong++; c.Smallest == nil {
					c.Smallest = &example{n, k, gbps, 1e9 * ta, 1e9 * tb}
				}
			}
		}
	}
	return c
}

func (c ruleCheck) facts() []result.Fact {
	out := kit.Facts("rule.cases", c.Cases-c.Ties, "rule.wrong", c.Wrong, "rule.errs", c.Wrong > 0, "rule.block/bytes", c.Plan.Block)
	if s := c.Smallest; s != nil {
		out = append(out, kit.Facts("smallest.elements", s.Elements, "smallest.nonzeros", s.NonZeros, "smallest.link/Gb/s", s.Gbps,
			"smallest.ta/ns", s.Ta, "smallest.tb/ns", s.Tb, "smallest.lost/ns", math.Abs(s.Ta-s.Tb))...)
	}
	return out
}

func dearer(ta, tb float64, compress bool) bool { return compress == (ta < tb) }

// costsOf returns the two costs of S42 for a block of n elements whose coded form has the given
// bytes.
func costsOf(c ringsparse.Coder, n int, bytes, gbps float64) (ta, tb float64) {
	tc, td := c.Costs(4 * float64(n))
	return ringsparse.CostDirect(4*float64(n), gbps*setup.Gigabit), ringsparse.CostCompressed(tc, bytes, gbps*setup.Gigabit, td)
}

// ruleFrame sets the corrected rule beside the printed one for one block.
func ruleFrame(plan rulePlan) result.Frame {
	c, n := bitmapOf(setup.Platform().Codecs), plan.Block/4
	out := kit.NewSheet("rule", "link/Gb/s d/%.0 ta/ms.3 tb/ms.3 right:sending printed:sending lost/ms.3")
	for _, g := range setup.Links {
		for _, d := range plan.Densities {
			ta, tb := costsOf(c, n, c.Codec.SizeAt(n, d), g)
			sending := func(printed bool) (form string, cost float64) {
				if ringsparse.Compress(ta, tb, printed) {
					return "compress", tb
				}
				return "direct", ta
			}
			right, cost := sending(false)
			printed, dear := sending(true)
			out.Add(g, 100*d, 1e3*ta, 1e3*tb, right, printed, 1e3*(dear-cost))
		}
	}
	return kit.As(result.Modelled, out.Frame)
}

// judgeRule judges P04: which of the two rules takes the cheaper form of every block.
func judgeRule(c ruleCheck) result.Claim {
	note := result.Because("P04", "cases", c.Cases-c.Ties, "largest", c.Plan.Largest, "links", len(setup.Links), "wrong", c.Wrong, "right_wrong", c.RightWrong)
	found := claims.Identity(false, result.Because("P04-both", "wrong", c.Wrong, "right_wrong", c.RightWrong, "cases", c.Cases-c.Ties))
	switch {
	case c.Wrong > 0 && c.RightWrong == 0:
		found = claims.Identity(false, result.Because("P04-corrected"))
		found.Notes = append(found.Notes, result.Because("text-error"))
	case c.Wrong == 0 && c.RightWrong > 0:
		found = claims.Identity(true, result.Reason{})
	}
	found.Notes = append(found.Notes, note)
	if s := c.Smallest; s != nil {
		found.Notes = append(found.Notes, result.Because("P04-smallest", "elements", s.Elements, "nonzeros", s.NonZeros, "link", s.Gbps,
			"ta", s.Ta, "tb", s.Tb, "lost", math.Abs(s.Ta-s.Tb)))
	}
	return claims.Verdict("P04", found)
}
