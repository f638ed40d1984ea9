// Package calibrate measures how fast one core of this machine codes, multiplies and copies
// and what TCP to itself carries (Measure), and writes that as a platform of equal hosts
// (Calibration.As).
package calibrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"time"

	"gradsync/experiments/bench"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/codec"
)

// Calibration holds what was measured. Rates are bytes per second.
type Calibration struct {
	Processor string         `json:"processor"`
	Engine    string         `json:"engine"`
	FLOPS     float64        `json:"flops"`               // of one core on a 512³ product
	Loopback  float64        `json:"loopback"`            // one TCP connection to this machine itself
	Copy      float64        `json:"copy"`                // copy(), bytes copied
	Written   float64        `json:"density_of_the_file"` // whose rates the platform has
	Densities []DensityRates `json:"densities"`
	Busy      string         `json:"warning,omitempty"`
}

// DensityRates holds the rates of all codecs and passes at one density.
type DensityRates struct {
	Density float64     `json:"density"`
	Rates   []CodecRate `json:"rates"`
}

// CodecRate is in bytes of dense float32 per second; passes have no Decode.
type CodecRate struct {
	Name       string  `json:"name"`
	Encode     float64 `json:"encode"`
	Decode     float64 `json:"decode,omitempty"`
	Accumulate float64 `json:"decode_and_add,omitempty"`
}

// densities are measured; a platform has the rates at fileDensity.
var densities = []float64{0.01, 0.1, 0.5, 1}

const fileDensity = 0.1

// Measure measures for about the budget on a processor and an engine of these names; most
// of the time goes to the codecs.
func Measure(processor, engine string, budget time.Duration) (*Calibration, error) {
	c := &Calibration{Processor: processor, Engine: engine, Written: fileDensity, Busy: bench.Busy()}
	var err error
	if c.FLOPS, err = measureFLOPS(engine, budget/10); err != nil {
		return nil, err
	}
	if c.Loopback, err = measureLoopback(budget / 10); err != nil {
		return nil, err
	}
	for _, d := range densities {
		at := DensityRates{Density: d}
		for _, r := range codec.Measure(d, budget/5) {
			if r.Name == codec.Copy {
				c.Copy = math.Max(c.Copy, r.Encode)
				continue
			}
			at.Rates = append(at.Rates, CodecRate(r))
		}
		c.Densities = append(c.Densities, at)
	}
	return c, nil
}

// measureFLOPS returns the rate of an engine on a product that fits into the cache, one
// thread, best of several rounds.
func measureFLOPS(engine string, budget time.Duration) (rate float64, err error) {
	const size = 512
	e, err := tensor.Lookup(engine)
	if err != nil {
		return 0, err
	}
	call, g := &tensor.Call{Threads: 1}, tensor.Gemm{M: size, N: size, K: size}
	a, b, out := make([]float32, size*size), make([]float32, size*size), make([]float32, size*size)
	for i := range a {
		a[i], b[i] = float32(i%7-3), float32(i%5-2)
	}
	best := time.Duration(1 << 62)
	for begin, round := time.Now(), 0; round < 3 || time.Since(begin) < budget; round++ {
		start := time.Now()
		e.Gemm(call, g, a, b, out)
		best = min(best, max(time.Since(start), 1))
	}
	return 2 * size * size * size / best.Seconds(), nil
}

// measureLoopback returns the bytes per second of one TCP connection to this machine,
// for about the budget, from the first byte to the last one read.
func measureLoopback(budget time.Duration) (rate float64, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	defer l.Close()
	limit := time.Now().Add(budget + 10*time.Second)
	if err := l.(*net.TCPListener).SetDeadline(limit); err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	sent := make(chan error, 1)
	go func() { sent <- sendFor(l.Addr().String(), budget) }()
	in, err := l.Accept()
	if err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	defer in.Close()
	if err := in.SetDeadline(limit); err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	start := time.Now()
	buffer, total := make([]byte, 1<<20), int64(0)
	for err == nil {
		var n int
		n, err = in.Read(buffer)
		total += int64(n)
	}
	took := time.Since(start)
	if err == io.EOF {
		err = nil
	}
	if err = errors.Join(err, <-sent); err != nil {
		return 0, fmt.Errorf("calibrate: loopback: %w", err)
	}
	return float64(total) / took.Seconds(), nil
}

// sendFor writes to a connection as fast as it goes, 4 MiB at least.
func sendFor(addr string, budget time.Duration) error {
	out, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for begin, n := time.Now(), 0; n < 4 || time.Since(begin) < budget; n++ {
		if _, err := out.Write(block); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

// Hosts says which platform to write: its name, the number of its equal hosts, and the
// bandwidth of each with its unit.
type Hosts struct {
	Name, Bandwidth string
	Count           int
}

// Check refuses hosts that no platform can have. It needs no measurement.
func (h Hosts) Check() error {
	_, err := (&Calibration{FLOPS: 1, Densities: []DensityRates{{Density: fileDensity}}}).As(h)
	return err
}

// As makes a platform of hosts with the rates that were measured. It goes through the
// platform's own file format, which checks the name, the count and the bandwidth.
func (c *Calibration) As(h Hosts) (*cluster.Platform, error) {
	type value struct {
		Value      string `json:"value"`
		Why        string `json:"why"`
		Confidence string `json:"confidence"`
	}
	measured := func(v float64, unit, what string) value {
		return value{rounded(v/1e9) + " " + unit, "measured: " + what, "medium"}
	}
	type rate struct {
		Name   string `json:"name"`
		Encode value  `json:"encode"`
		Decode *value `json:"decode,omitempty"`
	}
	rates := []rate{}
	for _, d := range c.Densities {
		if d.Density != fileDensity {
			continue
		}
		for _, r := range d.Rates {
			if r.Name == "dense" { // sent as it is: nothing is coded
				continue
			}
			out := rate{Name: r.Name, Encode: measured(r.Encode, "GB/s", "one core, density 10 %")}
			if r.Decode > 0 {
				decode := measured(r.Decode, "GB/s", "one core, density 10 %, without the sum")
				out.Decode = &decode
			}
			rates = append(rates, out)
		}
	}
	raw, err := json.Marshal(map[string]any{
		"name": h.Name,
		"note": fmt.Sprintf("%d hosts like one core of this: %s. Written by gradsync calibrate.", h.Count, c.Processor),
		"workers": []any{map[string]any{
			"name": "host", "count": h.Count,
			"flops":     measured(c.FLOPS, "GFLOP/s", "a 512 x 512 x 512 product of engine "+c.Engine+"; networks reach less"),
			"bandwidth": value{h.Bandwidth, "chosen by --bandwidth", "not measured"},
			"latency":   value{"25 us", "half of a TCP one-way latency on Ethernet of 50 us", "low"},
			"overhead":  value{"10 us", "system call and interrupt per message of a kernel TCP stack", "low"},
		}},
		"codecs": rates,
	})
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	p, err := cluster.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return p, nil
}

// rounded writes three significant digits: a rate is not known better.
func rounded(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
