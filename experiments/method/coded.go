package method

import (
	"math"

	"gradsync/experiments/method/cost"
)

// codeds are coded SGD, the paper's rivals on the same data placement, and sums of
// redundant blocks, which are ours.
func codeds() []Method {
	want, positive := From(1)
	fromZero, good := From(0)
	shared := append([]Flag{
		{Name: "redundancy", Default: 2, Help: "nodes that compute each block, r, from 1 to all", Want: want, Good: positive},
		{Name: "micro-blocks", Default: 0, Help: "pieces that the batch is cut into, a multiple of C(n,r), whose gradients travel one by one (0: one " +
			"gradient per block)",
			Want: fromZero + ", which is one gradient per block", Good: good},
		{Name: "split", Default: "rows", Help: "cut gradients into segments by rows or columns"},
		{Name: "range", Default: 10.0, Help: "the number that the largest int32 stands for", Want: "1e-30 to the largest float32, 3.4e38",
			Good: func(x float64) bool { return x >= 1e-30 && x <= math.MaxFloat32 }},
		{Name: "speed-aware", Default: false, Help: "uneven blocks, images by the nodes' speeds"},
	}, ofServerless...)
	of := func(name, english, chinese string, look Look, multicast bool, costs []Formula, own ...Flag) Method {
		return Method{Name: name, Family: Coded, Document: "codedsgd", Label: [2]string{english, chinese},
			Flags: append(own, shared...), Look: look, Multicast: multicast, Costs: costs}
	}
	compressed := of("compressed", "sums of redundant blocks", "冗余样本块之和", Look{Colour: "purple", Dash: "short", Symbol: "diamond", Texture: "dots"}, true,
		[]Formula{{"compressed", cost.Compressed, true}},
		Flag{Name: "depth", Default: 0, Help: "common holders of the blocks that are summed before coding (default: the least load)", Want: want, Good: positive})
	compressed.Document = "ours"
	return []Method{
		of("ssgd-unicast", "SSGD Unicast", "SSGD Unicast", Look{Colour: "vermillion", Dash: "short", Symbol: "triangle", Texture: "back"}, false,
			[]Formula{{"ssgd-unicast", cost.SSGDUnicast, true}}),
		of("ssgd-multicast", "SSGD Multicast", "SSGD Multicast", Look{Colour: "orange", Dash: "dots", Symbol: "diamond", Texture: "dots"}, true,
			[]Formula{{"ssgd-multicast", cost.SSGDMulticast, true}}),
		of("cssgd", "CSSGD Optimal", "CSSGD Optimal", Look{Colour: "grey", Dash: "solid", Symbol: "roundRect", Texture: "levels", Subject: true}, true,
			[]Formula{{"cssgd", cost.CSSGD, true}, {"cssgd-model", cost.CSSGDModel, false}},
			Flag{Name: "literal", Default: false, Help: "the loop of Algorithm 3 as printed, with the packets that nobody needs"}),
		compressed,
	}
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
