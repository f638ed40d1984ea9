package quiz

import (
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/kit"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
)

var daspMakers = []maker{{"dasp.oldest", daspOldest}, {"dasp.state", daspState}, {"dasp.wait", daspWait}, {"dasp.weight", daspWeight},
	{"dasp.update", daspUpdate},
	{"dasp.version", daspVersion}, {"dasp.next", daspNext}, {"dasp.bound", daspBound}}

// algorithm returns lines of one of the paper's algorithms as a source.
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

func daspOldest(d draw) Question {
	_, v, _ := situation(d, dasp.WSS)
	least, id := v.Oldest()
	return Question{
		Text: both("Workers 0, 1, … hold the versions v. Who is the oldest (of several the lowest number), and which version is v_min?",
			"工作节点 0、1、… 持有版本 v。最旧的是哪个工作节点（并列时取编号最小者），v_min 是几？"),
		Given:  []Given{is("v", listed(v.V))},
		Why:    both("min(v) = %d, first held by worker %d.", "min(v) = %d，最先由工作节点 %d 持有。", least, id),
		Source: algorithm("Algorithm 1, lines 4 and 9", "算法 1 第 4、9 行"),
		want:   sequence(both("worker, version: two numbers such as 2, 17", "工作节点, 版本：两个数，例如 2, 17"), int64(id), least)}
}

func daspState(d draw) Question {
	c, v, n := situation(d, pick(d, dasp.QIS, dasp.WSS, dasp.FSS))
	found := c.Decide(v, n)
	return Question{
		Text:   both("Workers 0, 1, … hold the versions v. A gradient of worker n arrives. In which state is n?", "工作节点 0、1、… 持有版本 v。工作节点 n 的梯度到达。n 处于哪个状态？"),
		Given:  append([]Given{is("v", listed(v.V)), is("n", n)}, thresholds(c)...),
		Why:    whyState(c, v, n, found),
		Source: algorithm("Algorithm 1, lines 3–13", "算法 1 第 3–13 行"), want: oneOf(int(found.State)-1, states...)}
}

// whyState reports which comparison of Algorithm 1 decided.
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

func daspWait(d draw) Question {
	c, v, n := situation(d, dasp.WSS)
	if _, id := v.Oldest(); d.from(1, 4) > 1 { // who is behind is slower, as a rule
		v.F[id] += v.F[n]
	}
	found := c.Decide(v, n)
	fi, fj := v.F[n], v.F[found.Until]
	why := both("id_min = %d, and T_wait = %v · (%s − %s) = %s ms.", "id_min = %d，T_wait = %v · (%s − %s) = %s 毫秒。", found.Until, c.Alpha,
		ms(fj), ms(fi), ms(found.Wait))
	if fj < fi {
		why = both("id_min = %d is the faster one, %s ms against %s ms: T_wait would be negative, and is %s.",
			"id_min = %d 反而更快，%s 毫秒对 %s 毫秒：T_wait 本应为负，取 %s。", found.Until, ms(fj), ms(fi), ms(found.Wait))
	}
	return Question{
		Text: both("Worker n is in WSS: of the versions v its own is too far ahead of the oldest one. f are the last iteration times. How long is "+
			"T_wait = α·(f_j − f_n), at least 0, where j = id_min is the oldest worker (of several the lowest number)?",
			"工作节点 n 处于 WSS：在版本 v 中，它比最旧的版本领先过多。f 是各工作节点上一次迭代的时间。T_wait = α·(f_j − f_n)（至少为 0）是多少？其中 j = id_min 为最旧的工作节点（并列时取编号最小者）。"),
		Given: []Given{is("v", listed(v.V)), is("n", n), in("f", allMs(v.F), milliseconds), is("α", c.Alpha)}, Why: why,
		Source: algorithm("Eq. (1) in this repository's reading; Algorithm 1, lines 9–11", "式 (1)（本仓库的解读）；算法 1 第 9–11 行"),
		want:   exactly(rat(int64(found.Wait), int64(time.Millisecond)), milliseconds)}
}

