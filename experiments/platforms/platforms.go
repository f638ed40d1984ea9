package platforms

import (
	"fmt"
	"time"

	"gradsync/shared/cluster"
)

// Names lists the embedded platforms.
func Names() []string { return []string{"heterogeneous6", "homogeneous6"} }

// Load is temporary.
func Load(name string) (*cluster.Platform, error) {
	h := cluster.Host{Name: "w", FLOPS: 4.9e12, Memory: 500e9, Jitter: 0.05, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond, Overhead: 5 * time.Microsecond}
	p := cluster.Uniform(6, h, &h)
	p.Name = name
	if name == "heterogeneous6" {
		for i, f := range []float64{1, 1.2, 1.4, 1.6, 1.9, 3.6} {
			p.Workers[i].FLOPS = 7.85e12 / f
		}
	}
	p.Decision = 20 * time.Microsecond
	return p, nil
}

// Homogeneous returns n equal workers.
func Homogeneous(n int) (*cluster.Platform, error) { return nil, fmt.Errorf("platforms: %d", n) }
