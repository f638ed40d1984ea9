package cli

import (
	"encoding/json"
	"fmt"
	"strconv"

	"gradsync/shared/cluster"
)

// calibratedPlatform is a platform of equal hosts with what was measured. It goes
// through the platform's own file format, which checks the name and the bandwidth.
func calibratedPlatform(f calibrateFlags, c *calibration) (*cluster.Platform, error) {
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
		"name": f.name,
		"note": fmt.Sprintf("%d hosts like one core of this: %s. Written by gradsync calibrate.", f.workers, c.Processor),
		"workers": []any{map[string]any{
			"name": "host", "count": f.workers,
			"flops":     measured(c.FLOPS, "GFLOP/s", "a 512 x 512 x 512 product of engine "+c.Engine+"; networks reach less"),
			"bandwidth": value{f.bandwidth, "chosen by --bandwidth", "not measured"},
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
		return nil, usagef("calibrate: %w", err)
	}
	return p, nil
}

// rounded has three significant digits: a rate is not known better.
func rounded(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
