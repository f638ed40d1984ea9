package cited

// ringAlgorithms are the two loops of the blog.
var ringAlgorithms = []algorithm{
	{
		ID: "reduce-scatter", Name: said{"Reduce-scatter (the blog’s “scatter-reduce”)",
			"归约散发（reduce-scatter，博客称“scatter-reduce”）"},
		In: said{"N GPUs in a ring, on each an array cut into N chunks",
			"环上的 N 块 GPU，每块 GPU 上有一个切成 N 块的数组"},
		Out:   said{"chunk n + 1 of GPU n is the sum over all", "GPU n 的块 n + 1 是全体之和"},
		Place: "reduce-scatter, step",
		Code:  []string{"shared/cluster/collective Ring.reduceScatter", "shared/cluster/collective line.run", "shared/cluster/collective vector.unpack"},
		Elsewhere: map[int]said{
			5: said{"closes step 1", "结束第 1 步"},
		},
		Steps: []step{
			{0, said{"on GPU n, for i from 0 to N − 2, all GPUs at once:",
				"在 GPU n 上，i 从 0 到 N − 2，所有 GPU 同时进行："}, false},
			{1, said{"send chunk n − i (mod N) to the right neighbour", "把块 n − i（mod N）发给右邻"}, true},
			{1, said{"receive chunk n − i − 1 (mod N) from the left neighbour", "从左邻接收块 n − i − 1（mod N）"}, true},
			{1, said{"add what came to the own chunk", "把收到的加到自己的块上"}, false},
			{0, said{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "all-gather", Name: said{"All-gather", "全收集（all-gather）"},
		In:    said{"chunk n + 1 of GPU n is final", "GPU n 的块 n + 1 已经完成"},
		Out:   said{"every GPU has every final chunk", "每块 GPU 有全部完成的块"},
		Place: "all-gather, step",
		Code:  []string{"shared/cluster/collective Ring.allGather", "shared/cluster/collective line.run", "shared/cluster/collective line.take", "shared/cluster/collective vector.unpack"},
		Elsewhere: map[int]said{
			5: said{"closes step 1", "结束第 1 步"},
		},
		Steps: []step{
			{0, said{"on GPU n, for i from 0 to N − 2, all GPUs at once:",
				"在 GPU n 上，i 从 0 到 N − 2，所有 GPU 同时进行："}, false},
			{1, said{"send chunk n + 1 − i (mod N) to the right neighbour", "把块 n + 1 − i（mod N）发给右邻"}, true},
			{1, said{"receive chunk n − i (mod N) from the left neighbour", "从左邻接收块 n − i（mod N）"}, true},
			{1, said{"overwrite the own chunk with what came", "用收到的覆盖自己的块"}, false},
			{0, said{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "overlapped", Name: said{"Applied to training", "用于训练"},
		In: said{"a network, copied to every GPU; a mini-batch, shared out",
			"一个网络，复制到每块 GPU；一个小批量，分给各 GPU"},
		Out:   said{"the same new weights on every GPU", "每块 GPU 上有同样的新权重"},
		Place: "training, step",
		Code:  []string{"experiments/train replica.exchange", "experiments/train replica.dense"},
		Steps: []step{
			{0, said{"forward pass over the own samples", "在自己的样本上作前向传播"}, false},
			{0, said{"backward pass, from the output layer to the input layer:", "反向传播，从输出层到输入层："}, false},
			{1, said{"as soon as a layer’s gradient is there, start its all-reduce and go on with the next layer",
				"某层的梯度一得到，就开始它的全归约，并继续计算下一层"}, false},
			{0, said{"wait for the last all-reduce", "等待最后一次全归约"}, false},
			{0, said{"divide the sums by N", "把总和除以 N"}, true},
			{0, said{"update the weights with the mean gradient", "用平均梯度更新权重"}, false},
		},
	},
}
