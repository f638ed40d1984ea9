package bench

import (
	"strings"
	"testing"
)

// The section is put into a report once, in its place, and leaves the rest alone.
func TestRingReportInto(t *testing.T) {
	held, missed := &Interval{1, 0.9, 1.2, 0.98}, &Interval{0.99, 0.9, 1.2, 0.98}
	r := &RingReport{Command: "c", Version: "v", Seconds: 0.1, Facts: []string{"gradsync: a fact"}, Rows: []RingRow{
		{Ranks: 2, Bytes: 1 << 20, Ratio: held, Rounds: 11, Bandwidth: map[string]Spread{OurRing: {1e9, 2e9, 3e9}}},
		{Ranks: 2, Bytes: 4 << 20, Ratio: missed, Rounds: 11}, {Ranks: 4, Bytes: 4 << 20, Ratio: held}, {Ranks: 2, Bytes: 4096, Ratio: held},
		{Ranks: 2, Bytes: 1 << 20, Notes: []Note{{MPIReduce, "no Open MPI"}}}}}
	for text, want := range map[string][2]string{
		"# B\n\n## A\n\ntext\n":                                          {"# B\n\n## A\n\ntext\n\n## All-reduce over TCP\n", "\n- gradsync: a fact\n"},
		"# B\n\n## All-reduce over TCP\n\nold\n":                         {"# B\n\n## All-reduce over TCP\n\nWritten by `c` (gradsync v).\n", "\n- gradsync: a fact\n"},
		"# B\n\n## All-reduce over TCP\n\nold\n\n### x\n\n## Z\n\nend\n": {"# B\n\n## All-reduce over TCP\n", "\n- gradsync: a fact\n\n## Z\n\nend\n"},
	} {
		got, err := r.Into(text)
		if err != nil || !strings.HasPrefix(got, want[0]) || !strings.HasSuffix(got, want[1]) || strings.Contains(got, "old") || strings.Contains(got, "### x") {
			t.Errorf("%q becomes\n%s%v", text, got, err)
		}
		again, err := r.Into(got)
		if err != nil || again != got {
			t.Errorf("a second time:\n%s", again)
		}
		for _, cells := range []string{
			"| 2 | 1 MiB | **2** (3) | absent | absent | **1** (0.9 to 1.2) | – | held | absent | absent | 11 |",
			"| **0.99** (0.9 to 1.2) | – | missed |", "| 4 | 4 MiB | absent | absent | absent | **1** (0.9 to 1.2) | – | – |", "| 2 | 4 KiB |", "| – | – | not measured |",
			"\n- openmpi-allreduce: no Open MPI\n",
		} {
			if !strings.Contains(got, cells) {
				t.Errorf("no %q in\n%s", cells, got)
			}
		}
	}
}
