package dasp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// dynCase is a model, on the clusters' own links or on faster ones.
type dynCase struct {
	Model string  `json:"model"`
	Link  float64 `json:"link"` // bytes/s of every NIC; 0: the platform's own
}

// dynFast is the link on which devices, not the server's NIC, set the pace of the large
// models: InfiniBand as in DSSP's paper, the fastest of the plausible.
const dynFast = 12.5e9

var dynLeNet = dynCase{Model: "lenet5"}

// key returns the case's key of the enumeration "case".
func (c dynCase) key() string {
	if c.Link > 0 {
		return c.Model + "-fast"
	}
	return c.Model
}

func dynCases(profile string) []dynCase {
	if profile == "ci" {
		return []dynCase{dynLeNet, {"vgg19_bn", dynFast}}
	}
	return []dynCase{dynLeNet, {"resnet18", 0}, {"vgg19_bn", 0}, {"resnet18", dynFast}, {"vgg19_bn", dynFast}}
}

// dynPerWorker returns the iterations of each worker in a timing run.
func dynPerWorker(profile string) int64 {
	if profile == "ci" {
		return 90
	}
	return 250
}

// dynPoint is a run: a case in a scenario, by a method.
type dynPoint struct {
	Case             dynCase
	Scenario, Method string
	Setting          string // a name of dynSettings; "": the tables' bounds
	Learn            bool   // trained, not timed only
}

func (p dynPoint) with(method string) dynPoint { p.Method = method; return p }
func (p dynPoint) in(scenario string) dynPoint { p.Scenario = scenario; return p }

// before returns p in the scenario of the same speeds that never change hands.
func (p dynPoint) before() dynPoint { return p.in(dynScenarioOf(p.Scenario).Against) }

// dynLesson is a scenario that LeNet-5 is trained in, with the one it is compared with: the
// cluster of table 7 or 6, as it is, whose runs are those tables' own.
type dynLesson struct{ key, against string }

func dynLessons(profile string) []dynLesson {
	all := []dynLesson{{"static", ""}, {"steps", "static"}, {"undisturbed", ""}, {"bursts", "undisturbed"}}
	if profile == "ci" {
		return all[:2]
	}
	return all
}

// dynSetting is a method with its bounds: SSP's, in clocks, or DASP's thresholds, in versions.
type dynSetting struct {
	Method, Name string
	Options      rivals.Options
}

func dynSettings(profile string) (out []dynSetting) {
	bounds, pairs := []int64{0, 1, 2, 3, 4, 6, 8}, [][2]int64{{1, 2}, {smin, smax}, {6, 12}, {12, 24}, {18, 36}}
	if profile == "ci" {
		bounds, pairs = []int64{0, 1, sspBound}, [][2]int64{{smin, smax}, {6, 12}}
	}
	for _, s := range bounds {
		o := options()
		o.Staleness = s
		out = append(out, dynSetting{"ssp", fmt.Sprintf("s=%d", s), o})
	}
	for _, p := range pairs {
		o := options()
		o.Smin, o.Smax = p[0], p[1]
		out = append(out, dynSetting{"dasp", fmt.Sprintf("Smin=%d,Smax=%d", p[0], p[1]), o})
	}
	return out
}

// dynTraded are the scenarios in which LeNet-5 is timed at every setting.
var dynTraded = []string{"static", "steps", "bursts"}

// dynamic asks what the methods make of speeds that change during the run. H1 to H3 were
// written before its first run, H4 after the first run of the others and before the first of
// its own; dynamic_judge.go says when each holds. The words are the notebook's.
//
// Times are per push: with every worker always under way that is N·time/gradients, so that
// ASP, which never waits, is the control: the speeds only change hands, and its factor is 1.
// Per worker it would not be, because a mean over workers weighs a permanently slow one as
// much as a fast one.
func dynamic() kit.Study[dynPoint, dynCell] {
	return kit.Study[dynPoint, dynCell]{ID: "dasp/dynamic", Source: "DASP, §1 and §2", Kind: result.Trained, Profiles: exp.Profiles,
		Points: dynPoints, Config: dynConfig, Measure: dynMeasure, Show: dynShow,
		Cost: func(profile string, p dynPoint) (string, float64) {
			s := sizeOf(profile, "lenet5")
			switch {
			case !p.Learn:
				return "dasp/dynamic", 0.015 * float64(dynPerWorker(profile)) / 150
			case dynScenarioOf(p.Scenario).Against != "":
				return "dasp/dynamic", s.seconds(s.Pushes)
			}
			return dynScenarioOf(p.Scenario).Base + ", lenet5", s.seconds(s.Pushes) // of tables 7 and 6
		}}
}

