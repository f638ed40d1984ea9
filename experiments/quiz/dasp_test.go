package quiz

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

var (
	inFSS    = regexp.MustCompile(`Worker (\d) waits in FSS\.`)
	inWSS    = regexp.MustCompile(`Worker (\d) waits in WSS until`)
	overWait = regexp.MustCompile(`Worker (\d) waits in WSS; its T_wait is over\.`)
)

// TestNextFollowsFromItsText: whoever knows the question's text alone, and no more of
// the server than its first sentences say, finds the answer.
func TestNextFollowsFromItsText(t *testing.T) {
	answers := map[int]int{} // by number of workers
	for seed := range uint64(seeds) {
		q := kindOf(t, "dasp.next", seed)
		solved := solve(t, q)
		answers[len(solved)]++
		if right, _ := q.judge(set(solved).show(English)); !right {
			t.Fatalf("seed %d: the text gives %v, the server answers %s: %s %s", seed, solved, q.Answer(English), q.Text.EN, givenOf(q))
		}
	}
	if answers[0] < seeds/10 || answers[1] < seeds/10 || answers[2] < seeds/40 || answers[3] == 0 {
		t.Errorf("how many workers are answered: %v", answers)
	}
}

// solve returns the question's own text, put to work.
func solve(t *testing.T, q Question) (answered []int) {
	t.Helper()
	numbers := map[string][]float64{}
	for _, g := range q.Given {
		var x []float64
		if err := json.Unmarshal([]byte("["+strings.Trim(g.Value, "[]")+"]"), &x); err != nil {
			t.Fatalf("%s = %s: %v", g.Symbol, g.Value, err)
		}
		numbers[g.Symbol] = x
	}
	v, f, newest, n := numbers["v"], numbers["f"], numbers["v_new"][0], int(numbers["n"][0])
	group, due := workersOf(inWSS, q), map[int]bool{}
	for _, i := range append(workersOf(inFSS, q), workersOf(overWait, q)...) {
		group, due[i] = append(group, i), true
	}
	least := slices.Min(v)
	switch gap := v[n] - least; {
	case !strings.Contains(q.Text.EN, "gradient of worker n arrives"): // its time is over
		group, due[n] = append(group, n), true
	case gap <= numbers["Smin"][0]:
		newest++
		v[n], answered = newest, []int{n}
	case gap <= numbers["Smax"][0]:
		group, due[n] = append(group, n), f[slices.Index(v, least)] <= f[n]
	default:
		group, due[n] = append(group, n), true
	}
	ready := slices.DeleteFunc(group, func(i int) bool { return !due[i] })
	for i := range v {
		if !slices.Contains(ready, i) && newest+1-v[i] > numbers["Smax"][0] {
			return answered
		}
	}
	return append(answered, ready...)
}

func workersOf(pattern *regexp.Regexp, q Question) (workers []int) {
	for _, m := range pattern.FindAllStringSubmatch(q.Text.EN, -1) {
		i, _ := strconv.Atoi(m[1])
		workers = append(workers, i)
	}
	return workers
}

