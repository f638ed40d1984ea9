package codedsgd

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gradsync/experiments/exp"
)

// What one figure trained and timed, the next takes from the memo: a command trains
// once. A cancelled command needs no time for what is there, and shows nothing of a
// figure that is not whole.
func TestFiguresShareTrainings(t *testing.T) {
	memo := shelf{}
	env := exp.Env{Profile: "ci", Seeds: []uint64{0}, Memo: memo}
	first, err := fig8().Old(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	trainings := func() (n int) {
		for key := range memo {
			if strings.HasPrefix(key, "codedsgd/trajectory/") {
				n++
			}
		}
		return n
	}
	// On 4 nodes synchronous, as whole gradients, and ASGD; on 2 nodes synchronous.
	if n := trainings(); n != 4 {
		t.Errorf("fig. 8 trains %d times, want 4", n)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range []exp.Experiment{fig4(), fig6(), fig9()} {
		if _, err := e.Old(cancelled, env); err != nil {
			t.Errorf("%s trains what fig. 8 has trained: %v", e.ID, err)
		}
	}
	again, err := fig8().Old(cancelled, env)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(first)
	b, _ := json.Marshal(again)
	if string(a) != string(b) {
		t.Error("from the memo fig. 8 says something else")
	}
	res, err := fig14().Old(cancelled, env)
	if err == nil || res.Status != "incomplete" || len(res.Tables)+len(res.Claims)+len(res.Figures) != 0 || !strings.HasPrefix(res.Notes[0], "Interrupted") {
		t.Errorf("interrupted: %v, status %s, %d tables", err, res.Status, len(res.Tables))
	}
	if _, err := fig14().Old(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	if n := trainings(); n != 5 { // and ASGD on 2 nodes
		t.Errorf("figs. 8 and 14 train %d times, want 5", n)
	}
}

// A plan of all counts every part once, and no figure estimates less than its parts.
func TestSharesAreOfSeconds(t *testing.T) {
	sum, parts := 0.0, map[string]float64{}
	for _, e := range []exp.Experiment{table2(), fig4(), fig5(), fig6(), fig7(), fig8(), fig9(), fig10(), fig11(), fig14(), fig15()} {
		own := 0.0
		for name, seconds := range e.Shares("quick", 3) {
			own += seconds
			if was, ok := parts[name]; ok && was != seconds {
				t.Errorf("%s: part %q costs %g s, elsewhere %g", e.ID, name, seconds, was)
			}
			parts[name] = seconds
		}
		if total := e.Seconds("quick", 3); total < own {
			t.Errorf("%s: %g s, its parts %g", e.ID, total, own)
		}
		sum += e.Seconds("quick", 3) - own
	}
	for _, seconds := range parts {
		sum += seconds
	}
	if len(parts) != 8 || sum > 150 {
		t.Errorf("%d parts, %g s together", len(parts), sum)
	}
}

// Words about savings follow the number.
func TestWords(t *testing.T) {
	if got := saving(12.34) + " X's"; got != "saves 12.3 % of X's" {
		t.Error(got)
	}
	if got := saving(-12.34) + " X's"; got != "takes 12.3 % more than X's" {
		t.Error(got)
	}
	cs := []crossing{at(2, [4]float64{9, 9, 4}, [4]float64{}), at(4, [4]float64{9, 7, 8, 4}, [4]float64{})}
	if got := lowerOn(cs, judged, multicast, secondsIn); got != "r = 2 on 2 nodes and r = 3 on 4 nodes" {
		t.Error(got)
	}
	if got := lowerOn([]crossing{at(4, [4]float64{1, 1, 2, 1}, [4]float64{})}, judged, multicast, secondsIn); got != "no r on any number of nodes" {
		t.Error(got)
	}
	if got := lowerOn(cs[:1], judged, multicast, secondsIn); got != "r = 2 on 2 nodes" {
		t.Error(got)
	}
}