func dynPoints(profile string) (out []dynPoint) {
	for _, c := range dynCases(profile) {
		for _, s := range dynScenarios {
			for _, m := range methods {
				out = append(out, dynPoint{Case: c, Scenario: s.Key, Method: m})
			}
		}
	}
	for _, key := range dynTraded {
		for _, x := range dynSettings(profile) {
			out = append(out, dynPoint{Case: dynLeNet, Scenario: key, Method: x.Method, Setting: x.Name})
		}
	}
	for _, l := range dynLessons(profile) {
		for _, m := range methods {
			out = append(out, dynPoint{Case: dynLeNet, Scenario: l.key, Method: m, Learn: true})
		}
	}
	return out
}

func dynConfig(profile string) map[string]any {
	bases := map[string]any{}
	for _, s := range dynScenarios {
		bases[s.Base] = kit.Platform(load(s.Base))
	}
	scenarios := kit.Map(dynScenarios, func(s dynScenario) map[string]string {
		return map[string]string{"key": s.Key, "platform": s.Base, "against": s.Against}
	})
	lessons := kit.Map(dynLessons(profile), func(l dynLesson) string { return l.key })
	settings := kit.Map(dynSettings(profile), func(x dynSetting) map[string]any {
		return map[string]any{"method": x.Method, "bounds": x.Name, "options": x.Options}
	})
	return map[string]any{"platforms": bases, "scenarios": scenarios, "cases": dynCases(profile), "methods": methods, "options": options(),
		"batch": fullBatch, "gradients": workers * dynPerWorker(profile), "warmup": warmup, "launch": train.DefaultLaunch,
		"overhead": train.DefaultOverhead,
		"training": sizeOf(profile, "lenet5"), "evaluation_images": evalImage, "trained_scenarios": lessons,
		"schedule": map[string]any{"deal": []int{dynDealFrom, dynDealTo}, "calm": []int{dynCalmFrom, dynCalmTo},
			"burst":      []int{dynBurstFrom, dynBurstTo},
			"first_calm": dynFirstCalm, "burst_factor": dynBurstFactor, "forget": dynForget, "horizon": dynHorizon, "pace_gradients": dynPaceGradients},
		"windows":  map[string]any{"before": dynBefore, "after": dynAfter, "line_before": dynLineBefore, "line_after": dynLineAfter},
		"tradeoff": map[string]any{"model": "lenet5", "scenarios": dynTraded, "settings": settings},
		"criteria": map[string]float64{"tie": slack, "visible": dynVisible}}
}

// dynCell is a run in the numbers of this experiment; a training fills the first alone.
type dynCell struct {
	cell
	Waiting  float64    // mean number of workers that wait for others
	Around   []float64  // the same around the onsets
	Onsets   int        // that Around is over
	States   [3][]int64 // DASP's pushes around the onsets, by state
	Releases []dynRelease
	Line     dynLine // the first burst after the warm-up, of LeNet-5 under DASP and SSP
}

// dynTiming returns a timing-only run of a case, by ASP.
func dynTiming(c dynCase, base, profile string) train.Config {
	p := load(base)
	if c.Link > 0 {
		p = p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = c.Link })
	}
	cfg := timing(p, "asp", c.Model, 0)
	cfg.MaxPushes = workers * dynPerWorker(profile)
	return cfg
}

// dynMeasure times or trains p on its scenario's speeds.
func dynMeasure(ctx context.Context, env exp.Env, p dynPoint, seed uint64) (dynCell, error) {
	s := dynScenarioOf(p.Scenario)
	cfg := dynTiming(p.Case, s.Base, env.Profile)
	pace, err := dynPaceOf(ctx, env, cfg)
	if err != nil {
		return dynCell{}, err
	}
	if p.Learn {
		return dynTrain(ctx, env, p, seed, s, cfg.Platform, pace)
	}
	cfg.Sync, cfg.Seed = p.Method, seed
	if p.Setting != "" {
		set := kit.Find(dynSettings(env.Profile), func(x dynSetting) bool { return x.Name == p.Setting })
		cfg.Options = &set.Options
	}
	plan := s.plan(pace, seed, dynHorizon*float64(cfg.MaxPushes/workers)*pace.Unit)
	cfg.Platform = plan.on(cfg.Platform)
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (dynCell, error) {
		c, err := dynReduce(o, plan, pace.Unit)
		if err == nil && p.Case == dynLeNet && p.Scenario == "bursts" && (p.Method == "dasp" || p.Method == "ssp") {
			at := dynFirst(plan.Onsets, warmup*pace.Unit).At
			c.Line = dynLineOf(p.Method, o.Log, plan, at-float64(dynLineBefore*pace.Unit), at+float64(dynLineAfter*pace.Unit))
		}
		return c, err
	})
}

