package dasp

import (
	"fmt"
	"slices"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// storyConfig says whose gaps are drawn: the first worker's, one of the five
// fast ones, until the slow worker has pushed so often.
var storyConfig = struct {
	Cluster, Model string
	Worker         int
	SlowPushes     int64
}{straggler, "lenet5", 0, 8}

// storyMethods are drawn: SSP, and ASP, which shows the gaps when nobody waits.
var storyMethods = []string{"ssp", "asp"}

// storyLine is one worker's two gaps after each push of anybody.
type storyLine struct {
	Ms             []float64 // virtual time of the push
	Clock, Version []int64   // t_n − min(t), v_n − min(v)
}

// story runs a method and follows the worker.
func (r *runs) story(method string, seed uint64) (storyLine, error) {
	cfg := timing(load(storyConfig.Cluster), method, storyConfig.Model, seed)
	return logged(r, "dasp/versions/story/", "story of "+title[method], 1, cfg, func(o *train.Outcome) (storyLine, error) {
		fresh := func() (dasp.Policy, error) { return rivals.New(method, *cfg.Options) }
		return follow(o.Log, fresh, storyConfig.Worker, storyConfig.SlowPushes)
	})
}

// follow notes both gaps of worker w until the slowest worker has pushed so
// often.
func follow(l *dasp.Log, fresh func() (dasp.Policy, error), w int, slowPushes int64) (storyLine, error) {
	var s storyLine
	over := false
	err := retrace(l, fresh, dasp.DurationCompute, func(sight) {}, func(now sight) {
		if over {
			return
		}
		over = slices.Min(now.Clocks) >= slowPushes
		oldest, _ := now.View.Oldest()
		s.Ms = append(s.Ms, 1e3*l.Pushes[now.Index].Received.Seconds())
		s.Clock = append(s.Clock, now.Clocks[w]-slices.Min(now.Clocks))
		s.Version = append(s.Version, now.View.V[w]-oldest)
	})
	return s, err
}

// figure draws the gaps as steps: each holds until the next push.
func (s storyLine) figure(method string) result.Figure {
	f := result.Figure{ID: "gaps-" + method, Title: fmt.Sprintf("Clock gap and version gap of a fast worker under %s", title[method]), Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "ahead of the slowest (clocks) or oldest (versions)"},
		Series: []result.Series{steps("clock gap", s.Ms, s.Clock), steps("version gap", s.Ms, s.Version)}}
	f.Caption = fmt.Sprintf("LeNet-5, five workers and one six times slower; worker %d is one of the five, until the slow worker's push %d. "+
		"Clock gap: its pushes minus the slowest worker's. Version gap: the version it holds minus the oldest that anybody holds. "+
		"The clock gap falls by one when the slowest worker pushes; the version gap falls to what the others hold when the oldest is handed the newest version.", storyConfig.Worker+1, storyConfig.SlowPushes)
	f.Alt = fmt.Sprintf("%s over %.3g ms: the clock gap ends at %d of at most %d, and is 0 or 1 in the second half at %d of %d pushes; the version gap ends at %d of at most %d, and falls to 0 or 1 in the second half at %d of %d.",
		title[method], last(s.Ms), last(s.Clock), slices.Max(s.Clock), lowHalf(s.Clock), len(s.Clock)-len(s.Clock)/2,
		last(s.Version), slices.Max(s.Version), lowHalf(s.Version), len(s.Version)-len(s.Version)/2)
	return f
}

// steps turns values at instants into a line of steps.
func steps(name string, x []float64, y []int64) result.Series {
	s := result.Series{Name: name}
	for i := range x {
		if i > 0 {
			s.X, s.Y = append(s.X, x[i]), append(s.Y, float64(y[i-1]))
		}
		s.X, s.Y = append(s.X, x[i]), append(s.Y, float64(y[i]))
	}
	return s
}

func last[T any](x []T) (zero T) {
	if len(x) == 0 {
		return zero
	}
	return x[len(x)-1]
}

// lowHalf counts the values of at most 1 in the second half.
func lowHalf(x []int64) (n int) {
	for _, v := range x[len(x)/2:] {
		if v <= 1 {
			n++
		}
	}
	return n
}
