package cited

// algorithm is one algorithm of a source in our words, by its own line numbers.
type algorithm struct {
	ID            string
	Name, In, Out said
	Mark          said // what its lines that are ours are called; "" is restored
	Steps         []step
	// Place is what a mark in the source begins with: "Alg. 1, line" or "all-gather, step".
	Place string
	// Code are the declarations that carry it out, as "papers/dasp Config.Decide".
	Code []string
	// Elsewhere says of the steps that none of their lines is marked with, why.
	Elsewhere map[int]said

	Views []stepView // with their places; of a page
	Go    []excerpt  // of a page that is made with the source
}

// Ours is the word on the lines of it that are not the source's.
func (a algorithm) Ours() said {
	if a.Mark.En() != "" {
		return a.Mark
	}
	return said{"restored", "补全"}
}

// step is one line; Depth is how far it is set in, Lost whether the source's
// line is missing, garbled or wrong, so that it is ours.
type step struct {
	Depth int
	Text  said
	Lost  bool
}

// daspAlgorithms are the two algorithms of DASP. The lines not marked lost are
// paraphrased from the source's text, which kept their words and numbers.
var daspAlgorithms = []algorithm{
	{
		ID: "alg1", Name: said{"Algorithm 1: which state a worker is in", "算法 1：工作节点处于哪种状态"},
		In: said{"the version v each worker holds, the duration f of its last iteration",
			"每个工作节点所持有的版本 v，及其上一次迭代的用时 f"},
		Out:   said{"the state of worker n", "工作节点 n 的状态"},
		Place: "Alg. 1, line",
		Code:  []string{"papers/dasp policy.Step", "papers/dasp policy.push", "papers/dasp Config.Decide", "papers/dasp policy.completed", "papers/dasp policy.within"},
		Elsewhere: map[int]said{
			16: said{"closes line 5; in Go the brace of the switch", "结束第 5 行；在 Go 中是 switch 的花括号"},
			17: said{"closes line 1: the server calls Step anew for the next gradient",
				"结束第 1 行：下一个梯度到来时，服务器再次调用 Step"},
		},
		Steps: []step{
			{0, said{"for each gradient that arrives, from worker n:", "对每个到达的梯度，来自工作节点 n："}, false},
			{1, said{"f_n ← how long the iteration took that has just ended", "f_n ← 刚结束的这次迭代的用时"}, true},
			{1, said{"v_n ← the version that n holds", "v_n ← n 所持有的版本"}, false},
			{1, said{"v_min ← min(v), the oldest version in use", "v_min ← min(v)，在用的最旧版本"}, false},
			{1, said{"if v_n − v_min ≤ S_min:", "若 v_n − v_min ≤ S_min："}, false},
			{2, said{"n is in QIS", "n 处于 QIS"}, false},
			{1, said{"else if S_min < v_n − v_min ≤ S_max:", "否则，若 S_min < v_n − v_min ≤ S_max："}, false},
			{2, said{"n is in WSS", "n 处于 WSS"}, false},
			{2, said{"id_min ← the worker that holds v_min", "id_min ← 持有 v_min 的工作节点"}, false},
			{2, said{"f_i ← f of n; f_j ← f of id_min", "f_i ← n 的 f；f_j ← id_min 的 f"}, true},
			{2, said{"T_wait ← α (f_j − f_i), Eq. (1)", "T_wait ← α (f_j − f_i)，式 (1)"}, true},
			{2, said{"wait T_wait", "等待 T_wait"}, false},
			{1, said{"else:", "否则："}, false},
			{2, said{"n is in FSS", "n 处于 FSS"}, false},
			{2, said{"wait until id_min, the worker with the oldest version, has ended its iteration",
				"等到 id_min，即持有最旧版本的工作节点，完成它的这次迭代"}, false},
			{1, said{"end if", "结束判断"}, false},
			{0, said{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "alg2", Name: said{"Algorithm 2: the update of the weights", "算法 2：权重的更新"},
		In:    said{"the number of workers N, the learning rate γ", "工作节点数 N，学习率 γ"},
		Out:   said{"the newest weights", "最新的权重"},
		Place: "Alg. 2, line",
		Code: []string{"papers/dasp server.arrived", "papers/dasp policy.push", "papers/dasp policy.release", "papers/dasp Config.Weight",
			"papers/dasp server.update", "papers/dasp Optimiser.Step", "papers/dasp server.send", "papers/dasp View.Handed"},
		Steps: []step{
			{0, said{"receive a gradient from worker n", "从工作节点 n 收到一个梯度"}, false},
			{0, said{"Algorithm 1 finds the state of n", "算法 1 求出 n 的状态"}, false},
			{0, said{"if n is in QIS:", "若 n 处于 QIS："}, false},
			{1, said{"Δw ← 1/N of the gradient, Eq. (2), first case", "Δw ← 梯度的 1/N，式 (2)，第一种情况"}, true},
			{0, said{"else:", "否则："}, false},
			{1, said{"Δw ← the mean of the K gradients that came during the wait, Eq. (2), second case",
				"Δw ← 等待期间到达的 K 个梯度的平均，式 (2)，第二种情况"}, true},
			{0, said{"w ← w − γ Δw", "w ← w − γ Δw"}, false},
			{0, said{"send the new weights to n", "把新的权重发给 n"}, false},
			{0, said{"v_n ← the version sent, in one indivisible step",
				"v_n ← 发出的版本，与发送合为不可分割的一步"}, false},
		},
	},
}
