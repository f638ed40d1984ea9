package compare

import (
	"fmt"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// cell is what one method did on one ground with one seed.
type cell struct {
	// Curve has this ground's times; of a synchronous method it is BSP's, whose updates
	// all of them make but for rounding and the choice of samples.
	Curve     []train.Point
	Own       float64 // gradients to the target in its own training; NaN: never
	Accuracy  float64 // of the final parameters of its own training, on all test images
	Round     float64 // seconds per N·b samples
	Sent      float64 // bytes per N·b samples, a multicast once
	Delivered float64 // once per receiver
	Updates   int64
	Stale     float64
	Stalest   int64
	Compute   float64 // share of the time in which a worker's device computes, mean over workers
	Shared    string  // whose training it is; "": its own
	How       string  // result.Trained or result.Shared
}

// study holds the trainings of a profile on the grounds of one set of workers.
type study struct {
	Set     string
	Size    size
	Target  float64
	Pilot   train.Point
	Seeds   []uint64
	Grounds []ground
	Cells   map[string][]cell // by key(ground, method), one per seed
	Home    []homeRow
	Paper   []paperRow
	Data    *result.Data
	Engine  string
}

func key(g ground, m string) string { return g.link() + "/" + m }

func (s *study) cells(g ground, m string) []cell { return s.Cells[key(g, m)] }

// runStudy trains and times everything, seed by seed.
func (r *runs) runStudy(set string, s size) (*study, error) {
	st := &study{Set: set, Size: s, Grounds: groundsOf(set), Cells: map[string][]cell{}}
	pilot, err := r.trajectory("bsp", s, pilotSeed)
	if err != nil {
		return nil, err
	}
	if st.Target, err = targetOf(pilot.Curve); err != nil {
		return nil, err
	}
	r.target = st.Target
	st.Data, st.Engine = pilot.Data, pilot.Engine
	compute := map[string][]float64{}
	for _, g := range st.Grounds {
		for _, m := range methods() {
			if compute[key(g, m.Key)], err = r.computing(m, g, s); err != nil {
				return nil, err
			}
		}
	}
	for _, seed := range r.env.Seeds {
		for _, g := range st.Grounds {
			seen := map[string]string{} // method by its events
			for _, m := range methods() {
				c, err := r.cell(m, g, s, seed, compute[key(g, m.Key)], seen)
				if err != nil {
					return nil, err
				}
				st.Cells[key(g, m.Key)] = append(st.Cells[key(g, m.Key)], c)
			}
		}
		st.Seeds = append(st.Seeds, seed)
	}
	if st.Home, err = r.home(st.Grounds, s); err != nil {
		return nil, err
	}
	st.Paper, err = r.paper(st.Grounds, s)
	return st, err
}

// trajectory is a synchronous training: its parameters do not depend on the cluster, so
// that one run serves every ground.
func (r *runs) trajectory(of string, s size, seed uint64) (part, error) {
	g := groundsOf(equalSet)[0]
	m := methodOf(of)
	return r.get(fmt.Sprintf("%s, training, seed %d", m.Title, seed), s.config(m, g, seed))
}

func (r *runs) cell(m method, g ground, s size, seed uint64, compute []float64, seen map[string]string) (cell, error) {
	if m.Async {
		return r.async(m, g, s, seed, compute, seen)
	}
	return r.sync(m, g, s, seed, compute)
}

// sync times synchronous training on g: update k ends at k times the mean iteration of a
// timing-only run of the method there. The updates to a target are BSP's for all, so that
// the chance of a training does not decide between methods that make the same update.
func (r *runs) sync(m method, g ground, s size, seed uint64, compute []float64) (cell, error) {
	common, err := r.trajectory("bsp", s, seed)
	if err != nil {
		return cell{}, err
	}
	tr, err := r.trajectory(m.Trajectory, s, seed)
	if err != nil {
		return cell{}, err
	}
	cfg := s.timing(m, g, seed)
	if m.Sync == "ringsparse" { // what it sends depends on real zeros
		cfg = s.config(m, g, seed)
		cfg.MaxPushes, cfg.MaxUpdates, cfg.Warmup, cfg.EvalEvery = 0, s.Timed, s.Warmup, -1
	}
	timed, err := r.get(fmt.Sprintf("%s, times, %s, seed %d", m.Title, g.Platform.Name, seed), cfg)
	if err != nil {
		return cell{}, err
	}
	c := cell{Own: own(tr.Curve, r.target), Accuracy: tr.Accuracy, Round: timed.Iteration, Updates: tr.Updates, How: result.Trained,
		Sent: float64(timed.Sent) / float64(timed.Updates), Delivered: float64(timed.Delivered) / float64(timed.Updates)}
	for _, p := range common.Curve {
		p.Seconds = float64(p.Updates) * timed.Iteration
		c.Curve = append(c.Curve, p)
	}
	for _, sec := range compute {
		c.Compute += sec / timed.Iteration / float64(len(compute))
	}
	if m.Trajectory != m.Key {
		c.Shared, c.How = methodOf(m.Trajectory).Title, result.Shared
	}
	return c, nil
}

// async trains an asynchronous method on g, unless another did the same there, push by
// push.
func (r *runs) async(m method, g ground, s size, seed uint64, compute []float64, seen map[string]string) (cell, error) {
	what := fmt.Sprintf("%s, %s, seed %d", m.Title, g.Platform.Name, seed)
	events, err := r.get(what+", events", s.timing(m, g, seed))
	if err != nil {
		return cell{}, err
	}
	run, how := m, result.Trained
	same, ok := seen[events.Events]
	if ok {
		run, how = methodOf(same), result.Shared
	} else {
		seen[events.Events] = m.Key
	}
	tr, err := r.get(what, s.config(run, g, seed))
	if err != nil {
		return cell{}, err
	}
	rounds := float64(tr.Pushes) / workers
	c := cell{Curve: tr.Curve, Own: own(tr.Curve, r.target), Accuracy: tr.Accuracy, Round: tr.Seconds / rounds, Updates: tr.Updates, Stale: tr.Stale, Stalest: tr.Stalest,
		Sent: float64(tr.Sent) / rounds, Delivered: float64(tr.Delivered) / rounds, How: how}
	for w, sec := range compute {
		c.Compute += sec * float64(tr.By[w]) / tr.Seconds / workers
	}
	if ok {
		c.Shared = run.Title
	}
	return c, nil
}

// computing is how long each worker of g computes for a round of m, without jitter, from
// a run of each by itself: redundant samples are charged.
func (r *runs) computing(m method, g ground, s size) (out []float64, err error) {
	batches := make([]int, workers)
	for w := range batches {
		batches[w] = m.redundancy() * s.Batch
	}
	if m.Aware {
		batches = bySpeed(g.Platform, workers*s.Batch)
	}
	quiet := &runs{ctx: r.ctx, env: r.env} // too short for the bar
	for w, h := range g.Platform.Workers {
		h.Jitter = 0
		alone := &cluster.Platform{Name: "one " + h.Name, Workers: []cluster.Host{h}}
		c := train.Config{Sync: "ring", Model: model, Platform: alone, Batch: batches[w], Rate: s.Rate, MaxUpdates: 2, TimingOnly: true, EvalEvery: -1,
			Launch: -1, Overhead: -1}
		p, err := quiet.get("computing, "+h.Name, c)
		if err != nil {
			return nil, err
		}
		out = append(out, p.Iteration)
	}
	return out, nil
}
