package multiverse

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// clusters are the paper's two; each reading is timed on both.
var clusters = []string{setup.Homogeneous, setup.Heterogeneous}

// at returns the key of r's level on the axis of a key.
func (r reading) at(axisKey string) string {
	return r.key(slices.IndexFunc(axes, func(x axis) bool { return x.Key == axisKey }))
}

// number returns the number in which r's level ends.
func (r reading) number(axisKey string) float64 {
	key := r.at(axisKey)
	x, err := strconv.ParseFloat(key[strings.LastIndexByte(key, '-')+1:], 64)
	if err != nil {
		panic("multiverse: level " + key + " has no number")
	}
	return x
}

// The cards of the heterogeneous cluster by level, as platform files.
var cardFiles = map[string]string{"cards-six-kinds": setup.Heterogeneous, "cards-two-kinds": "mixed6", "cards-one-slow": setup.Straggler}

// The card of the homogeneous cluster by level: a worker of a platform file.
var equalCards = map[string]struct {
	file   string
	worker int
}{"equal-p100": {setup.Homogeneous, 0}, "equal-gtx1060": {"mixed6", 5}, "equal-v100": {setup.Heterogeneous, 0}}

// platform returns a cluster as r reads it, without bursts.
func (r reading) platform(of string) *cluster.Platform {
	p := setup.Load(setup.Homogeneous)
	if of == setup.Heterogeneous {
		p.Workers = setup.Load(cardFiles[r.at("cards")]).Workers
	} else {
		card := equalCards[r.at("equal-cards")]
		for i := range p.Workers {
			p.Workers[i] = setup.Load(card.file).Workers[card.worker]
		}
	}
	p.Name = of
	if r.at("server") == "server-slow" {
		p.Decision, p.Server.Memory = time.Millisecond, 4e9
	}
	link, jitter := r.number("link")*1e9/8, 0.05
	if r.at("noise") != burstsLevel {
		jitter = r.number("noise") / 100
	}
	for i := range p.Workers {
		p.Workers[i].Bandwidth, p.Workers[i].Jitter = link, jitter
	}
	p.Server.Bandwidth = link * r.number("shards")
	return p
}

// options returns the methods' parameters as r reads them.
func (r reading) options() *rivals.Options {
	o := setup.Options()
	bounds := strings.Split(r.at("thresholds"), "-")
	for i, to := range []*int64{&o.Smin, &o.Smax} {
		x, err := strconv.ParseInt(bounds[i+1], 10, 64)
		if err != nil {
			panic("multiverse: thresholds " + r.at("thresholds"))
		}
		*to = x
	}
	last := func(axisKey string) string {
		return strings.TrimPrefix(r.at(axisKey), strings.Split(r.at(axisKey), "-")[0]+"-")
	}
	o.Alpha, o.Wait, o.Duration, o.FSS = r.number("alpha"), last("wait"), last("duration"), last("fss")
	o.Arrivals, o.Grants, o.Gap = last("arrivals"), last("dssp"), "pre"
	if gap := r.at("gap"); gap != "gap-pre" {
		o.Gap = "post"
		if gap == "gap-post-shifted" {
			o.Smin, o.Smax = o.Smin+setup.Workers-1, o.Smax+setup.Workers-1
		}
	}
	o.Staleness = int64(r.number("ssp"))
	o.Lower, o.Upper = o.Staleness, o.Staleness+setup.DSSPUpper-setup.DSSPLower
	o.Adjustment = time.Duration(r.number("adjustment")) * time.Millisecond
	return &o
}

// config returns a timing-only run as r reads it, on p.
func (r reading) config(p *cluster.Platform, method, model string, seed uint64, e effort) train.Config {
	cfg := setup.Timing(p, method, model, seed)
	cfg.Options, cfg.Batch = r.options(), int(r.number("batch"))
	cfg.MaxPushes, cfg.Warmup = setup.Workers*e.PerWorker, int64(e.Warmup)
	cfg.Launch, cfg.Overhead = train.DefaultLaunch, time.Duration(r.number("host"))*time.Millisecond
	cfg.Host = strings.TrimPrefix(r.at("host-speed"), "host-")
	return cfg
}

// bursts slows each of n workers at its own times; unit is the iteration that lengths are counted
// in, horizon the second at which no more begin.
func bursts(n int, unit, horizon float64, seed uint64) [][]cluster.Phase {
	instant := func(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }
	out := make([][]cluster.Phase, n)
	for w := range out {
		r := cluster.Stream(seed, w, "", "dasp/multiverse/bursts")
		between := func(from, to float64) float64 { return float64(unit * (from + float64(r.Float64()*(to-from)))) }
		for at := between(0, firstCalm); at < horizon; {
			end := at + between(burstFrom, burstTo)
			out[w] = append(out[w], cluster.Phase{At: instant(at), Factor: burstFactor}, cluster.Phase{At: instant(end), Factor: 1})
			at = end + between(calmFrom, calmTo)
		}
	}
	return out
}