// TestStory: workers push f after they were answered, timers ring when they were set
// for, and the versions are those that the orders made.
func TestStory(t *testing.T) {
	f := []time.Duration{30 * time.Millisecond, 7 * time.Millisecond, 12 * time.Millisecond, 19 * time.Millisecond}
	scenes := story(dasp.Config{Workers: len(f), Smin: 1, Smax: 3, Alpha: 0.5}, f, 200)
	next, timer := slices.Clone(f), make([]time.Duration, len(f))
	var newest int64
	var last time.Duration
	seen := map[dasp.EventKind]int{}
	for i, s := range scenes {
		n, want := s.event.Worker, next[s.event.Worker]
		if s.event.Kind == dasp.EventTimer {
			want = timer[n]
		}
		if s.event.At != want || s.event.At < last || s.view.Newest != newest {
			t.Fatalf("event %d: %+v at version %d, want it at %v, after %v, at version %d", i, s.event, s.view.Newest, want, last, newest)
		}
		last = s.event.At
		seen[s.event.Kind]++
		timer[n] = 0
		for _, o := range s.orders {
			switch o.Kind {
			case dasp.Apply:
				newest++
			case dasp.SetTimer:
				timer[n] = o.At
			case dasp.Reply:
				next[o.Workers[0]], timer[o.Workers[0]] = last+f[o.Workers[0]], 0
			}
		}
		for w, at := range timer {
			if at > 0 && at < last {
				t.Fatalf("event %d at %v: the timer of worker %d was set for %v", i, last, w, at)
			}
		}
	}
	if seen[dasp.EventTimer] < 5 || seen[dasp.EventPush] < 50 {
		t.Errorf("events by kind: %v", seen)
	}
}

// TestTimersComeFirst: a timer before a push of the same instant, and the lowest worker
// first; else a text would say of someone that it waits until now.
func TestTimersComeFirst(t *testing.T) {
	same := 0
	for seed := range uint64(300) {
		c, f := crew(draw{cluster.Stream(seed, 0, "", "timers come first")})
		scenes := story(c, f, 60)
		for i, s := range scenes {
			for w, other := range s.waits {
				if other.state != 0 && other.due == s.event.At && (s.event.Kind != dasp.EventTimer || w < s.event.Worker) {
					t.Fatalf("seed %d, event %d: %+v although the timer of worker %d is due", seed, i, s.event, w)
				}
			}
			if i > 0 && s.event.Kind == dasp.EventPush && scenes[i-1].event.Kind == dasp.EventTimer && scenes[i-1].event.At == s.event.At {
				same++
			}
		}
	}
	if same < 10 {
		t.Errorf("only %d pushes at the instant of a timer", same)
	}
	at := []time.Duration{5, 5, 5}
	for n, c := range []struct {
		waits []waiting
		want  int // worker; −1: none
	}{{make([]waiting, 3), 0}, {[]waiting{{state: dasp.FSS}, {}, {}}, 1}, {[]waiting{{}, {state: dasp.WSS, due: 5}, {state: dasp.WSS, due: 5}}, 1},
		{[]waiting{{}, {state: dasp.WSS, due: 6}, {}}, 0}, {[]waiting{{state: dasp.FSS}, {state: dasp.FSS}, {state: dasp.WSS}}, -1}} {
		if e, ok := earliest(c.waits, at, at); ok != (c.want >= 0) || ok && e.Worker != c.want {
			t.Errorf("case %d: %+v, %t, want worker %d", n, e, ok, c.want)
		}
	}
}

// TestPlainScenes: what a text cannot say in few words is not asked: a waiting worker
// whose gradient was used, and a wait that no single worker explains.
func TestPlainScenes(t *testing.T) {
	asked, used, unexplained := map[int]int{}, 0, 0
	for seed := range uint64(3000) {
		c, f := crew(draw{cluster.Stream(seed, 0, "", "plain scenes")})
		scenes := story(c, f, 60)
		for _, s := range scenes[c.Workers:] {
			hard := 0
			if slices.ContainsFunc(s.waits, func(w waiting) bool { return w.applied }) {
				used, hard = used+1, hard+1
			}
			if s.kind() == 2 && s.behind(c.Smax) < 0 {
				unexplained, hard = unexplained+1, hard+1
			}
			if s.plain(c) == (hard > 0) && !slices.Contains(s.view.F, 0) {
				t.Fatalf("seed %d: plain is %t of %+v", seed, s.plain(c), s)
			}
			if s.plain(c) {
				asked[s.kind()]++
			}
		}
	}
	if used == 0 || unexplained == 0 || len(asked) != 5 {
		t.Errorf("%d scenes with a used gradient, %d unexplained, asked by kind: %v", used, unexplained, asked)
	}
}
