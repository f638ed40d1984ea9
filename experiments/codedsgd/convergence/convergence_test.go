package convergence

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// What one exhibit trained and timed, the next takes from the memo: a command trains once. A cancelled command needs no
// time for what is there, and shows nothing of a exhibit that is not whole.
func TestFiguresShareTrainings(t *testing.T) {
	oktest.Slow(t)
	memo := kittest.Memo{}
	env := exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: kittest.Engine(), Memo: memo}
	first := oktest.Must(fig8().Run(t.Context(), env))(t)
	trainings := func() (n int) {
		for _, raw := range memo {
			if strings.Contains(string(raw), "Accuracy") {
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
		if _, err := e.Run(cancelled, env); err != nil {
			t.Errorf("%s trains what fig. 8 has trained: %v", e.ID, err)
		}
	}
	again := oktest.Must(fig8().Run(cancelled, env))(t)
	a, _ := json.Marshal(first)
	if b, _ := json.Marshal(again); string(a) != string(b) {
		t.Error("from the memo fig. 8 says something else")
	}
	res, err := fig14().Run(cancelled, env)
	if err == nil || res.Status != "incomplete" || len(res.Frames)+len(res.Claims)+len(res.Facts)+len(res.Seeds) != 0 {
		t.Errorf("interrupted: %v, status %s, %d frames, seeds %v", err, res.Status, len(res.Frames), res.Seeds)
	}
	oktest.Must(fig14().Run(t.Context(), env))(t)
	if n := trainings(); n != 5 { // and ASGD on 2 nodes
		t.Errorf("figs. 8 and 14 train %d times, want 5", n)
	}
}

// A plan of all counts every part once, and no exhibit estimates less than its parts.
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

// Where CSSGD is below a rival, and the words for a saving, follow the numbers.
func TestWhereCSSGDIsBelow(t *testing.T) {
	if than(12.3) != "less" || than(-12.3) != "more" || than(math.NaN()) != "" {
		t.Errorf("%s, %s, %q", than(12.3), than(-12.3), than(math.NaN()))
	}
	cs := []iterations{at(2, [4]float64{9, 9, 4}, [4]float64{}), at(4, [4]float64{9, 7, 8, 4}, [4]float64{})}
	for _, c := range []struct {
		cs   []iterations
		want string
	}{{cs, "[map[nodes:[2] r:2] map[nodes:[4] r:3]]"}, {[]iterations{at(4, [4]float64{1, 1, 2, 1}, [4]float64{})}, "[]"}, {cs[:1], "[map[nodes:[2] r:2]]"}} {
		if got := fmt.Sprint(lowerOn(c.cs, timing.Judged, timing.Multicast, secondsIn)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