func daspWeight(d draw) Question {
	c := dasp.Config{Workers: d.from(2, 12)}
	n := c.Workers
	if d.coin() {
		w := c.Weight(dasp.QIS, 1)
		return Question{
			Text: both("A gradient arrives in QIS at a server of N workers. By which factor is it multiplied in the update?",
				"N 个工作节点的服务器收到一个处于 QIS 的梯度。更新中它乘以什么系数？"), Given: []Given{is("N", n)},
			Why:    both("QIS: Δw = (1/N)·g, %s.", "QIS：Δw = (1/N)·g，即 %s。", decimal(fraction(w))),
			Source: algorithm("Eq. (2) in this repository's reading", "式 (2)（本仓库的解读）"),
			want:   exactly(fraction(w), none)}
	}
	k := d.from(2, n)
	w := c.Weight(dasp.WSS, k)
	return Question{
		Text: both("The gradients of K waiting workers (WSS or FSS) of N become one update. By which factor is each multiplied?",
			"N 个工作节点中有 K 个在等待（WSS 或 FSS），它们的梯度合为一次更新。每个梯度乘以什么系数？"), Given: []Given{is("N", n), is("K", k)},
		Why:    both("WSS and FSS: Δw = (1/K)·Σ g, %s.", "WSS 与 FSS：Δw = (1/K)·Σ g，即 %s。", decimal(fraction(w))),
		Source: algorithm("Eq. (2) in this repository's reading", "式 (2)（本仓库的解读）"),
		want:   exactly(fraction(w), none)}
}

func daspUpdate(d draw) Question {
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
		text = both("A server of N workers holds the weights w; the gradients g_1 … of a waiting group become one update. The learning rate is γ. "+
			"What are the new weights?",
			"N 个工作节点的服务器持有权重 w；一组等待者的梯度 g_1 … 合为一次更新。学习率为 γ。新的权重是什么？")
	}
	return Question{Text: text, Given: given,
		Why: both("w − γ·weight·Σg, with the weight %s: the first entry is %v − %v · %s · %s = %v.", "w − γ·系数·Σg，系数为 %s：第一项为 %v − %v · %s · %s = %v。",
			decimal(fraction(weight)), before[0], rate, decimal(fraction(weight)), bracketed(total[0]), w[0]),
		Source: algorithm("Algorithm 2, line 7, and Eq. (2)", "算法 2 第 7 行与式 (2)"), want: sequence(both("two numbers such as 3, −0.5", "两个数，例如 3, −0.5"), w...)}
}

func daspVersion(d draw) Question {
	c, v, n := situation(d, dasp.QIS)
	given := []Given{is("v", listed(v.V)), is("v_new", v.Newest), is("n", n)}
	least, _ := v.Oldest()
	newest := v.Newest
	v.Updated()
	v.Handed(n)
	after, id := v.Oldest()
	return Question{
		Text: both("Workers hold the versions v, the newest is v_new. A gradient of worker n arrives in QIS: it is applied and n is answered. "+
			"Which version does n hold then, and which is v_min?",
			"各工作节点持有版本 v，最新版本为 v_new。工作节点 n 的一个 QIS 梯度到达：立即应用并答复 n。此后 n 持有哪个版本，v_min 是几？"),
		Given: append(given, thresholds(c)...),
		Why: both("The update makes version %d + 1 = %d, which n is handed. v_min was %d and is %d now, held by worker %d.",
			"更新产生版本 %d + 1 = %d，并交给 n。v_min 原为 %d，现为 %d，由工作节点 %d 持有。",
			newest, v.V[n], least, after, id),
		Source: algorithm("Algorithm 2, lines 7–9", "算法 2 第 7–9 行"),
		want:   sequence(both("v_n, v_min: two numbers such as 21, 17", "v_n, v_min：两个数，例如 21, 17"), v.V[n], after)}
}

func daspBound(d draw) Question {
	c, _, _ := situation(d, dasp.QIS)
	bound := formula.SpreadBound(c.Smax, c.Workers)
	return Question{
		Text: both("A WSS or FSS answer is held until its version is at most Smax ahead of everybody who stays behind; QIS answers are not "+
			"tested. With N workers, how far can the newest version be ahead of the oldest one held, at most?",
			"WSS 与 FSS 的答复要等到其版本至多比所有未答复者领先 Smax 才发出；QIS 的答复不作检验。N 个工作节点时，最新版本最多比被持有的最旧版本领先多少？"),
		Given: append([]Given{is("N", c.Workers)}, thresholds(c)...),
		Why: both("Smax + N − 2 = %d + %d − 2 = %d: after the last tested answer all workers but the oldest and the answered one may still take a QIS step each.",
			"Smax + N − 2 = %d + %d − 2 = %d：最后一次受检验的答复之后，除最旧者与被答复者外，其余工作节点还可各走一个 QIS 步。",
			c.Smax, c.Workers, bound),
		Source: both("ours: the proof at dasp.New; the paper promises Smax", "本仓库：dasp.New 处的证明；论文声称是 Smax"), want: whole(bound, none)}
}

// theServer tells the question's reader what to know of this repository's reading.
var theServer = both("A gradient in QIS is applied and answered at once. Gradients of waiting workers become one update: when T_wait of one "+
	"is over (WSS), or at once (FSS), but not before the new version is at most Smax ahead of every worker that is not answered with it.",
	"处于 QIS 的梯度立即应用并答复。等待者的梯度合为一次更新：当其中之一的 T_wait 结束（WSS），或立即（FSS）；但须等到新版本至多比每个不随之答复的工作节点领先 Smax。")

