package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/calibrate"
	"gradsync/internal/atomic"
	"gradsync/shared/cluster"
)

// calibrateFlags holds the flags of calibrate.
type calibrateFlags struct {
	hosts   calibrate.Hosts
	out     string
	seconds float64
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
			if err := f.hosts.Check(); err != nil { // not after seconds of measuring
				return usageError{err}
			}
			engine, _, err := chooseEngine(autoEngine, engineStates())
			if err != nil {
				return err
			}
			c, err := calibrate.Measure(cpu(), engine, time.Duration(f.seconds*float64(time.Second)))
			if err != nil {
				return err
			}
			platform, err := c.As(f.hosts)
			if err != nil {
				return usageError{err}
			}
			if f.out != "" {
				if err := atomic.WriteFile(f.out, cluster.Marshal(platform)); err != nil {
					return fmt.Errorf("calibrate: %w", err)
				}
			}
			return a.printCalibration(f, c)
		},
	}
	cmd.Flags().StringVar(&f.out, "out", "", "platform file to write")
	cmd.Flags().StringVar(&f.hosts.Name, "name", "calibrated", "name of the platform")
	cmd.Flags().IntVar(&f.hosts.Count, "workers", 4, "equal hosts of the platform")
	cmd.Flags().StringVar(&f.hosts.Bandwidth, "bandwidth", "1 Gb/s", "NIC of each host, with its unit")
	cmd.Flags().Float64Var(&f.seconds, "seconds", 4, "about how long to measure")
	return cmd
}

// printCalibration prints a table of rates, or one object.
func (a *app) printCalibration(f calibrateFlags, c *calibrate.Calibration) error {
	if a.json {
		return a.printJSON(struct {
			*calibrate.Calibration
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
			fmt.Fprint(t, "\t"+rateCells(d.Rates[i]))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "copy() %.0f MB/s; TCP to itself %.0f MB/s; %s: %.1f GFLOP/s\n", c.Copy/1e6, c.Loopback/1e6, c.Engine, c.FLOPS/1e9)
	if f.out != "" {
		fmt.Fprintf(a.out, "%s: %d hosts of %s, rates at density %g %%\n", f.out, f.hosts.Count, f.hosts.Bandwidth, 100*c.Written)
	}
	if c.Busy != "" && !a.quiet {
		fmt.Fprintln(a.err, "warning: "+c.Busy)
	}
	return nil
}

// rateCells writes a codec's three rates, or a pass's one.
func rateCells(r calibrate.CodecRate) string {
	var parts []string
	for _, v := range []float64{r.Encode, r.Decode, r.Accumulate} {
		if v > 0 {
			parts = append(parts, fmt.Sprintf("%.0f", v/1e6))
		}
	}
	return strings.Join(parts, " / ")
}
