package reports

// daspFormulas are the formulas of DASP as we restored them: the source's text
// kept their legends and lost their images.
var daspFormulas = []formula{
	{
		ID: "eq1", Name: "Eq. (1): how long a weakly synchronised worker waits — our default",
		TeX:    `T_{\mathrm{wait}}^{\,i} = \max\bigl(0,\ \alpha\,(f_j - f_i)\bigr)`,
		Note:   "f is the duration of a worker’s last iteration, i the worker that waits, j the worker with the oldest version, α a weight (0.5 here; the paper’s value is not known). Never below 0, and never more than the oldest worker’s own f; both bounds are ours.",
		Chance: "55 %",
		Code:   []string{"papers/dasp/formula WaitDifference", "papers/dasp WaitForm.Wait"},
	},
	{
		ID: "eq1-abs", Name: "Eq. (1): absolute form",
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,\left| f_i - f_j \right|`,
		Note:   "The same as the default wherever j is the slower of the two; also right if f were time stamps.",
		Chance: "20 %",
		Code:   []string{"papers/dasp/formula WaitAbsolute"},
	},
	{
		ID: "eq1-convex", Name: "Eq. (1): convex form",
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,f_i + (1-\alpha)\,f_j`,
		Note:   "Waits even when both are equally fast.",
		Chance: "12 %",
		Code:   []string{"papers/dasp/formula WaitConvex"},
	},
	{
		ID: "eq1-oldest", Name: "Eq. (1): share of the oldest worker’s iteration",
		TeX:    `T_{\mathrm{wait}}^{\,i} = \alpha\,f_j`,
		Note:   "Does not look at the waiting worker’s own speed.",
		Chance: "8 %",
		Code:   []string{"papers/dasp/formula WaitOldest"},
	},
	{
		ID: "eq2", Name: "Eq. (2): the update",
		TeX: `\Delta w = \begin{cases}` +
			`\dfrac{1}{N}\cdot\dfrac{1}{B}\displaystyle\sum_{j=1}^{B}\nabla \ell_j(w) & P_{\mathrm{state}} = \mathrm{QIS} \\[1.2em]` +
			`\dfrac{1}{K}\displaystyle\sum_{k=1}^{K}\dfrac{1}{B}\sum_{j=1}^{B}\nabla \ell_j^{(k)}(w) & P_{\mathrm{state}} \in \{\mathrm{WSS},\ \mathrm{FSS}\}` +
			`\end{cases} \qquad w_{i+1} = w_i - \gamma\,\Delta w`,
		Note:   "N workers, batch size B, K gradients received while the worker waits (its own among them), learning rate γ. Seen from one gradient the second case steps N/K times as far as the first; the baselines get the same 1/N, so that methods are compared and not step sizes.",
		Chance: "75 % for each case",
		Code:   []string{"papers/dasp/formula QISWeight", "papers/dasp/formula GroupWeight", "papers/dasp Config.Weight", "papers/dasp Optimiser.Step"},
	},
	{
		ID: "state", Name: "Algorithm 1: the three states",
		TeX: `P_{\mathrm{state}}^{\,n} = \begin{cases}` +
			`\mathrm{QIS} & v_n - \min(v) \le S_{\min} \\` +
			`\mathrm{WSS} & S_{\min} < v_n - \min(v) \le S_{\max} \\` +
			`\mathrm{FSS} & v_n - \min(v) > S_{\max}` +
			`\end{cases}`,
		Note: "v is the version of the weights each worker holds. One version is one global update, so a round of N workers adds about N.",
		Code: []string{"papers/dasp Config.Decide"},
	},
	{
		ID: "ring", Name: "For comparison: a ring all-reduce of the same gradient",
		TeX:  `T_{\mathrm{ring}} = 2(N-1)\left(a + \frac{D}{N\,b}\right) \approx \frac{2(N-1)}{N}\cdot\frac{D}{b}`,
		Note: "D bytes, link rate b, latency a per message. The server’s link carries N gradients in and N sets of weights out in the same round. Ours; the paper does not compare with a ring.",
		Code: []string{"shared/cluster/formula RingTime"},
	},
}
