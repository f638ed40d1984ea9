package ringsparse_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// TestStories replays testdata/*.txt: one layer, one step; then every hop of every block with its kind, codec,
// contributors and densities, and what became of the parameters. After a deliberate change: go test ./papers/ringsparse
// -run TestStories -rewrite, then read the diff.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd != "layer" {
					t.Fatalf("%s: no command %q", d.Pos, d.Cmd)
				}
				return story(t, d)
			})
		})
	}
}

// story runs one step: `layer eta=0.5 codec=auto tie=weights kinds=both`, and lines "W0
// numbers", "g numbers" per rank, and perhaps "mask bits".
func story(t *testing.T, d *datadriven.TestData) string {
	o := ringsparse.Options{Bandwidth: 1e6, LogChoices: true}
	rate, threshold := "1", "0"
	d.MaybeScanArgs(t, "eta", &rate)
	d.MaybeScanArgs(t, "threshold", &threshold)
	for name, to := range map[string]*string{"codec": &o.Codec, "tie": &o.Tie, "kinds": &o.Kinds, "exchange": &o.Exchange, "rule": &o.Rule} {
		d.MaybeScanArgs(t, name, to)
	}
	o.Threshold = number(t, threshold)
	var w0, mask []float32
	var gradients [][]float32
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		fields := strings.Fields(line)
		var v []float32
		for _, f := range fields[1:] {
			v = append(v, float32(number(t, f)))
		}
		switch fields[0] {
		case "W0":
			w0 = v
		case "mask":
			mask = v
		default:
			gradients = append(gradients, v)
		}
	}
	job := ringsparse.Job{Rate: number(t, rate), Steps: 1, Options: o}
	for _, m := range mask {
		job.Mask = append(job.Mask, m != 0)
	}
	n := len(gradients)
	type result struct {
		Log    *ringsparse.Log
		Params []float32
	}
	out, _, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) (r result, err error) {
		job := job
		task := &fixed{params: append([]float32(nil), w0...), next: gradients[p.Rank()]}
		job.Task = task
		r.Log, err = ringsparse.Run(p, job)
		r.Params = task.params
		return r, err
	})
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for hop := range n {
		for rank := range n {
			for _, c := range out[rank].Log.Choices {
				if c.Hop == hop {
					b.WriteString(line(rank, n, c))
				}
			}
		}
	}
	for rank := range n {
		fmt.Fprintf(&b, "rank %d: w = %v\n", rank, out[rank].Params)
	}
	return b.String()
}

// line renders one choice.
func line(rank, n int, c ringsparse.Choice) string {
	form, err := codec.ByID(c.Codec)
	if err != nil {
		return err.Error()
	}
	way := fmt.Sprintf("rank %d → %d", rank, (rank+1)%n)
	if c.Gather {
		way = fmt.Sprintf("rank %d → all", rank)
	}
	tie := ""
	if c.Tie {
		tie = " by tie"
	}
	return fmt.Sprintf("%-12s block %d, m=%d: %v%s as %s, %d of %d bytes (density W %.2g, g %.2g)\n",
		way, c.Block, c.Contributors, c.Kind, tie, form.Name(), c.Bytes, c.DenseBytes, c.WeightDensity, c.GradientDensity)
}

func number(t *testing.T, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	must(t, err)
	return v
}
