package cli

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// calibration is what calibrate found. Rates are bytes per second.
type calibration struct {
	Processor string         `json:"processor"`
	Engine    string         `json:"engine"`
	FLOPS     float64        `json:"flops"`               // of one core on a 512³ product
	Loopback  float64        `json:"loopback"`            // one TCP connection to this machine itself
	Copy      float64        `json:"copy"`                // copy(), bytes copied
	Written   float64        `json:"density_of_the_file"` // whose rates the platform has
	Densities []densityRates `json:"densities"`
	Busy      string         `json:"warning,omitempty"`
	platform  *cluster.Platform
}

type densityRates struct {
	Density float64     `json:"density"`
	Rates   []codecRate `json:"rates"`
}

// codecRate is in bytes of dense float32 per second; passes have no Decode.
type codecRate struct {
	Name       string  `json:"name"`
	Encode     float64 `json:"encode"`
	Decode     float64 `json:"decode,omitempty"`
	Accumulate float64 `json:"decode_and_add,omitempty"`
}

// calibrated are the densities that are measured; the rates at fileDensity are
// those of the platform.
var calibrated = []float64{0.01, 0.1, 0.5, 1}

const fileDensity = 0.1

type calibrateFlags struct {
	out, name, bandwidth string
	workers              int
	seconds              float64
}

func (a *app) calibrateCommand() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use: "calibrate", Short: "Measure how fast this machine codes, and write it as a platform",
		Long: `Measure how fast one core of this machine encodes and decodes with every codec
at four densities, counts zeros, converts weights into gradients, copies, and
what TCP to itself carries. --out writes a platform of equal hosts with the rates
at density 10 %, for train --platform FILE.

Rates are bytes of dense float32 per second, of the fastest of several rounds.`,
		Example: "  gradsync calibrate\n  gradsync calibrate --out mine.json --workers 8 --bandwidth \"10 Gb/s\"",
		Args:    args(0, 0, "flags only"),
		RunE: func(*cobra.Command, []string) error {
			if !(f.seconds > 0 && f.seconds <= 3600) {
				return usagef("calibrate: --seconds %g: more than 0, at most 3600", f.seconds)
			}
			// Before anything is measured: what is wrong with the flags.
			if _, err := calibratedPlatform(f, &calibration{FLOPS: 1, Densities: []densityRates{{Density: fileDensity}}}); err != nil {
				return err
			}
			c, err := calibrate(time.Duration(f.seconds * float64(time.Second)))
			if err != nil {
				return err
			}
			if c.platform, err = calibratedPlatform(f, c); err != nil {
				return err
			}
			if f.out != "" {
				if err := atomic.WriteFile(f.out, cluster.Marshal(c.platform)); err != nil {
					return fmt.Errorf("calibrate: %w", err)
				}
			}
			return a.printCalibration(f, c)
		},
	}
	cmd.Flags().StringVar(&f.out, "out", "", "platform file to write")
	cmd.Flags().StringVar(&f.name, "name", "calibrated", "name of the platform")
	cmd.Flags().IntVar(&f.workers, "workers", 4, "equal hosts of the platform")
	cmd.Flags().StringVar(&f.bandwidth, "bandwidth", "1 Gb/s", "NIC of each host, with its unit")
	cmd.Flags().Float64Var(&f.seconds, "seconds", 4, "about how long to measure")
	return cmd
}

// calibrate measures; most of the time goes to the codecs.
func calibrate(budget time.Duration) (*calibration, error) {
	c := &calibration{Processor: cpu(), Written: fileDensity, Busy: bench.Busy()}
	var err error
	if c.Engine, c.FLOPS, err = measureFLOPS(budget / 10); err != nil {
		return nil, err
	}
	if c.Loopback, err = measureLoopback(budget / 10); err != nil {
		return nil, err
	}
	for _, d := range calibrated {
		at := densityRates{Density: d}
		for _, r := range codec.Measure(d, budget/5) {
			if r.Name == codec.Copy {
				c.Copy = math.Max(c.Copy, r.Encode)
				continue
			}
			at.Rates = append(at.Rates, codecRate(r))
		}
		c.Densities = append(c.Densities, at)
	}
	return c, nil
}

func (a *app) printCalibration(f calibrateFlags, c *calibration) error {
	if a.json {
		return a.printJSON(struct {
			*calibration
			File string `json:"file,omitempty"`
		}{c, f.out})
	}
	fmt.Fprintf(a.out, "%s\nMB/s of dense float32, one core: encode / decode / decode and add\n", c.Processor)
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "density")
	for _, d := range c.Densities {
		fmt.Fprintf(t, "\t%g %%", 100*d.Density)
	}
	fmt.Fprintln(t)
	for i, r := range c.Densities[0].Rates {
		fmt.Fprint(t, r.Name)
		for _, d := range c.Densities {
			fmt.Fprint(t, "\t"+d.Rates[i].cells())
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "copy() %.0f MB/s; TCP to itself %.0f MB/s; %s: %.1f GFLOP/s\n", c.Copy/1e6, c.Loopback/1e6, c.Engine, c.FLOPS/1e9)
	if f.out != "" {
		fmt.Fprintf(a.out, "%s: %d hosts of %s, rates at density %g %%\n", f.out, len(c.platform.Workers), f.bandwidth, 100*c.Written)
	}
	if c.Busy != "" && !a.quiet {
		fmt.Fprintln(a.err, "warning: "+c.Busy)
	}
	return nil
}

// cells are a codec's three rates, or a pass's one.
func (r codecRate) cells() string {
	var parts []string
	for _, v := range []float64{r.Encode, r.Decode, r.Accumulate} {
		if v > 0 {
			parts = append(parts, fmt.Sprintf("%.0f", v/1e6))
		}
	}
	return strings.Join(parts, " / ")
}
