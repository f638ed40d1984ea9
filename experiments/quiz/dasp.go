package quiz

import (
	"slices"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
)

var daspMakers = []maker{{"dasp.oldest", daspOldest}, {"dasp.state", daspState}, {"dasp.wait", daspWait}, {"dasp.weight", daspWeight}, {"dasp.update", daspUpdate},
	{"dasp.version", daspVersion}, {"dasp.next", daspNext}, {"dasp.bound", daspBound}}

// algorithm is lines of one of the paper's algorithms as a source.
func algorithm(en, zh string) Text { return Text{"DASP, " + en, "DASP 论文，" + zh} }

// the states by their value less one; they are called the same in both languages.
var states = []Text{same(dasp.QIS.String()), same(dasp.WSS.String()), same(dasp.FSS.String())}

// situation draws what the server knows as worker n's gradient arrives, so that n is
// in the given state.
func situation(d draw, state dasp.State) (c dasp.Config, v dasp.View, n int) {
	c = dasp.Config{Workers: d.from(3, 6), Smin: int64(d.from(1, 4)), Alpha: pick(d, 0.25, 0.5, 0.75)}
	c.Smax = c.Smin + int64(d.from(1, 4))
	lo, hi := int64(0), c.Smin // of v_n − v_min
	switch state {
	case dasp.WSS:
		lo, hi = c.Smin+1, c.Smax
	case dasp.FSS:
		lo, hi = c.Smax+1, c.Smax+4
	}
	v = dasp.NewView(c.Workers)
	least, most := int64(d.from(3, 30)), 0
	for i := range v.V {
		v.V[i] = least + int64(d.from(0, 9))
		v.F[i] = time.Duration(4*d.from(5, 40)) * time.Millisecond
	}
	two := d.Perm(c.Workers)[:2]
	n = two[0]
	v.V[two[1]], v.V[n] = least, least+int64(d.from(int(lo), int(hi)))
	most = int(slices.Max(v.V))
	v.Newest = int64(most + d.from(0, 2))
	return c, v, n
}

// ms writes a duration as a number of milliseconds.
func ms(t time.Duration) string { return rounded(float64(t) / float64(time.Millisecond)) }

func allMs(ts []time.Duration) string {
	var out []string
	for _, t := range ts {
		out = append(out, ms(t))
	}
	return listed(out)
}

func thresholds(c dasp.Config) []Given { return []Given{is("Smin", c.Smin), is("Smax", c.Smax)} }

func daspOldest(d draw) (Question, error) {
	_, v, _ := situation(d, dasp.WSS)
	least, id := v.Oldest()
	return Question{
		Text: both("Workers 0, 1, … hold the versions v. Who is the oldest (of several the lowest number), and which version is v_min?",
			"工作节点 0、1、… 持有版本 v。最旧的是哪个工作节点（并列时取编号最小者），v_min 是几？"),
		Given:  []Given{is("v", listed(v.V))},
		Why:    both("min(v) = %d, first held by worker %d.", "min(v) = %d，最先由工作节点 %d 持有。", least, id),
		Source: algorithm("Algorithm 1, lines 4 and 9", "算法 1 第 4、9 行"), want: sequence(both("worker, version: two numbers such as 2, 17", "工作节点, 版本：两个数，例如 2, 17"), int64(id), least)}, nil
}

func daspState(d draw) (Question, error) {
	c, v, n := situation(d, pick(d, dasp.QIS, dasp.WSS, dasp.FSS))
	found := c.Decide(v, n)
	return Question{
		Text:   both("Workers 0, 1, … hold the versions v. A gradient of worker n arrives. In which state is n?", "工作节点 0、1、… 持有版本 v。工作节点 n 的梯度到达。n 处于哪个状态？"),
		Given:  append([]Given{is("v", listed(v.V)), is("n", n)}, thresholds(c)...),
		Why:    whyState(c, v, n, found),
		Source: algorithm("Algorithm 1, lines 3–13", "算法 1 第 3–13 行"), want: oneOf(int(found.State)-1, states...)}, nil
}

