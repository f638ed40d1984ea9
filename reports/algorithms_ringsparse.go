package reports

// sparseAlgorithms are the steps S1–S7 of the patent's description.
var sparseAlgorithms = []algorithm{
	{
		ID: "s1-s7", Name: "Training: S1 to S3 and S7",
		In:    "N GPUs, a network, BatchSize, the learning rate η, the number of iterations",
		Out:   "the same weights on every GPU",
		Place: "S1–S7, step",
		Code:  []string{"papers/ringsparse Run", "papers/ringsparse ring.iterate", "papers/ringsparse ring.localStep", "papers/ringsparse ring.post", "papers/ringsparse ring.send"},
		Elsewhere: map[int]string{
			2: "before Run: every Task begins with the same weights",
			9: "closes step 3",
		},
		Steps: []step{
			{0, "S1: give each GPU a number and two neighbours, the last joined to the first", false},
			{0, "S1: copy the network to each, with the same initial weights", false},
			{0, "S7: for each iteration:", false},
			{1, "S2: each GPU reads BatchSize/N samples that no other reads, and runs the forward pass with W_0", false},
			{1, "S3: backward pass; as soon as a layer’s error and gradient g are there:", false},
			{2, "W′ ← W_0 − η g, beside W_0; keep g too", true},
			{2, "start S4–S6 for this layer, and go on with the layer before it", false},
			{1, "wait until every layer is synchronised", true},
			{0, "end for", false},
		},
	},
	{
		ID: "s4-s6", Name: "Synchronising one layer: S4 to S6",
		In:    "W_0, W′ and g of the layer on each of N GPUs",
		Out:   "the layer’s new weights, the same bits on every GPU",
		Place: "S4–S6, step",
		Code:  []string{"papers/ringsparse ring.exchange", "papers/ringsparse ring.block", "papers/ringsparse ring.pack", "papers/ringsparse Choose", "papers/ringsparse ring.encode", "papers/ringsparse Compress", "papers/ringsparse ring.reduce", "papers/ringsparse ring.gather", "papers/ringsparse ring.finish"},
		Steps: []step{
			{0, "S41: cut W′ and g into N blocks each", false},
			{0, "S41: of the pair to be sent keep the one with more zeros, W′ if they are equal, and tag it", false},
			{0, "S42: compress it if T_b < T_a, and tag that; send it to the next neighbour", true},
			{0, "S6: N − 1 times:", false},
			{1, "S5: receive a block, unpack it if its tag says so", false},
			{1, "S5: add the own block of the same kind to it", false},
			{1, "S51: turn a copy of the sum into the other kind", false},
			{1, "S52: keep the one with more zeros, compress it if that is sooner", false},
			{1, "S52: send it on, but after the last time", true},
			{0, "S6: N − 1 times: receive a block, overwrite the own one with it, send it on", false},
			{0, "S6: from each block: W ← its sum / N, or W_0 − η times its sum / N, by its tag", true},
		},
	},
}
