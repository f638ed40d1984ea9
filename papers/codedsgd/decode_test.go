package codedsgd_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gradsync/papers/codedsgd"
)

// held holds the gradients that one node knows; reading anything else is an error.
type held struct {
	a     *codedsgd.Assignment
	node  int
	grads [][]int32 // of all blocks and micro-blocks, [block·m + j], one layer
	m     int
}

func (h held) Has(q int) bool { return h.a.Holds(h.node, q) }

func (h held) Layer(q, j, _ int) ([]int32, error) {
	if !h.Has(q) {
		return nil, fmt.Errorf("node %d lacks block %d", h.node, q)
	}
	return h.grads[q*h.m+j], nil
}

// Whatever the shape, the split, the values and the node: all packets decode to the
// segments that were sent, bit for bit although sums wrap, and make the blocks whole.
func TestAlgorithm4DecodesEveryPacketExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		r := rapid.IntRange(1, n).Draw(t, "r")
		a, err := codedsgd.Assign(n, r)
		must(t, err)
		shape := [2]int{rapid.IntRange(0, 7).Draw(t, "rows"), rapid.IntRange(0, 7).Draw(t, "columns")}
		length := shape[0]*shape[1] + rapid.IntRange(0, 8).Draw(t, "bias")
		cut, err := codedsgd.NewCut(length, shape, r, rapid.SampledFrom([]string{"rows", "columns"}).Draw(t, "split"))
		must(t, err)
		m := rapid.IntRange(1, 3).Draw(t, "micro-blocks")
		grads := make([][]int32, a.Blocks()*m)
		for i := range grads {
			grads[i] = rapid.SliceOfN(rapid.Int32(), length, length).Draw(t, "gradient")
		}
		for node := range n {
			whole := make([][]int32, len(grads)) // what node has after the exchange
			for i := range whole {
				whole[i] = make([]int32, length)
				if a.Holds(node, i/m) {
					copy(whole[i], grads[i])
				}
			}
			for _, group := range a.Groups() {
				for _, p := range a.Packets(group) {
					if !slices.Contains(p.To, node) {
						continue
					}
					content := make([]int32, m*cut.Padded(p))
					must(t, codedsgd.Encode(content, p, held{a, p.From, grads, m}, 0, cut, m))
					term := sure(codedsgd.Decode(content, p, held{a, node, grads, m}, 0, cut, m))(t)
					for j := range m {
						cut.Scatter(whole[term.Block*m+j], content[j*cut.Padded(p):], term.Position)
					}
				}
			}
			for i := range grads {
				if !slices.Equal(whole[i], grads[i]) {
					t.Fatalf("node %d: block %d is %v, want %v", node, i/m, whole[i], grads[i])
				}
			}
		}
	})
}

// Of every one, two and three terms a node decodes those with exactly one unknown and refuses all others, n ≤ 5: it does
// not take the last unknown and a sum. It encodes what it holds alone, and a packet is as long as it says.
func TestAlgorithm4Line5ExactlyOneIsUnknown(t *testing.T) {
	every(t, 5, func(a *codedsgd.Assignment, n, r int) {
		cut := sure(codedsgd.NewCut(r, [2]int{r, 1}, r, codedsgd.Rows))(t)
		grads := make([][]int32, a.Blocks())
		for q := range grads {
			grads[q] = make([]int32, r)
		}
		for size := 1; size <= 3; size++ {
			for _, blocks := range subsets(0, a.Blocks(), size) {
				p, lacks := codedsgd.Packet{}, make([]int, n)
				for _, q := range blocks {
					p.Terms = append(p.Terms, codedsgd.Term{Block: q})
					for node := range n {
						if !a.Holds(node, q) {
							lacks[node]++
						}
					}
				}
				for node := range n {
					h := held{a, node, grads, 1}
					_, unknown := codedsgd.Unknown(p, h)
					_, decoded := codedsgd.Decode(make([]int32, cut.Padded(p)), p, h, 0, cut, 1)
					if (unknown == nil) != (lacks[node] == 1) || (decoded == nil) != (lacks[node] == 1) {
						t.Errorf("n = %d, r = %d, node %d, blocks %v, of which it lacks %d: %v, %v", n, r, node, blocks, lacks[node], unknown, decoded)
					}
					if _, err := codedsgd.Decode(make([]int32, cut.Padded(p)+1), p, h, 0, cut, 1); err == nil {
						t.Errorf("n = %d, r = %d, node %d, blocks %v: a packet too long passes", n, r, node, blocks)
					}
					encoded := codedsgd.Encode(make([]int32, cut.Padded(p)), p, h, 0, cut, 1)
					if (encoded == nil) != (lacks[node] == 0) {
						t.Errorf("n = %d, r = %d, node %d encodes blocks %v: %v", n, r, node, blocks, encoded)
					}
				}
			}
		}
	})
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sure returns v, and ends the test where there is an error.
func sure[T any](v T, err error) func(t rapid.TB) T {
	return func(t rapid.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}
