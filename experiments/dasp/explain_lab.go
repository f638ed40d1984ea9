package dasp

import (
	"context"
	"fmt"
	"math"
	"time"

	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
)

// hardware is what both clusters of a candidate laboratory share. It is
// comparable: runs are remembered by it.
type hardware struct {
	ServerLink float64 `json:"server_link_gbps"` // Gb/s, each direction
	WorkerLink float64 `json:"worker_link_gbps"`
	Latency    float64 `json:"latency_ms"`  // one way, both ends together
	Decision   float64 `json:"decision_ms"` // the server's own time per gradient, beside the update
	Update     float64 `json:"update_gbs"`  // GB/s at which the server updates weights
	Launch     float64 `json:"launch_us"`   // per layer, once forward and twice backward
	Overhead   float64 `json:"overhead_ms"` // per iteration beside the layers
	Jitter     float64 `json:"jitter"`      // relative standard deviation of a computation
}

// laboratory is a candidate: the hardware of both clusters, the compute times of
// the heterogeneous six relative to a homogeneous worker, and the methods'
// parameters.
type laboratory struct {
	Hardware hardware       `json:"hardware"`
	Times    [6]float64     `json:"times"` // ascending
	Options  rivals.Options `json:"options"`
}

// equalTimes are the homogeneous six.
var equalTimes = [6]float64{1, 1, 1, 1, 1, 1}

// platform returns a cluster of the laboratory as the simulator knows it.
func (h hardware) platform(name string, times [6]float64) *cluster.Platform {
	const gbps = 1e9 / 8
	end := time.Duration(math.Round(h.Latency * 1e6 / 2))
	p := &cluster.Platform{Name: name, Decision: time.Duration(math.Round(h.Decision * 1e6)),
		Server: &cluster.Host{Name: "server", FLOPS: serverFLOPS, Memory: h.Update * 1e9, Bandwidth: h.ServerLink * gbps, Latency: end, Overhead: perMessage}}
	for i, t := range times {
		flops := deviceFLOPS / t
		p.Workers = append(p.Workers, cluster.Host{Name: fmt.Sprintf("worker%d", i), FLOPS: flops, Memory: flops * memoryPerFLOP,
			Jitter: h.Jitter, Bandwidth: h.WorkerLink * gbps, Latency: end, Overhead: perMessage})
	}
	return p
}

const (
	// deviceFLOPS is a homogeneous worker's effective rate, that of homogeneous6.
	// It is not searched: the paper states ratios, and a laboratory with slower
	// devices, links and hosts in proportion has the same.
	deviceFLOPS = 4.9e12
	perMessage  = 10 * time.Microsecond // NIC time beside a message's bytes, as on the reference platforms
	serverFLOPS = 500e9                 // of the reference platforms; the update is bound by memory
	// memoryPerFLOP is the reference device's bytes per floating-point operation:
	// 675 GB/s at 7.85 TFLOP/s. Faster candidates have faster memory.
	memoryPerFLOP = 675e9 / train.ReferenceFLOPS
)

// config is the ordinary timing-only run of the tables on a laboratory. Launch
// and overhead are the device's own, so they are restated for the reference
// device, as train.Config has them.
func (l laboratory) config(platform, method, model string, seed uint64) train.Config {
	times := equalTimes
	if platform == heterogeneous {
		times = l.Times
	}
	cfg := timing(l.Hardware.platform(platform, times), method, model, seed)
	o := l.Options
	cfg.Options = &o
	scale := deviceFLOPS / train.ReferenceFLOPS
	cfg.Launch = time.Duration(math.Round(l.Hardware.Launch * scale * 1e3))
	cfg.Overhead = time.Duration(math.Round(l.Hardware.Overhead * scale * 1e6))
	return cfg
}

// costs are a network's at full size.
type costs struct {
	params int
	layers []model.LayerInfo
}

func modelCosts() (map[string]costs, error) {
	out := map[string]costs{}
	for _, name := range models {
		m, err := model.New(name)
		if err != nil {
			return nil, err
		}
		out[name] = costs{m.NumParams(), m.Layers()}
	}
	return out, nil
}

// seconds is one iteration's computation on a host, without jitter: the stages
// of train.Run, each rounded as it is there, in one sum.
func (c costs) seconds(h *cluster.Host, batch int, launch, overhead time.Duration) (total time.Duration) {
	n, start := float64(batch), launch.Seconds()*train.ReferenceFLOPS
	for i, l := range c.layers {
		forward := cluster.Work{FLOP: float64(n*l.ForwardFLOP) + start, Bytes: n * l.Bytes}
		if i == 0 {
			forward.FLOP += float64(overhead.Seconds() * train.ReferenceFLOPS)
		}
		total += h.Duration(forward) + h.Duration(cluster.Work{FLOP: float64(n*l.BackwardFLOP) + float64(2*start), Bytes: 2 * n * l.Bytes})
	}
	return total
}

// fast is train.Run of a timing-only configuration with a network's layers in
// one stage: the worker sends its gradient when all of it is there, so the
// stages between change no event that the server sees. A test holds the two
// equal. It is several times quicker, and a search makes a hundred thousand.
func (c costs) fast(ctx context.Context, cfg train.Config) (*dasp.Log, error) {
	policy, err := rivals.New(cfg.Sync, *cfg.Options)
	if err != nil {
		return nil, err
	}
	form, err := cfg.Options.F()
	if err != nil {
		return nil, err
	}
	var log *dasp.Log
	rt := virtual.New(cfg.Platform, virtual.Config{Seed: cfg.Seed, WithServer: true, Cores: 1})
	_, err = rt.Run(ctx, func(p cluster.Proc) ([]byte, error) {
		layer := cluster.Layer{Length: c.params}
		if p.Rank() > 0 {
			layer.Forward.Fixed = c.seconds(&cfg.Platform.Workers[p.Rank()-1], cfg.Batch, cfg.Launch, cfg.Overhead)
		}
		l, err := dasp.Run(p, dasp.Job{Policy: func() dasp.Policy { return policy }, Layers: []cluster.Layer{layer}, Rate: 1,
			MaxPushes: cfg.MaxPushes, F: form, Decision: cluster.Work{Fixed: cfg.Platform.Decision}})
		if p.Rank() == 0 {
			log = l
		}
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("dasp: explain: %s of %s: %w", cfg.Sync, cfg.Model, err)
	}
	return log, nil
}
