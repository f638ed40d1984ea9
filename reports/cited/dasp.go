package cited

import "gradsync/reports/notebook"

// daspFormulas are the formulas of DASP as we restored them: the source's text
// kept their legends and lost their images.
var daspFormulas = []Formula{
	{
		ID: "eq1", Name: notebook.Both{"Eq. (1): how long a weakly synchronised worker waits — our default",
			"式 (1)：弱同步的工作节点等待多久——我们的默认形式"},
		TeX: `T_{\mathrm{wait}}^{\,i} = \max\bigl(0,\ \alpha\,(f_j - f_i)\bigr)`,
		Note: notebook.Both{"f is the duration of a worker’s last iteration, i the worker that waits, j the worker with the " +
			"oldest version, α a weight (0.5 here; the paper’s value is not known). Never below 0, and never " +
			"more than the oldest worker’s own f; both bounds are ours.",
			"f 是工作节点上一次迭代的用时，i 是等待的工作节点，j 是持有最旧版本的工作节点，α 是权重（这里为 0.5；" +
				"论文的取值不得而知）。不低于 0，也不超过最旧工作节点自己的 f；两个界都是我们加的。"},
		Chance: notebook.Alike("55 %"),
		Code:   []string{"papers/dasp/formula WaitDifference", "papers/dasp WaitForm.Wait"},
	},
	{
		ID: "eq1-abs", Name: notebook.Both{"Eq. (1): absolute form", "式 (1)：绝对值形式"},
		TeX: `T_{\mathrm{wait}}^{\,i} = \alpha\,\left| f_i - f_j \right|`,
		Note: notebook.Both{"The same as the default wherever j is the slower of the two; also right if f were time stamps.",
			"只要两者中 j 较慢，就与默认相同；如果 f 是时间戳，它也同样正确。"},
		Chance: notebook.Alike("20 %"),
		Code:   []string{"papers/dasp/formula WaitAbsolute"},
	},
	{
		ID: "eq1-convex", Name: notebook.Both{"Eq. (1): convex form", "式 (1)：凸组合形式"},
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,f_i + (1-\alpha)\,f_j`,
		Note:   notebook.Both{"Waits even when both are equally fast.", "即使两者同样快也要等待。"},
		Chance: notebook.Alike("12 %"),
		Code:   []string{"papers/dasp/formula WaitConvex"},
	},
	{
		ID: "eq1-oldest", Name: notebook.Both{"Eq. (1): share of the oldest worker’s iteration", "式 (1)：最旧工作节点迭代的一个份额"},
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,f_j`,
		Note:   notebook.Both{"Does not look at the waiting worker’s own speed.", "不看等待的工作节点自身的速度。"},
		Chance: notebook.Alike("8 %"),
		Code:   []string{"papers/dasp/formula WaitOldest"},
	},
	{
		ID: "eq2", Name: notebook.Both{"Eq. (2): the update", "式 (2)：更新"},
		TeX: `\Delta w = \begin{cases}` +
			`\dfrac{1}{N}\cdot\dfrac{1}{B}\displaystyle\sum_{j=1}^{B}\nabla \ell_j(w) & P_{\mathrm{state}} = \mathrm{QIS} \\[1.2em]` +
			`\dfrac{1}{K}\displaystyle\sum_{k=1}^{K}\dfrac{1}{B}\sum_{j=1}^{B}\nabla \ell_j^{(k)}(w) & P_{\mathrm{state}} \in \{\mathrm{WSS},\ \mathrm{FSS}\}` +
			`\end{cases} \qquad w_{i+1} = w_i - \gamma\,\Delta w`,
		Note: notebook.Both{"N workers, batch size B, K gradients received while the worker waits (its own among them), learning " +
			"rate γ. Seen from one gradient the second case steps N/K times as far as the first; the baselines " +
			"get the same 1/N, so that methods are compared and not step sizes.",
			"N 个工作节点，批大小 B，工作节点等待期间收到 K 个梯度（含它自己的），学习率 γ。从一个梯度来看，第二种" +
				"情形的步长是第一种的 N/K 倍；对手用同样的 1/N，这样比较的是方法而不是步长。"},
		Chance: notebook.Both{"75 % for each case", "两种情形各 75 %"},
		Code:   []string{"papers/dasp/formula QISWeight", "papers/dasp/formula GroupWeight", "papers/dasp Config.Weight", "papers/dasp Optimiser.step"},
	},
	{
		ID: "state", Name: notebook.Both{"Algorithm 1: the three states", "算法 1：三种状态"},
		TeX: `P_{\mathrm{state}}^{\,n} = \begin{cases}` +
			`\mathrm{QIS} & v_n - \min(v) \le S_{\min} \\` +
			`\mathrm{WSS} & S_{\min} < v_n - \min(v) \le S_{\max} \\` +
			`\mathrm{FSS} & v_n - \min(v) > S_{\max}` +
			`\end{cases}`,
		Note: notebook.Both{"v is the version of the weights each worker holds. One version is one global update, so a round of " +
			"N workers adds about N.",
			"v 是每个工作节点所持有的权重的版本。一个版本是一次全局更新，因此 N 个工作节点的一轮大约增加 N。"},
		Code: []string{"papers/dasp Config.Decide"},
	},
	{
		ID: "ring", Name: notebook.Both{"For comparison: a ring all-reduce of the same gradient", "作为比较：对同一梯度的一次环形全归约"},
		TeX: `T_{\mathrm{ring}} = 2(N-1)\left(a + \frac{D}{N\,b}\right) \approx \frac{2(N-1)}{N}\cdot\frac{D}{b}`,
		Note: notebook.Both{"D bytes, link rate b, latency a per message. The server’s link carries N gradients in and N sets of " +
			"weights out in the same round. Ours; the paper does not compare with a ring.",
			"D 字节，链路速率 b，每条消息的延迟 a。服务器链路在同一轮中传入 N 个梯度，传出 N 份权重。我们加的；论文没有与环比较。"},
		Code: []string{"shared/cluster/formula RingTime"},
	},
}