// dynTrain trains LeNet-5 on the speeds of the timing-only runs, since the clock is theirs.
func dynTrain(ctx context.Context, env exp.Env, p dynPoint, seed uint64, s dynScenario, base *cluster.Platform, pace dynPace) (dynCell, error) {
	z := sizeOf(env.Profile, p.Case.Model)
	plan := s.plan(pace, seed, dynHorizon*float64(z.Pushes/workers)*pace.Unit)
	c, err := trainedOnce(ctx, env, plan.on(base), p.Method, seed, z)
	if n := len(c.Curve); err == nil && n > 0 && c.Curve[n-1].Seconds > plan.Horizon {
		err = fmt.Errorf("the run takes %g s, its schedule reaches %g s", c.Curve[n-1].Seconds, plan.Horizon)
	}
	return dynCell{cell: c}, err
}

// dynReduce measures a run after its first warmup iterations of unit seconds.
func dynReduce(o *train.Outcome, plan dynSchedule, unit float64) (dynCell, error) {
	end := o.Log.End.Seconds()
	if end > plan.Horizon {
		return dynCell{}, fmt.Errorf("the run takes %g s, its schedule reaches %g s", end, plan.Horizon)
	}
	from, waits := warmup*unit, dynWaits(o.Log)
	c := dynCell{cell: reduce(o, false), Waiting: dynWaited(waits, from, end, -1) / (end - from)}
	c.Around, c.Onsets = dynAround(waits, plan.Onsets, unit, from, end)
	if o.Sync == "dasp" {
		c.States = dynStatesAround(o.Log, plan.Onsets, unit, from, end)
	}
	c.Releases = dynReleases(o.Log, o.Sync == "dasp", plan.Endings, unit, from)
	return c, nil
}

// How the speeds change. All lengths are iterations of the cluster's median
// worker under ASP, undisturbed and without jitter: dynPace.Unit.
const (
	dynDealFrom, dynDealTo   = 15, 25       // from one deal of the time factors to the next
	dynCalmFrom, dynCalmTo   = 25, 75       // a worker undisturbed, so that one in six is slowed in the mean
	dynBurstFrom, dynBurstTo = 5, 15        // a worker slowed
	dynFirstCalm             = 60           // the first calm of each worker is from 0 to this
	dynBurstFactor           = 5.           // how much longer a slowed worker computes
	dynForget                = 20           // after a burst, how long its worker's release is looked for
	dynHorizon               = 8            // a schedule reaches this multiple of the undisturbed run
	dynPaceGradients         = workers * 40 // of the run that the unit is measured in
)

// dynPace says how fast a cluster is when nothing disturbs it.
type dynPace struct {
	Unit    float64   // seconds: median over workers of the mean iteration under ASP
	Compute []float64 // seconds: each worker's forward and backward pass
}

// dynEvent is an instant at which speeds change: Worker's past is to be forgotten from At on,
// and is looked for until Until (seconds of the run). No worker: −1.
type dynEvent struct {
	At, Until float64
	Worker    int
}

// dynSchedule is a run's speeds. Onsets are what figures are drawn around; Endings are the
// instants at which the slowest, or a slowed, worker becomes faster.
type dynSchedule struct {
	Phases  [][]cluster.Phase // by worker
	Onsets  []dynEvent
	Endings []dynEvent
	Horizon float64 // seconds; a longer run would see speeds that stand still
}

// dynScenario is a cluster whose speeds may change. Against names the scenario
// of the same speeds that never change hands.
type dynScenario struct {
	Key, Base, Against string
	plan               func(p dynPace, seed uint64, horizon float64) dynSchedule
}

var dynScenarios = []dynScenario{
	{"static", heterogeneous, "", dynStatic},
	{"steps", heterogeneous, "static", dynSteps},
	{"undisturbed", homogeneous, "", dynStatic},
	{"straggler", homogeneous, "", dynStraggler},
	{"bursts", homogeneous, "straggler", dynBursts},
}

