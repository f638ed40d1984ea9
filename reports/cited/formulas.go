package cited

// daspFormulas are the formulas of DASP as we restored them: the source's text
// kept their legends and lost their images.
var daspFormulas = []Formula{
	{
		ID: "eq1", Name: said{"Eq. (1): how long a weakly synchronised worker waits — our default",
			"式 (1)：弱同步的工作节点等待多久——我们的默认形式"},
		TeX: `T_{\mathrm{wait}}^{\,i} = \max\bigl(0,\ \alpha\,(f_j - f_i)\bigr)`,
		Note: said{"f is the duration of a worker’s last iteration, i the worker that waits, j the worker with the " +
			"oldest version, α a weight (0.5 here; the paper’s value is not known). Never below 0, and never " +
			"more than the oldest worker’s own f; both bounds are ours.",
			"f 是工作节点上一次迭代的用时，i 是等待的工作节点，j 是持有最旧版本的工作节点，α 是权重（这里为 0.5；" +
				"论文的取值不得而知）。不低于 0，也不超过最旧工作节点自己的 f；两个界都是我们加的。"},
		Chance: "55 %",
		Code:   []string{"papers/dasp/formula WaitDifference", "papers/dasp WaitForm.Wait"},
	},
	{
		ID: "eq1-abs", Name: said{"Eq. (1): absolute form", "式 (1)：绝对值形式"},
		TeX: `T_{\mathrm{wait}}^{\,i} = \alpha\,\left| f_i - f_j \right|`,
		Note: said{"The same as the default wherever j is the slower of the two; also right if f were time stamps.",
			"只要两者中 j 较慢，就与默认相同；如果 f 是时间戳，它也同样正确。"},
		Chance: "20 %",
		Code:   []string{"papers/dasp/formula WaitAbsolute"},
	},
	{
		ID: "eq1-convex", Name: said{"Eq. (1): convex form", "式 (1)：凸组合形式"},
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,f_i + (1-\alpha)\,f_j`,
		Note:   said{"Waits even when both are equally fast.", "即使两者同样快也要等待。"},
		Chance: "12 %",
		Code:   []string{"papers/dasp/formula WaitConvex"},
	},
	{
		ID: "eq1-oldest", Name: said{"Eq. (1): share of the oldest worker’s iteration", "式 (1)：最旧工作节点迭代的一个份额"},
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,f_j`,
		Note:   said{"Does not look at the waiting worker’s own speed.", "不看等待的工作节点自身的速度。"},
		Chance: "8 %",
		Code:   []string{"papers/dasp/formula WaitOldest"},
	},
	{
		ID: "eq2", Name: said{"Eq. (2): the update", "式 (2)：更新"},
		TeX: `\Delta w = \begin{cases}` +
			`\dfrac{1}{N}\cdot\dfrac{1}{B}\displaystyle\sum_{j=1}^{B}\nabla \ell_j(w) & P_{\mathrm{state}} = \mathrm{QIS} \\[1.2em]` +
			`\dfrac{1}{K}\displaystyle\sum_{k=1}^{K}\dfrac{1}{B}\sum_{j=1}^{B}\nabla \ell_j^{(k)}(w) & P_{\mathrm{state}} \in \{\mathrm{WSS},\ \mathrm{FSS}\}` +
			`\end{cases} \qquad w_{i+1} = w_i - \gamma\,\Delta w`,
		Note: said{"N workers, batch size B, K gradients received while the worker waits (its own among them), learning " +
			"rate γ. Seen from one gradient the second case steps N/K times as far as the first; the baselines " +
			"get the same 1/N, so that methods are compared and not step sizes.",
			"N 个工作节点，批大小 B，工作节点等待期间收到 K 个梯度（含它自己的），学习率 γ。从一个梯度来看，第二种" +
				"情形的步长是第一种的 N/K 倍；基准方法用同样的 1/N，这样比较的是方法而不是步长。"},
		Chance: "75 % for each case",
		Code:   []string{"papers/dasp/formula QISWeight", "papers/dasp/formula GroupWeight", "papers/dasp Config.Weight", "papers/dasp Optimiser.Step"},
	},
	{
		ID: "state", Name: said{"Algorithm 1: the three states", "算法 1：三种状态"},
		TeX: `P_{\mathrm{state}}^{\,n} = \begin{cases}` +
			`\mathrm{QIS} & v_n - \min(v) \le S_{\min} \\` +
			`\mathrm{WSS} & S_{\min} < v_n - \min(v) \le S_{\max} \\` +
			`\mathrm{FSS} & v_n - \min(v) > S_{\max}` +
			`\end{cases}`,
		Note: said{"v is the version of the weights each worker holds. One version is one global update, so a round of " +
			"N workers adds about N.",
			"v 是每个工作节点所持有的权重的版本。一个版本是一次全局更新，因此 N 个工作节点的一轮大约增加 N。"},
		Code: []string{"papers/dasp Config.Decide"},
	},
	{
		ID: "ring", Name: said{"For comparison: a ring all-reduce of the same gradient", "作为比较：对同一梯度的一次环形全归约"},
		TeX: `T_{\mathrm{ring}} = 2(N-1)\left(a + \frac{D}{N\,b}\right) \approx \frac{2(N-1)}{N}\cdot\frac{D}{b}`,
		Note: said{"D bytes, link rate b, latency a per message. The server’s link carries N gradients in and N sets of " +
			"weights out in the same round. Ours; the paper does not compare with a ring.",
			"D 字节，链路速率 b，每条消息的延迟 a。服务器链路在同一轮中传入 N 个梯度，传出 N 份权重。我们加的；论文没有与环比较。"},
		Code: []string{"shared/cluster/formula RingTime"},
	},
}
