package train

import (
	"errors"
	"fmt"
	"time"

	"gradsync/experiments/platforms"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// codecRates measures all codecs on a real clock, at a density at which compressing pays on slow
// links, for rateBudget.
const (
	rateDensity = 0.1
	rateBudget  = 200 * time.Millisecond
)

// ratesFrom is the platform whose codec rates count where a run's own has none.
const ratesFrom = "sparse32"

// codecRates returns Tc and Td of S42: the options' own, else on virtual time the platform's, on a
// real clock this machine's.
func (r *runner) codecRates() ([]cluster.CodecRate, error) {
	if o := r.cfg.RingSparse; o != nil && o.Rates != nil {
		return o.Rates, nil
	}
	if r.cfg.modelled() {
		if own := r.cfg.Platform.Codecs; own != nil {
			return own, nil
		}
		p, err := platforms.Load(ratesFrom)
		if err != nil {
			return nil, err
		}
		return p.Codecs, nil
	}
	var out []cluster.CodecRate
	for _, m := range codec.Measure(rateDensity, rateBudget) {
		if m.Name != "dense" && m.Name != codec.Copy {
			out = append(out, cluster.CodecRate{Name: m.Name, Encode: m.Encode, Decode: m.Decode})
		}
	}
	return out, nil
}

// modelled reports whether coding takes the time that rates say: on virtual time,
// and where nothing is coded.
func (c *Config) modelled() bool { return c.Runtime == "virtual" || c.TimingOnly }

// density returns Density, or 1 where it is not given.
func (c *Config) density() float64 {
	if c.Density == 0 {
		return 1
	}
	return c.Density
}

// sparse runs the patent's loop.
func (x *replica) sparse(rates []cluster.CodecRate) error {
	job := ringsparse.Job{Layers: x.layers, Rate: x.cfg.Rate, WeightDecay: x.cfg.WeightDecay, Steps: x.steps, Mask: x.cfg.Mask,
		OnStep: func(step int64) (bool, error) { return x.ended(step + 1) }}
	if x.task != nil {
		task := &sparseTask{task: x.task}
		var err error
		if task.e, err = x.task.pool.exchanger(); err != nil {
			return err
		}
		if job.Task = task; task.e != nil {
			job.Blocks = task.open
			x.shared.atEnd(task.close)
		}
	} else {
		job.Density = func(int) (weights, gradients float64) { return 1, x.cfg.density() }
	}
	if x.cfg.RingSparse != nil {
		job.Options = *x.cfg.RingSparse
	}
	o := &job.Options
	o.Rates, o.NoOverlap = rates, o.NoOverlap || x.cfg.NoOverlap
	o.Charge = x.cfg.modelled()
	o.LogChoices = o.LogChoices && x.p.Rank() == 0
	if err := x.bandwidth(o); err != nil {
		return err
	}
	x.sparseLog = &ringsparse.Log{}
	var err error
	if job.From, err = x.begin(); err != nil {
		return err
	}
	if job.Timed, job.Log = x.replayed(), x.sparseLog; job.Timed > 0 {
		if x.sparseLog.Decisions, err = fromPacked(x.keeping.state.Bytes[bytesDecisions(x.p.Rank())]); err != nil {
			return fmt.Errorf("train: checkpoint: %s: %w", x.keeping.where(), err)
		}
	}
	job.Keep = x.keeping != nil && x.cfg.Runtime == "virtual"
	log, err := ringsparse.Run(x.p, job)
	if err != nil {
		return err
	}
	if x.end.Hash == "" {
		x.finish()
	}
	x.end.Ends, x.end.Sparse, x.end.Lossy, x.end.Choices = log.Ends, log.Totals, log.Lossy, log.Choices
	x.end.B, x.end.Rates = o.Bandwidth, o.Rates
	return nil
}

// The probe of a real link sends probeMessages messages of probeBytes each to the right neighbour,
// the first of which only warms the connection; where the second takes longer than probeLimit
// an empty one is the last.
const (
	probeMessages = 4
	probeBytes    = 1 << 20
	probeLimit    = 100 * time.Millisecond
	lastOfProbe   = 1 // Meta[0] of a rank's last message
)

// bandwidth fills in B of S42: on virtual time the bandwidth of the slowest worker's NIC, "the
// slowest link of the ring"; on a real clock the rate at which a probe to the right neighbour gets
// through while all ranks probe.
func (x *replica) bandwidth(o *ringsparse.Options) error {
	if o.Bandwidth > 0 {
		return nil
	}
	if x.cfg.modelled() || x.p.Size() == 1 {
		o.Bandwidth = x.cfg.slowest()
		return nil
	}
	n, tag := x.p.Size(), cluster.Tag(len(x.layers)+1)
	out, in := cluster.Msg{Body: make([]byte, probeBytes)}, cluster.Msg{Body: make([]byte, probeBytes)}
	var began time.Duration
	for i, sends, comes := 0, true, true; sends || comes; i++ {
		var open []cluster.Req
		if comes {
			open = append(open, x.p.Irecv((x.p.Rank()+n-1)%n, tag, &in))
		}
		if sends {
			if i == probeMessages-1 || len(out.Body) == 0 {
				out.Meta[0] = lastOfProbe
			}
			open = append(open, x.p.Isend((x.p.Rank()+1)%n, tag, &out))
			x.end.Probe += int64(len(out.Body))
			x.probed.Add(int64(len(out.Body)))
		}
		for _, q := range open {
			if err := cluster.Wait(x.p, q); errors.Is(err, cluster.ErrLost) {
				in.Meta[0] = lastOfProbe // no more comes of the left neighbour
			} else if err != nil {
				return err
			}
		}
		took := max(x.p.Now()-began, 1)
		switch {
		case !sends:
		case i == 0:
			began = x.p.Now()
		case len(out.Body) == 0:
			sends = false
		default:
			o.Bandwidth = float64(i) * probeBytes / took.Seconds()
			sends = i < probeMessages-1
			if i == 1 && took > probeLimit {
				out.Body = nil
			}
		}
		comes = comes && in.Meta[0] != lastOfProbe
	}
	if s, ok := x.p.(cluster.Survivor); ok && len(s.Alive()) < n {
		o.Bandwidth = x.cfg.slowest() // what is sent to a lost neighbour takes no time
	}
	return nil
}

// slowest returns the bandwidth of the platform's slowest link.
func (c *Config) slowest() float64 {
	b := c.Platform.Workers[0].Bandwidth
	for _, w := range c.Platform.Workers {
		b = min(b, w.Bandwidth)
	}
	for _, n := range c.Platform.Nodes {
		b = min(b, n.Bandwidth)
	}
	return b
}