// whyState says which comparison of Algorithm 1 decided.
func whyState(c dasp.Config, v dasp.View, n int, found dasp.Decision) Text {
	least, _ := v.Oldest()
	rule := both("%d ≤ Smin = %d", "%d ≤ Smin = %d", found.Gap, c.Smin)
	switch found.State {
	case dasp.WSS:
		rule = both("Smin = %d < %d ≤ Smax = %d", "Smin = %d < %d ≤ Smax = %d", c.Smin, found.Gap, c.Smax)
	case dasp.FSS:
		rule = both("%d > Smax = %d", "%d > Smax = %d", found.Gap, c.Smax)
	}
	return both("v_n − v_min = %d − %d = %d, and %s: %s.", "v_n − v_min = %d − %d = %d，且 %s：%s。", v.V[n], least, found.Gap, rule, found.State)
}

func daspWait(d draw) (Question, error) {
	c, v, n := situation(d, dasp.WSS)
	if _, id := v.Oldest(); d.from(1, 4) > 1 { // who is behind is slower, as a rule
		v.F[id] += v.F[n]
	}
	found := c.Decide(v, n)
	fi, fj := v.F[n], v.F[found.Until]
	why := both("id_min = %d, and T_wait = %v · (%s − %s) = %s ms.", "id_min = %d，T_wait = %v · (%s − %s) = %s 毫秒。", found.Until, c.Alpha, ms(fj), ms(fi), ms(found.Wait))
	if fj < fi {
		why = both("id_min = %d is the faster one, %s ms against %s ms: T_wait would be negative, and is %s.",
			"id_min = %d 反而更快，%s 毫秒对 %s 毫秒：T_wait 本应为负，取 %s。", found.Until, ms(fj), ms(fi), ms(found.Wait))
	}
	return Question{
		Text: both("Worker n is in WSS: of the versions v its own is too far ahead of the oldest one. f are the last iteration times. How long is T_wait = α·(f_j − f_n), at least 0, where j = id_min is the oldest worker (of several the lowest number)?",
			"工作节点 n 处于 WSS：在版本 v 中，它比最旧的版本领先过多。f 是各工作节点上一次迭代的时间。T_wait = α·(f_j − f_n)（至少为 0）是多少？其中 j = id_min 为最旧的工作节点（并列时取编号最小者）。"),
		Given: []Given{is("v", listed(v.V)), is("n", n), in("f", allMs(v.F), milliseconds), is("α", c.Alpha)}, Why: why,
		Source: algorithm("Eq. (1) in this repository's reading; Algorithm 1, lines 9–11", "式 (1)（本仓库的读法）；算法 1 第 9–11 行"),
		want:   exactly(rat(int64(found.Wait), int64(time.Millisecond)), milliseconds)}, nil
}

func daspWeight(d draw) (Question, error) {
	c := dasp.Config{Workers: d.from(2, 12)}
	n := c.Workers
	if d.coin() {
		w := c.Weight(dasp.QIS, 1)
		return Question{
			Text: both("A gradient arrives in QIS at a server of N workers. By which factor is it multiplied in the update?",
				"N 个工作节点的服务器收到一个处于 QIS 的梯度。更新中它乘以什么系数？"), Given: []Given{is("N", n)},
			Why: both("QIS: Δw = (1/N)·g, %s.", "QIS：Δw = (1/N)·g，即 %s。", decimal(fraction(w))), Source: algorithm("Eq. (2) in this repository's reading", "式 (2)（本仓库的读法）"),
			want: exactly(fraction(w), none)}, nil
	}
	k := d.from(2, n)
	w := c.Weight(dasp.WSS, k)
	return Question{
		Text: both("The gradients of K waiting workers (WSS or FSS) of N become one update. By which factor is each multiplied?",
			"N 个工作节点中有 K 个在等待（WSS 或 FSS），它们的梯度合为一次更新。每个梯度乘以什么系数？"), Given: []Given{is("N", n), is("K", k)},
		Why: both("WSS and FSS: Δw = (1/K)·Σ g, %s.", "WSS 与 FSS：Δw = (1/K)·Σ g，即 %s。", decimal(fraction(w))), Source: algorithm("Eq. (2) in this repository's reading", "式 (2)（本仓库的读法）"),
		want: exactly(fraction(w), none)}, nil
}

