package codedsgd

import (
	"fmt"
	"math/big"
	"strings"
)

// sizeIndex finds one size; the plan has it.
func sizeIndex(sizes []size, n, r int) *size {
	for i := range sizes {
		if sizes[i].N == n && sizes[i].R == r {
			return &sizes[i]
		}
	}
	panic(fmt.Sprintf("codedsgd: no size n = %d, r = %d", n, r))
}

// below words where CSSGD sends less than an accounting, in distances from n.
func below(sizes []size, key string) string {
	less, of := sends(sizes, key)
	switch {
	case len(less) == 0:
		return fmt.Sprintf("at none of %d sizes", len(of))
	case len(less) == len(of):
		return fmt.Sprintf("at all %d sizes", len(of))
	}
	far := 0
	for i := range less {
		far = max(far, less[i].N-less[i].R)
	}
	return fmt.Sprintf("at %d of %d sizes, none with r below n − %d", len(less), len(of), far)
}

func accountingNotes(plan accountingPlan, sizes []size, real []exchanged) []string {
	n := plan.Drawn[len(plan.Drawn)-1]
	half, notHalf := 0, 0 // like for like below 1 where r > n/2, and otherwise
	for i := range sizes {
		if like := sizes[i].likeForLike(); like != nil && like.Cmp(big.NewRat(1, 1)) < 0 {
			if 2*sizes[i].R > sizes[i].N {
				half++
			} else {
				notHalf++
			}
		}
	}
	late := 0
	for i := range sizes {
		if 2*sizes[i].R > sizes[i].N && sizes[i].R < sizes[i].N {
			late++
		}
	}
	rule := fmt.Sprintf("it sends less at %d sizes with r > n/2 and at %d others", half, notHalf)
	if half == late && notHalf == 0 {
		rule = "it sends less exactly where r > n/2, where every node computes more than half of the batch"
	}
	least, most := sizeIndex(sizes, n, 1), sizeIndex(sizes, n, n-1)
	rises := ""
	for r := 1; r < n && sizeIndex(sizes, n, r+1).at("coded").Cmp(sizeIndex(sizes, n, r).at("coded")) > 0; r++ {
		rises = fmt.Sprintf("it rises up to r = %d (%.4g) and then falls", r+1, float(sizeIndex(sizes, n, r+1).at("coded")))
	}
	if rises == "" {
		rises = "it never rises with r"
	}
	two := sizeIndex(sizes, n, 2)
	return []string{
		fmt.Sprintf("Whole gradients as messages: CSSGD by multicast sends less than ordinary SSGD by multicast, whose nodes add up their own samples and send n gradients, %s; less than a ring all-reduce %s. Adding up before sending is worth more than coding.", below(sizes, "ssgd"), below(sizes, "ring")),
		fmt.Sprintf("Like for like, the same blocks multicast without coding, the ratio is (n−r)/r: %s. Every node needs every block, so one plain multicast of a block already serves all n−r nodes that lack it; a coded packet serves r. The sentence of §2.4 that a block is in one group only hides this: it is in n−r groups, and is sent again in each.", rule),
		fmt.Sprintf("Without multicast coding saves nothing at all: counted once per receiver, CSSGD sends exactly (29), what the same blocks cost uncoded. At n = %d, r = 2 that is %s gradients either way, and %s with packets counted once. In (19) the factor (n−r)/(n−1) is that of redundancy, and the factor 1/r that of multicast alone.", n, two.at("coded-unicast").RatString(), two.at("coded").RatString()),
		fmt.Sprintf("With whole gradients CSSGD's load at n = %d starts at %s for r = 1, and %s; at r = %d it is %.3g. SSGD by multicast sends %d at every r. So traffic below SSGD by multicast at r = 2 and 3, and times per batch with their minimum there, need another message model: every method sends the gradients of the same Q micro-blocks one by one, and SSGD is charged once per receiver.", n, least.at("coded").RatString(), rises, n-1, float(most.at("coded")), n),
		oneNthNote(sizes),
		fmt.Sprintf("Who has multicast and redundant data should sum before coding: CSSGD sends less than compressed coded exchange %s. At n = %d, r = 2: CSSGD %s, sums of redundant blocks %s, compressed coded %s gradients; at r = %d: %.3g, %s and %.3g.", below(sizes, "compressed"), n, two.at("coded").RatString(), two.at("sum-only").RatString(), two.at("compressed").RatString(),
			n-1, float(most.at("coded")), most.at("sum-only").RatString(), float(most.at("compressed"))),
		fmt.Sprintf("(28) is, to the letter, the bound of coded computing, (1/r)(1 − r/n) of n·C(n,r) gradients. That bound is for nodes that each need something else of every block, as in sorting; where all need one sum it is no bound, and methods that add up first are below it: %s.", belowBound(sizes)),
		fmt.Sprintf("In real exchanges of up to %d nodes, %d of %d methods and sizes sent exactly what their closed form says.", plan.Exchanged, sameExchanges(real), len(real)),
	}
}

// belowBound says where ordinary SSGD by multicast sends less than (28).
func belowBound(sizes []size) string {
	less, of := 0, 0
	for i := range sizes {
		s := &sizes[i]
		if s.R < s.N {
			of++
			if s.at("ssgd").Cmp(s.at("coded")) < 0 {
				less++
			}
		}
	}
	return fmt.Sprintf("SSGD by multicast at %d of %d sizes", less, of)
}

func oneNthNote(sizes []size) string {
	equal, of := 0, 0
	var near []string
	for i := range sizes {
		s := &sizes[i]
		if s.R < 2 || s.R == s.N {
			continue
		}
		of++
		if s.ratio().Cmp(big.NewRat(1, int64(s.N))) == 0 {
			equal++
		}
		if s.N == sizes[len(sizes)-1].N && s.R <= 3 {
			near = append(near, fmt.Sprintf("%s at r = %d", s.ratio().RatString(), s.R))
		}
	}
	return fmt.Sprintf("§2.2 says that coding reduces data to 1/n in general. By (19) it is 1/n at %d of %d sizes: it follows r, not n, and with n = %d is %s.", equal, of, sizes[len(sizes)-1].N, strings.Join(near, ", "))
}
