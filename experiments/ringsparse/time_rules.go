package ringsparse

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// rulePlan is what the costs and the rule are checked on.
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
	for n := 2; n <= mostRanks; n++ {
		job := ringsparse.Job{Layers: []cluster.Layer{{Name: "layer", Length: plan.Prime}}, Rate: 0.05, Steps: 1,
			Options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}}
		x, err := iterate(ctx, instant(n), virtual.Config{Headerless: true}, job, nil)
		if err != nil {
			return nil, nil, err
		}
		c := exactCost{Nodes: n, Codec: "dense", Measured: int64(math.Round(x.Seconds * 1e9)), Expected: new(big.Rat)}
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
	layers := []cluster.Layer{{Name: "layer", Length: plan.Elements}}
	start := drawStart(seed, layers)
	job := ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: ringsparse.Options{Kinds: "gradients", Codec: name, Charge: true, LogChoices: true,
		Rates: []cluster.CodecRate{{Name: name, Encode: plan.Encode, Decode: plan.Decode}}}}
	x, err := iterate(ctx, instant(2), virtual.Config{Headerless: true}, job, func(rank int) cluster.Task {
		return newDrawn(rank, seed, layers, start, func(_ int, g []float32, r *rand.Rand) { scatter(g, d, r) })
	})
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

func countEqual(costs []exactCost) (n int) {
	for _, c := range costs {
		if c.equal() {
			n++
		}
	}
	return n
}

// judgeCosts judges P02 and P03.
func judgeCosts(plan rulePlan, direct, coded []exactCost) []result.Claim {
	a, b := countEqual(direct), countEqual(coded)
	return []result.Claim{
		identity("P02", a == len(direct), fmt.Sprintf("equal in %d of %d rings", a, len(direct)),
			fmt.Sprintf("in exact rationals: dense rings of 2 to %d workers over %d elements take the sum of Ta of the longest block of each of 2(N−1) steps in %d of %d cases. D is the block's real length; with the layer's, Ta is N times too large", mostRanks, plan.Prime, a, len(direct))),
		identity("P03", b == len(coded), fmt.Sprintf("equal in %d of %d exchanges", b, len(coded)),
			fmt.Sprintf("in exact rationals: exchanges of two workers with real vectors of %d densities as %s take Tb of the longer message, with its encoded length as Compres(D), twice, in %d of %d cases", len(plan.Densities), strings.Join(plan.Codecs, " or "), b, len(coded))),
	}
}

// ruleCheck is what the printed rule does to blocks small enough to try all.
type ruleCheck struct {
	Cases, Ties int
	Wrong       int // blocks that the printed rule sends the dearer way
	RightWrong  int // the same of the corrected rule
	Smallest    string
}

// newRuleCheck tries every length up to the largest and every number of non-zeros, at
// every link, as a bitmap at the platform's rates.
func newRuleCheck(plan rulePlan) (c ruleCheck) {
	coder := bitmapOf(referencePlatform().Codecs)
	for n := 1; n <= plan.Largest; n++ {
		for _, gbps := range links {
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
				if c.Wrong++; c.Smallest == "" {
					c.Smallest = fmt.Sprintf("a block of %d element with %d non-zeros at %s has Ta = %.3g ns and Tb = %.3g ns and is sent the way that takes %.3g ns longer", n, k, linkName(gbps), 1e9*ta, 1e9*tb, 1e9*math.Abs(ta-tb))
				}
			}
		}
	}
	return c
}

func dearer(ta, tb float64, compress bool) bool { return compress == (ta < tb) }

// costsOf is S42 for a block of n elements whose coded form has so many bytes.
func costsOf(c ringsparse.Coder, n int, bytes, gbps float64) (ta, tb float64) {
	tc, td := c.Costs(4 * float64(n))
	return ringsparse.CostDirect(4*float64(n), gbps*gigabit), ringsparse.CostCompressed(tc, bytes, gbps*gigabit, td)
}

// correctedRule is the rule that takes the cheaper form, in the words of the printed one.
const correctedRule = "direct if Ta <= Tb, else compress"

// judgeRule judges P04 as a text: which of the two rules takes the cheaper form of
// every block.
func judgeRule(c ruleCheck) result.Claim {
	found := fmt.Sprintf("printed rule wrong in %d, corrected in %d of %d cases", c.Wrong, c.RightWrong, c.Cases-c.Ties)
	note := fmt.Sprintf("of %d blocks (all lengths up to %d, all numbers of non-zeros, three links) whose Ta and Tb differ, the printed rule takes the dearer way in %d, the corrected rule in %d", c.Cases-c.Ties, planRule().Largest, c.Wrong, c.RightWrong)
	if c.Smallest != "" {
		note += "; smallest counter-example: " + c.Smallest
	}
	switch {
	case c.Wrong > 0 && c.RightWrong == 0:
		found, note = correctedRule, "an error of the text: "+note
	case c.Wrong == 0 && c.RightWrong > 0:
		return identity("P04", true, "", note)
	}
	return identity("P04", false, found, note)
}