// daspAlgorithms are the two algorithms of DASP. The lines not marked lost are
// paraphrased from the source's text, which kept their words and numbers.
var daspAlgorithms = []algorithm{
	{
		ID: "alg1", Name: notebook.Both{"Algorithm 1: which state a worker is in", "算法 1：工作节点处于哪种状态"},
		In: notebook.Both{"the version v each worker holds, the duration f of its last iteration",
			"每个工作节点所持有的版本 v，及其上一次迭代的用时 f"},
		Out:   notebook.Both{"the state of worker n", "工作节点 n 的状态"},
		Place: "Alg. 1, line",
		Code: []string{"papers/dasp policy.Step", "papers/dasp policy.push", "papers/dasp Config.Decide", "papers/dasp policy.completed",
			"papers/dasp policy.withinSmax"},
		Elsewhere: map[int]notebook.Both{
			16: notebook.Both{"closes line 5; in Go the brace of the switch", "结束第 5 行；在 Go 中是 switch 的花括号"},
			17: notebook.Both{"closes line 1: the server calls Step anew for the next gradient",
				"结束第 1 行：下一个梯度到来时，服务器再次调用 Step"},
		},
		Steps: []algorithmLine{
			{0, notebook.Both{"for each gradient that arrives, from worker n:", "对每个到达的梯度，来自工作节点 n："}, false},
			{1, notebook.Both{"f_n ← how long the iteration took that has just ended", "f_n ← 刚结束的这次迭代的用时"}, true},
			{1, notebook.Both{"v_n ← the version that n holds", "v_n ← n 所持有的版本"}, false},
			{1, notebook.Both{"v_min ← min(v), the oldest version in use", "v_min ← min(v)，在用的最旧版本"}, false},
			{1, notebook.Both{"if v_n − v_min ≤ S_min:", "若 v_n − v_min ≤ S_min："}, false},
			{2, notebook.Both{"n is in QIS", "n 处于 QIS"}, false},
			{1, notebook.Both{"else if S_min < v_n − v_min ≤ S_max:", "否则，若 S_min < v_n − v_min ≤ S_max："}, false},
			{2, notebook.Both{"n is in WSS", "n 处于 WSS"}, false},
			{2, notebook.Both{"id_min ← the worker that holds v_min", "id_min ← 持有 v_min 的工作节点"}, false},
			{2, notebook.Both{"f_i ← f of n; f_j ← f of id_min", "f_i ← n 的 f；f_j ← id_min 的 f"}, true},
			{2, notebook.Both{"T_wait ← α (f_j − f_i), Eq. (1)", "T_wait ← α (f_j − f_i)，式 (1)"}, true},
			{2, notebook.Both{"wait T_wait", "等待 T_wait"}, false},
			{1, notebook.Both{"else:", "否则："}, false},
			{2, notebook.Both{"n is in FSS", "n 处于 FSS"}, false},
			{2, notebook.Both{"wait until id_min, the worker with the oldest version, has ended its iteration",
				"等到 id_min，即持有最旧版本的工作节点，完成它的这次迭代"}, false},
			{1, notebook.Both{"end if", "结束判断"}, false},
			{0, notebook.Both{"end for", "结束循环"}, false},
		},
	},
	{
		ID: "alg2", Name: notebook.Both{"Algorithm 2: the update of the weights", "算法 2：权重的更新"},
		In:    notebook.Both{"the number of workers N, the learning rate γ", "工作节点数 N，学习率 γ"},
		Out:   notebook.Both{"the newest weights", "最新的权重"},
		Place: "Alg. 2, line",
		Code: []string{"papers/dasp server.arrived", "papers/dasp policy.push", "papers/dasp policy.release", "papers/dasp Config.Weight",
			"papers/dasp Optimiser.apply", "papers/dasp Optimiser.step", "papers/dasp server.send", "papers/dasp View.Handed"},
		Steps: []algorithmLine{
			{0, notebook.Both{"receive a gradient from worker n", "从工作节点 n 收到一个梯度"}, false},
			{0, notebook.Both{"Algorithm 1 finds the state of n", "算法 1 求出 n 的状态"}, false},
			{0, notebook.Both{"if n is in QIS:", "若 n 处于 QIS："}, false},
			{1, notebook.Both{"Δw ← 1/N of the gradient, Eq. (2), first case", "Δw ← 梯度的 1/N，式 (2)，第一种情况"}, true},
			{0, notebook.Both{"else:", "否则："}, false},
			{1, notebook.Both{"Δw ← the mean of the K gradients that came during the wait, Eq. (2), second case",
				"Δw ← 等待期间到达的 K 个梯度的平均，式 (2)，第二种情况"}, true},
			{0, notebook.Both{"w ← w − γ Δw", "w ← w − γ Δw"}, false},
			{0, notebook.Both{"send the new weights to n", "把新的权重发给 n"}, false},
			{0, notebook.Both{"v_n ← the version sent, in one indivisible step",
				"v_n ← 发出的版本，与发送合为不可分割的一步"}, false},
		},
	},
}
