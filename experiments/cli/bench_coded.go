package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
)

func (a *app) benchCodedCommand() *cobra.Command {
	var f benchFlags
	var sizes []string
	cmd := &cobra.Command{
		Use: "coded", Short: "Coded SGD's encoding, decoding and fixed point beside copy()",
		Long: `What coded SGD does to a layer of int32 of a gradient, beside copy() of as many
bytes in the same rounds: encode-r adds the r segments of a packet, each the r-th
part of the layer, and writes the message; decode-r reads it and subtracts r−1 of
them; quantise turns
float32 into fixed point; accumulate adds int32 to an int64 sum; update turns that
into a step of float32 parameters.

"GB/s in" are bytes of terms taken in per second: all r segments, or the message
and r−1 segments, which is the layer's bytes both times, and 4 bytes for each number
of the others. Ratios are of that to the bytes copied per second. "GB/s out" are the
bytes that come of it; of a packet the r-th part. The aim is half of copy()'s
bandwidth for encode and decode.`,
		Example: "  gradsync bench coded\n  gradsync bench coded --sizes 1MiB --json",
		Args:    args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cases, err := codedCases(sizes)
			if err != nil {
				return err
			}
			names, err := pick(f.engines, bench.CodedKernels(), nil)
			if err != nil {
				return err
			}
			return a.playCoded(cmd.Context(), &f, cases, names)
		},
	}
	f.register(cmd, "the steps")
	cmd.Flags().StringSliceVar(&sizes, "sizes", nil, "bytes of a layer, as 64KiB,1MiB (default 64KiB, 1MiB, 16MiB, 64MiB)")
	return cmd
}

// codedCases are the sizes asked for, or the report's.
func codedCases(sizes []string) (cases []bench.Case, err error) {
	bytes := bench.CodedSizes()
	if len(sizes) > 0 {
		bytes = nil
	}
	for _, text := range sizes {
		n, err := parseSize(text)
		if err != nil {
			return nil, usagef("bench: --sizes %s: %w", text, err)
		}
		bytes = append(bytes, n)
	}
	for _, n := range bytes {
		cases = append(cases, bench.CodedCase(n))
	}
	return cases, nil
}

// codedObject is one size's rows for --json.
type codedObject struct {
	Bytes int          `json:"bytes"`
	Rows  []bench.Row  `json:"engines"`
	Notes []bench.Note `json:"notes"`
}

// playCoded plays all sizes and prints them: a table each, or one object.
func (a *app) playCoded(ctx context.Context, f *benchFlags, cases []bench.Case, names []string) error {
	var objects []codedObject
	for _, c := range cases {
		out, err := a.play(ctx, f, c, names, func() {})
		if err != nil {
			return err
		}
		objects = append(objects, codedObject{c.Job.Bytes, out.Rows(), out.Notes})
		if !a.json {
			fmt.Fprintf(a.out, "%s\n%s", c.Title, out.Text())
		}
	}
	if a.json {
		return a.printJSON(map[string]any{"benchmark": bench.KindCoded, "peer": bench.Copy, "rounds": f.rounds, "cases": objects})
	}
	return nil
}
