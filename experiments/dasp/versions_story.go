package dasp

import (
	"fmt"
	"slices"

	"gradsync/experiments/result"
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
	return logged(r, "dasp/versions/story/", "story of "+title[method], cfg, func(o *train.Outcome) (storyLine, error) {
		policy, err := rivals.New(method, *cfg.Options)
		if err != nil {
			return storyLine{}, err
		}
		return follow(o.Log, policy, storyConfig.Worker, storyConfig.SlowPushes)
	})
}

// follow notes both gaps of worker w until the slowest worker has pushed so
// often.
func follow(l *dasp.Log, policy dasp.Policy, w int, slowPushes int64) (storyLine, error) {
	var s storyLine
	over := false
	err := replay(l, policy, dasp.DurationCompute, func(sight) {}, func(now sight) {
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
		"Only a push of the slow worker lowers either; the clock gap by one, the version gap to what the others hold.", storyConfig.Worker+1, storyConfig.SlowPushes)
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

// vainFigure draws the share of pushes made to wait and in vain by cluster and
// model. Shares of waits would have no bar where nobody waited.
func vainFigure(g censusGrid) result.Figure {
	f := result.Figure{ID: "versions-vain", Title: "Waits by clocks, and those in vain", Kind: result.TimingOnly, Form: "bar",
		Caption: fmt.Sprintf("Share of pushes that SSP (s = %d) and DSSP make wait, and the part of it whose worker was not ahead in versions (by Smin), at %s; error bars: 95 %% interval over seeds. %s",
			sspBound, referenceLink, whatAhead),
		X: result.Axis{Title: "cluster, model"}, Y: result.Axis{Title: "share of pushes", Unit: "%"}, Alt: "Bars, waits and those in vain:"}
	for _, cluster := range versionClusters {
		for _, m := range models {
			f.X.Categories = append(f.X.Categories, clusterTitle[cluster]+", "+title[m])
		}
	}
	for _, method := range clockMethods {
		waits, vain := result.Series{Name: title[method] + ", waits"}, result.Series{Name: title[method] + ", in vain"}
		f.Alt += " " + title[method]
		for i, c := range f.X.Categories {
			list := g[versionClusters[i/len(models)]][referenceLink][models[i%len(models)]][method]
			var w, v []float64
			for _, c := range list {
				held, all := c.waited()
				w, v = append(w, 100*float64(held)/float64(all)), append(v, 100*float64(c.Count[bySmin][1][0])/float64(all))
			}
			bar(&waits, i, w)
			bar(&vain, i, v)
			f.Alt += fmt.Sprintf(" %s %.0f and %.0f %%;", c, waits.Y[i], vain.Y[i])
		}
		f.Series = append(f.Series, waits, vain)
	}
	return f
}

// bar adds the mean of x at place i, with its interval where there is one; a
// share of pushes stays between 0 and 100.
func bar(s *result.Series, i int, x []float64) {
	mean, half := meanAndHalf(x)
	s.X, s.Y = append(s.X, float64(i)), append(s.Y, mean)
	if len(x) > 1 {
		s.Lo, s.Hi = append(s.Lo, max(mean-half, 0)), append(s.Hi, min(mean+half, 100))
	}
}
