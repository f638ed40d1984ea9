package quiz

import (
	"errors"
	"slices"
	"time"

	"gradsync/papers/dasp"
)

// theServer is what the question's reader must know of this repository's reading.
var theServer = both("A gradient in QIS is applied and answered at once. Gradients of waiting workers become one update: when T_wait of one is over (WSS), or at once (FSS), but not before the new version is at most Smax ahead of every worker that is not answered with it.",
	"处于 QIS 的梯度立即应用并答复。等待者的梯度合为一次更新：当其中之一的 T_wait 结束（WSS），或立即（FSS）；但须等到新版本至多比每个不随之答复的工作节点领先 Smax。")

// draws bounds how many stories are told until one has a scene to ask about.
const draws = 20

func daspNext(d draw) (Question, error) {
	for range draws {
		c, f := crew(d)
		scenes, err := story(c, f, 60)
		if err != nil {
			return Question{}, err
		}
		kinds := map[int][]scene{}
		for i, s := range scenes {
			if i >= c.Workers && s.plain(c) {
				kinds[s.kind()] = append(kinds[s.kind()], s)
			}
		}
		if of := kinds[d.from(0, 4)]; len(of) > 0 {
			return next(c, of[d.IntN(len(of))]), nil
		}
	}
	return Question{}, errors.New("quiz: no story has a scene of the kind drawn")
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

// next is the question what the server does at a scene's event.
func next(c dasp.Config, s scene) Question {
	n := s.event.Worker
	text := []Text{theServer, both("Workers 0, 1, … hold the versions v, the newest is v_new; f are the last iteration times, and T_wait = α·(f_j − f_n), at least 0, j being the oldest worker.",
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

// why tells what the policy ordered.
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
