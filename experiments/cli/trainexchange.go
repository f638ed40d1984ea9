package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gradsync/experiments/cli/launch"
	"gradsync/experiments/train"
	"gradsync/shared/tensor/codec"
)

// codecNames lists the values of --codec beside auto.
func codecNames() string {
	var names []string
	for _, c := range codec.All() {
		names = append(names, c.Name())
	}
	return strings.Join(names, ", ")
}

// checkSparse refuses options of ringsparse that another makes idle.
func (f *trainFlags) checkSparse() error {
	o := &f.sparse
	if o.Codec != "auto" {
		for _, flag := range []string{"codecs", "rule", "size", "link"} {
			if f.given(flag) {
				return usagef("train: --%s is for --codec auto, not for %s", flag, o.Codec)
			}
		}
	}
	if f.given("tie") && o.Kinds != "both" {
		return usagef("train: --tie is for --kinds both, not for %s", o.Kinds)
	}
	if f.given("codecs") {
		sorted := slices.Sorted(slices.Values(o.Codecs))
		if len(sorted) == 0 || len(slices.Compact(sorted)) < len(o.Codecs) {
			return usagef("train: --codecs %s: want each name once, at least one", strings.Join(o.Codecs, ","))
		}
	}
	if f.given("density") && !f.TimingOnly {
		return usagef("train: --density is for --timing-only")
	}
	return nil
}

// place is this process's rank in a job that launch started. Without one all
// ranks are in this process.
func (f *trainFlags) place(cfg *train.Config) error {
	at, ok, err := launch.Place(os.LookupEnv)
	if err != nil || !ok {
		return err
	}
	ranks := cfg.Workers
	if !slices.Contains(train.Serverless(), cfg.Sync) {
		ranks++
	}
	if at.Size != ranks {
		return usagef("train: %d processes, but %s with --workers %d needs %d", at.Size, cfg.Sync, cfg.Workers, ranks)
	}
	cfg.TCP = &at
	return nil
}

// printSparse prints what ringsparse chose.
func (a *app) printSparse(s *train.SparseOutcome) {
	if s == nil {
		return
	}
	t := s.Totals
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(t.Choices, 1)) }
	fmt.Fprintf(a.out, "  blocks          %d choices: %.1f %% weights, %.1f %% gradients; %.1f %% by the tie rule alone\n",
		t.Choices, share(t.Chosen[1]), share(t.Chosen[2]), share(t.Ties))
	dense := 100 * float64(t.Sent.Bytes) / float64(max(t.Sent.DenseBytes, 1))
	fmt.Fprintf(a.out, "  blocks' bytes   %.1f %% of uncompressed ones (link %.4g bytes/s)\n", dense, s.Bandwidth)
	for id, c := range t.Codecs {
		if c.Blocks == 0 {
			continue
		}
		name := fmt.Sprint("codec ", id)
		if known, err := codec.ByID(uint8(id)); err == nil {
			name = known.Name()
		}
		fmt.Fprintf(a.out, "  %-15s %d messages, forwarded ones too, %.1f %% of their uncompressed bytes\n", name, c.Blocks,
			100*float64(c.Bytes)/float64(max(c.DenseBytes, 1)))
	}
	if s.Density > 0 {
		fmt.Fprintf(a.out, "  density         %g of the gradients and all weights taken as non-zero: nothing was computed\n", s.Density)
	}
	if s.Lossy {
		fmt.Fprintln(a.out, "  lossy           gradients up to the threshold were held back, with error feedback")
	}
	if s.ProbeBytes > 0 {
		fmt.Fprintf(a.out, "  probe           %d bytes to find the link's rate, not counted above\n", s.ProbeBytes)
	}
}