func daspUpdate(d draw) (Question, error) {
	c := dasp.Config{Workers: pick(d, 4, 8)}
	state, members := dasp.QIS, 1
	if d.coin() {
		state, members = dasp.WSS, pick(d, 2, 4)
	}
	w, sum := d.small(2), make([]float32, 2)
	before, rate := slices.Clone(w), pick(d, 1, 0.5)
	given := []Given{is("N", c.Workers), is("γ", rate), is("w", listed(w))}
	for k := range members {
		g := d.small(2)
		given = append(given, is("g_"+string(rune('1'+k)), listed(g)))
		for i, x := range g {
			sum[i] += x
		}
	}
	weight, total := c.Weight(state, members), slices.Clone(sum)
	(&dasp.Optimiser{Rate: rate}).Step(w, sum, weight)
	text := both("A server of N workers holds the weights w; the gradient g_1 arrives in QIS. The learning rate is γ. What are the new weights?",
		"N 个工作节点的服务器持有权重 w；处于 QIS 的梯度 g_1 到达。学习率为 γ。新的权重是什么？")
	if state != dasp.QIS {
		text = both("A server of N workers holds the weights w; the gradients g_1 … of a waiting group become one update. The learning rate is γ. What are the new weights?",
			"N 个工作节点的服务器持有权重 w；一组等待者的梯度 g_1 … 合为一次更新。学习率为 γ。新的权重是什么？")
	}
	return Question{Text: text, Given: given,
		Why: both("w − γ·weight·Σg, with the weight %s: the first entry is %v − %v · %s · %s = %v.", "w − γ·系数·Σg，系数为 %s：第一项为 %v − %v · %s · %s = %v。",
			decimal(fraction(weight)), before[0], rate, decimal(fraction(weight)), bracketed(total[0]), w[0]),
		Source: algorithm("Algorithm 2, line 7, and Eq. (2)", "算法 2 第 7 行与式 (2)"), want: sequence(both("two numbers such as 3, −0.5", "两个数，例如 3, −0.5"), w...)}, nil
}

func daspVersion(d draw) (Question, error) {
	c, v, n := situation(d, dasp.QIS)
	given := []Given{is("v", listed(v.V)), is("v_new", v.Newest), is("n", n)}
	least, _ := v.Oldest()
	newest := v.Newest
	v.Updated()
	v.Handed(n)
	after, id := v.Oldest()
	return Question{
		Text: both("Workers hold the versions v, the newest is v_new. A gradient of worker n arrives in QIS: it is applied and n is answered. Which version does n hold then, and which is v_min?",
			"各工作节点持有版本 v，最新版本为 v_new。工作节点 n 的一个 QIS 梯度到达：立即应用并答复 n。此后 n 持有哪个版本，v_min 是几？"),
		Given: append(given, thresholds(c)...),
		Why: both("The update makes version %d + 1 = %d, which n is handed. v_min was %d and is %d now, held by worker %d.",
			"更新产生版本 %d + 1 = %d，并交给 n。v_min 原为 %d，现为 %d，由工作节点 %d 持有。",
			newest, v.V[n], least, after, id),
		Source: algorithm("Algorithm 2, lines 7–9", "算法 2 第 7–9 行"), want: sequence(both("v_n, v_min: two numbers such as 21, 17", "v_n, v_min：两个数，例如 21, 17"), v.V[n], after)}, nil
}

func daspBound(d draw) (Question, error) {
	c, _, _ := situation(d, dasp.QIS)
	bound := formula.SpreadBound(c.Smax, c.Workers)
	return Question{
		Text: both("A WSS or FSS answer is held until its version is at most Smax ahead of everybody who stays behind; QIS answers are not tested. With N workers, how far can the newest version be ahead of the oldest one held, at most?",
			"WSS 与 FSS 的答复要等到其版本至多比所有未答复者领先 Smax 才发出；QIS 的答复不作检验。N 个工作节点时，最新版本最多比被持有的最旧版本领先多少？"),
		Given: append([]Given{is("N", c.Workers)}, thresholds(c)...),
		Why: both("Smax + N − 2 = %d + %d − 2 = %d: after the last tested answer all workers but the oldest and the answered one may still take a QIS step each.",
			"Smax + N − 2 = %d + %d − 2 = %d：最后一次受检验的答复之后，除最旧者与被答复者外，其余工作节点还可各走一个 QIS 步。",
			c.Smax, c.Workers, bound),
		Source: both("ours: the proof at dasp.New; the paper promises Smax", "本仓库：dasp.New 处的证明；论文声称是 Smax"), want: whole(bound, none)}, nil
}
