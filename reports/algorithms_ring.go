package reports

// ringAlgorithms are the two loops of the blog.
var ringAlgorithms = []algorithm{
	{
		ID: "reduce-scatter", Name: "Reduce-scatter (the blog’s “scatter-reduce”)",
		In:    "N GPUs in a ring, on each an array cut into N chunks",
		Out:   "chunk n + 1 of GPU n is the sum over all",
		Place: "reduce-scatter, step",
		Code:  []string{"shared/cluster/collective Ring.reduceScatter", "shared/cluster/collective line.run", "shared/cluster/collective vector.unpack"},
		Elsewhere: map[int]string{
			5: "closes step 1",
		},
		Steps: []step{
			{0, "on GPU n, for i from 0 to N − 2, all GPUs at once:", false},
			{1, "send chunk n − i (mod N) to the right neighbour", true},
			{1, "receive chunk n − i − 1 (mod N) from the left neighbour", true},
			{1, "add what came to the own chunk", false},
			{0, "end for", false},
		},
	},
	{
		ID: "all-gather", Name: "All-gather",
		In:    "chunk n + 1 of GPU n is final",
		Out:   "every GPU has every final chunk",
		Place: "all-gather, step",
		Code:  []string{"shared/cluster/collective Ring.allGather", "shared/cluster/collective line.run", "shared/cluster/collective line.take", "shared/cluster/collective vector.unpack"},
		Elsewhere: map[int]string{
			5: "closes step 1",
		},
		Steps: []step{
			{0, "on GPU n, for i from 0 to N − 2, all GPUs at once:", false},
			{1, "send chunk n + 1 − i (mod N) to the right neighbour", true},
			{1, "receive chunk n − i (mod N) from the left neighbour", true},
			{1, "overwrite the own chunk with what came", false},
			{0, "end for", false},
		},
	},
	{
		ID: "overlapped", Name: "Applied to training",
		In:    "a network, copied to every GPU; a mini-batch, shared out",
		Out:   "the same new weights on every GPU",
		Place: "training, step",
		Code:  []string{"experiments/train replica.exchange", "experiments/train replica.dense"},
		Steps: []step{
			{0, "forward pass over the own samples", false},
			{0, "backward pass, from the output layer to the input layer:", false},
			{1, "as soon as a layer’s gradient is there, start its all-reduce and go on with the next layer", false},
			{0, "wait for the last all-reduce", false},
			{0, "divide the sums by N", true},
			{0, "update the weights with the mean gradient", false},
		},
	},
}
