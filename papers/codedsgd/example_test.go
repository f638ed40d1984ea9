package codedsgd_test

import (
	"fmt"

	"gradsync/papers/codedsgd"
)

// Three nodes hold every block of the batch twice. Each lacks one block, and three
// packets, each for two nodes at once, give all of them what they lack.
func Example() {
	a, err := codedsgd.Assign(3, 2) // Algorithm 2
	if err != nil {
		panic(err)
	}
	for node := range a.Nodes() {
		fmt.Printf("node %d computes blocks %v\n", node, a.Of(node))
	}
	grads := [][]int32{{10, 11}, {20, 21}, {30, 31}} // of each block, in fixed point
	cut, err := codedsgd.NewCut(2, [2]int{}, a.Redundancy(), codedsgd.Rows)
	if err != nil {
		panic(err)
	}
	node := func(i int) held { return held{a: a, node: i, grads: grads, m: 1} } // knows its own blocks alone

	for _, group := range a.Groups() {
		for _, p := range a.Packets(group) { // Algorithm 3
			content := make([]int32, cut.Padded(p))
			if err := codedsgd.Encode(content, p, node(p.From), 0, cut, 1); err != nil {
				panic(err)
			}
			fmt.Printf("node %d sends %v, the sum of", p.From, content)
			for _, t := range p.Terms {
				fmt.Printf(" [block %d, segment %d]", t.Block, t.Position)
			}
			fmt.Println()
			for _, to := range p.To { // Algorithm 4
				got := append([]int32(nil), content...)
				t, err := codedsgd.Decode(got, p, node(to), 0, cut, 1)
				if err != nil {
					panic(err)
				}
				fmt.Printf("    node %d is left with %v of block %d\n", to, got, t.Block)
			}
		}
	}
	// Output:
	// node 0 computes blocks [0 1]
	// node 1 computes blocks [0 2]
	// node 2 computes blocks [1 2]
	// node 0 sends [30], the sum of [block 0, segment 0] [block 1, segment 0]
	//     node 1 is left with [20] of block 1
	//     node 2 is left with [10] of block 0
	// node 1 sends [41], the sum of [block 0, segment 1] [block 2, segment 0]
	//     node 0 is left with [30] of block 2
	//     node 2 is left with [11] of block 0
	// node 2 sends [52], the sum of [block 1, segment 1] [block 2, segment 1]
	//     node 0 is left with [31] of block 2
	//     node 1 is left with [21] of block 1
}
