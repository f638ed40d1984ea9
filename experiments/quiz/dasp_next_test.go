package quiz

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
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
		if right, _ := q.Judge(set(solved).show(English)); !right {
			t.Fatalf("seed %d: the text gives %v, the server answers %s: %s %s", seed, solved, q.Answer(English), q.Text.EN, givenOf(q))
		}
	}
	if answers[0] < seeds/10 || answers[1] < seeds/10 || answers[2] < seeds/40 || answers[3] == 0 {
		t.Errorf("how many workers are answered: %v", answers)
	}
}

// solve is the question's own text, put to work.
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