// draws bounds how many stories are told until one has a scene to ask about.
const draws = 20

func daspNext(d draw) Question {
	for range draws {
		c, f := crew(d)
		scenes := story(c, f, 60)
		kinds := map[int][]scene{}
		for i, s := range scenes {
			if i >= c.Workers && s.plain(c) {
				kinds[s.kind()] = append(kinds[s.kind()], s)
			}
		}
		if of := kinds[d.from(0, 4)]; len(of) > 0 {
			return next(c, of[d.IntN(len(of))])
		}
	}
	panic("quiz: no story has a scene of the kind drawn")
}

// crew draws workers one of which is a straggler: the thresholds, and how long their
// iterations take.
func crew(d draw) (c dasp.Config, f []time.Duration) {
	c = dasp.Config{Workers: d.from(3, 4), Smin: int64(d.from(1, 2)), Alpha: 0.5}
	c.Smax = c.Smin + int64(d.from(1, 2))
	for range c.Workers {
		f = append(f, time.Duration(2*d.from(5, 15))*time.Millisecond)
	}
	f[d.IntN(c.Workers)] *= time.Duration(d.from(2, 4))
	return c, f
}

// plain reports whether a scene is asked about: no gradient of a waiting worker is in
// the model already, every f is known, and where nothing happens one worker says why.
func (s scene) plain(c dasp.Config) bool {
	used := slices.ContainsFunc(s.waits, func(w waiting) bool { return w.applied })
	return !used && !slices.Contains(s.view.F, 0) && (s.kind() != 2 || s.behind(c.Smax) >= 0)
}

// next returns the question what the server does at a scene's event.
func next(c dasp.Config, s scene) Question {
	n := s.event.Worker
	text := []Text{theServer, both("Workers 0, 1, … hold the versions v, the newest is v_new; f are the last iteration times, and T_wait = "+
		"α·(f_j − f_n), at least 0, j being the oldest worker.",
		"工作节点 0、1、… 持有版本 v，最新为 v_new；f 是上一次迭代的时间，T_wait = α·(f_j − f_n)（至少为 0），j 为最旧的工作节点。")}
	for i, w := range s.waits {
		switch {
		case w.state == dasp.FSS:
			text = append(text, both("Worker %d waits in FSS.", "工作节点 %d 在 FSS 中等待。", i))
		case w.state == dasp.WSS && w.due == 0:
			text = append(text, both("Worker %d waits in WSS; its T_wait is over.", "工作节点 %d 在 WSS 中等待；其 T_wait 已结束。", i))
		case w.state == dasp.WSS && !(i == n && s.event.Kind == dasp.EventTimer):
			text = append(text, both("Worker %d waits in WSS until %s ms.", "工作节点 %d 在 WSS 中等待到 %s 毫秒。", i, ms(w.due)))
		}
	}
	happens := both("At t the gradient of worker n arrives.", "t 时刻工作节点 n 的梯度到达。")
	if s.event.Kind == dasp.EventTimer {
		happens = both("At t the T_wait of worker n, who is in WSS, is over.", "t 时刻，处于 WSS 的工作节点 n 的 T_wait 结束。")
	}
	text = append(text, happens, both("To which workers does the server send weights at once?", "服务器立即向哪些工作节点发送权重？"))
	given := append(thresholds(c), is("α", c.Alpha), is("v", listed(s.view.V)), is("v_new", s.view.Newest), in("f", allMs(s.view.F), milliseconds),
		in("t", ms(s.event.At), milliseconds), is("n", n))
	return Question{Text: sentences(text...), Given: given, Why: s.why(c), Source: algorithm("Algorithms 1 and 2, as dasp.New puts them together",
		"算法 1 与算法 2，按 dasp.New 的组合"), want: set(s.answered())}
}

// why explains what the policy ordered.
func (s scene) why(c dasp.Config) Text {
	n, version := s.event.Worker, s.view.Newest
	var told []Text
	if s.event.Kind == dasp.EventPush {
		told = append(told, whyState(c, s.view, n, s.found))
	}
	for _, o := range s.orders {
		switch o.Kind {
		case dasp.SetTimer:
			told = append(told, both("T_wait = %s ms from the times of workers %d and %d: the server waits until %s ms and answers nobody now.",
				"T_wait = %s 毫秒，由工作节点 %d 与 %d 的时间得出：服务器等到 %s 毫秒，现在不答复任何工作节点。",
				ms(s.found.Wait), n, s.found.Until, ms(o.At)))
		case dasp.Apply:
			version++
			told = append(told, both("Version %d is made of the gradients of %s, each times %s.",
				"版本 %d 由 %s 的梯度得到，每个乘以 %s。", version, setOf(o.Workers), decimal(fraction(o.Weight))))
		}
	}
	if got := s.answered(); len(got) > 0 {
		told = append(told, both("Weights go to %s.", "权重发给 %s。", setOf(got)))
	} else if s.kind() == 2 {
		i := s.behind(c.Smax)
		told = append(told, both("The next version, %d, would be %d ahead of worker %d, who holds %d: more than Smax = %d, so everybody who waits goes on waiting.",
			"下一个版本 %d 会比持有 %[4]d 的工作节点 %[3]d 领先 %[2]d：大于 Smax = %[5]d，所以等待者继续等待。",
			version+1, version+1-s.view.V[i], i, s.view.V[i], c.Smax))
	}
	return sentences(told...)
}

