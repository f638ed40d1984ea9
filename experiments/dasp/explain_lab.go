package dasp

import (
	"fmt"
	"math"
	"time"

	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
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