func dynScenarioOf(key string) dynScenario {
	return kit.Find(dynScenarios, func(s dynScenario) bool { return s.Key == key })
}

func dynStatic(p dynPace, _ uint64, horizon float64) dynSchedule {
	return dynSchedule{Phases: make([][]cluster.Phase, len(p.Compute)), Horizon: horizon}
}

func dynStraggler(p dynPace, seed uint64, horizon float64) dynSchedule {
	s := dynStatic(p, seed, horizon)
	s.Phases[len(s.Phases)-1] = []cluster.Phase{{Factor: dynBurstFactor}}
	return s
}

// dynSteps deals the workers' computation times anew among them: worker i, in
// the place of j, computes Compute[j]/Compute[i] times as long as by itself. The
// set of speeds is the same at every instant.
func dynSteps(p dynPace, seed uint64, horizon float64) dynSchedule {
	s := dynStatic(p, seed, horizon)
	r := cluster.Stream(seed, -1, "", "dasp/dynamic/steps")
	place := make([]int, len(p.Compute))
	for i := range place {
		place[i] = i
	}
	slowest := slices.Index(p.Compute, slices.Max(p.Compute))
	for at := 0.0; ; {
		at += float64(p.Unit * dynBetween(r.Float64(), dynDealFrom, dynDealTo))
		if at >= horizon {
			return s
		}
		was := slices.Index(place, slowest)
		place = r.Perm(len(place))
		for i, j := range place {
			s.Phases[i] = append(s.Phases[i], cluster.Phase{At: dynInstant(at), Factor: p.Compute[j] / p.Compute[i]})
		}
		if n := len(s.Onsets); n > 0 {
			s.Onsets[n-1].Until, s.Endings[n-1].Until = at, at
		}
		s.Onsets = append(s.Onsets, dynEvent{at, horizon, slices.Index(place, slowest)})
		if was == slices.Index(place, slowest) {
			was = -1 // the slowest stays the slowest: nothing to forget
		}
		s.Endings = append(s.Endings, dynEvent{at, horizon, was})
	}
}

// dynBursts slows each worker at its own times, whatever the others do.
func dynBursts(p dynPace, seed uint64, horizon float64) dynSchedule {
	s := dynStatic(p, seed, horizon)
	for w := range s.Phases {
		r := cluster.Stream(seed, w, "", "dasp/dynamic/bursts")
		at := float64(p.Unit * dynBetween(r.Float64(), 0, dynFirstCalm))
		for at < horizon {
			end := at + float64(p.Unit*dynBetween(r.Float64(), dynBurstFrom, dynBurstTo))
			s.Phases[w] = append(s.Phases[w], cluster.Phase{At: dynInstant(at), Factor: dynBurstFactor}, cluster.Phase{At: dynInstant(end), Factor: 1})
			s.Onsets = append(s.Onsets, dynEvent{at, end, w})
			s.Endings = append(s.Endings, dynEvent{end, end + float64(dynForget*p.Unit), w})
			at = end + float64(p.Unit*dynBetween(r.Float64(), dynCalmFrom, dynCalmTo))
		}
	}
	return s
}

// dynBetween maps u in [0, 1) to [from, to).
func dynBetween(u, from, to float64) float64 { return from + float64(u*(to-from)) }

func dynInstant(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

// on returns p with the schedule's speeds, and with another name if they change.
func (s dynSchedule) on(p *cluster.Platform) *cluster.Platform {
	p = p.Clone()
	changes := false
	for w := range p.Workers {
		p.Workers[w].Slow = slices.Clone(s.Phases[w])
		changes = changes || len(s.Phases[w]) > 0
	}
	if changes {
		p.Name += ", speeds change"
	}
	return p
}

// dynPaceOf times ASP without jitter on cfg's platform, at its model and batch.
func dynPaceOf(ctx context.Context, env exp.Env, cfg train.Config) (dynPace, error) {
	cfg.Platform = cfg.Platform.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
	cfg.Sync, cfg.Seed, cfg.MaxPushes, cfg.Warmup, cfg.TimingOnly, cfg.EvalEvery = "asp", 0, dynPaceGradients, warmup, true, -1
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (dynPace, error) {
		p := dynPace{Compute: make([]float64, workers)}
		for _, push := range o.Log.Pushes {
			p.Compute[push.Worker] = push.Compute.Seconds()
		}
		sorted := slices.Sorted(slices.Values(o.Iteration.ByWorker))
		p.Unit = (sorted[(workers-1)/2] + sorted[workers/2]) / 2
		return p, nil
	})
}