// scene is one event of a run: what the server knew, and what it ordered.
type scene struct {
	view   dasp.View // before the event, but for f of it
	waits  []waiting // before the event
	event  dasp.Event
	found  dasp.Decision // of a push
	orders []dasp.Action
}

// waiting is a worker whose gradient is at the server.
type waiting struct {
	state   dasp.State // 0: it computes
	due     time.Duration
	applied bool // its gradient is in the model already
}

// story runs DASP's policy on the given number of events of workers whose iterations take f.
// Messages take no time: only the order of events matters to a policy.
func story(c dasp.Config, f []time.Duration, events int) []scene {
	policy := kit.Must(dasp.New(c))
	open := policy.(interface{ View() dasp.View })
	waits, next := make([]waiting, c.Workers), slices.Clone(f)
	var scenes []scene
	for range events {
		event, ok := earliest(waits, next, f)
		if !ok {
			panic(fmt.Sprintf("quiz: nobody of %d workers computes or has a timer", c.Workers))
		}
		s := scene{view: cloned(open.View()), waits: slices.Clone(waits), event: event}
		n := event.Worker
		if event.Kind == dasp.EventPush {
			s.view.Finished(n, event.Compute)
			s.found = c.Decide(s.view, n)
			waits[n].state = s.found.State
		} else {
			waits[n].due = 0
		}
		for _, order := range policy.Step(event) {
			order.Workers = slices.Clone(order.Workers)
			s.orders = append(s.orders, order)
			for _, w := range order.Workers {
				switch order.Kind {
				case dasp.Apply:
					waits[w].applied = true
				case dasp.SetTimer:
					waits[w].due = order.At
				case dasp.Reply:
					waits[w], next[w] = waiting{}, event.At+f[w]
				}
			}
		}
		scenes = append(scenes, s)
	}
	return scenes
}

// earliest returns the next event: a timer before a push of the same instant, and the lowest
// worker first.
func earliest(waits []waiting, next, f []time.Duration) (e dasp.Event, ok bool) {
	for i, w := range waits {
		at, kind, compute := next[i], dasp.EventPush, f[i]
		if w.state != 0 {
			at, kind, compute = w.due, dasp.EventTimer, 0
			if at == 0 {
				continue // it waits for others
			}
		}
		if !ok || at < e.At || at == e.At && kind == dasp.EventTimer && e.Kind == dasp.EventPush {
			e, ok = dasp.Event{Kind: kind, Worker: i, At: at, Compute: compute}, true
		}
	}
	return e, ok
}

func cloned(v dasp.View) dasp.View {
	return dasp.View{V: slices.Clone(v.V), F: slices.Clone(v.F), Present: slices.Clone(v.Present), Newest: v.Newest}
}

// kind returns what a scene shows, so that rare ones are asked as often as common ones.
func (s scene) kind() int {
	applied, replied := 0, 0
	for _, o := range s.orders {
		switch o.Kind {
		case dasp.SetTimer:
			return 1
		case dasp.Apply:
			applied += len(o.Workers)
		case dasp.Reply:
			replied++
		}
	}
	switch {
	case replied == 0:
		return 2 // held
	case applied > 1:
		return 3 // a group
	case s.event.Kind == dasp.EventPush && s.found.State == dasp.QIS:
		return 0
	}
	return 4 // a group of one
}

// answered returns the workers that the server sends weights to, ascending.
func (s scene) answered() (workers []int) {
	for _, o := range s.orders {
		if o.Kind == dasp.Reply {
			workers = append(workers, o.Workers...)
		}
	}
	slices.Sort(workers)
	return workers
}

// behind returns a worker who has certainly no part in an answer now, and whom a new version would
// be more than smax ahead of; −1: there is none.
func (s scene) behind(smax int64) int {
	for i, w := range s.waits {
		busy := w.state == 0 && i != s.event.Worker
		later := w.state == dasp.WSS && w.due > s.event.At
		if (busy || later) && s.view.Newest+1-s.view.V[i] > smax {
			return i
		}
	}
	return -1
}
