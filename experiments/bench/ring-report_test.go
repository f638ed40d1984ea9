package bench

import (
	"math"
	"strings"
	"testing"
)

// The order statistics are those of the binomial table: with 6 values the extremes
// cover 31/32, with 11 the second ones 1 − 24/2048, with 17 the fifth ones.
func TestMedianInterval(t *testing.T) {
	values := func(n int) (v []float64) {
		for i := range n {
			v = append(v, float64((i*7)%n+1)) // 1 … n, shuffled: 7 and n share no factor
		}
		return v
	}
	for _, test := range []struct {
		n         int
		low, high float64
		sure      float64
	}{
		{1, 1, 1, 0}, {5, 1, 5, 1 - 2./32}, {6, 1, 6, 1 - 2./64}, {8, 1, 8, 1 - 2./256}, {9, 2, 8, 1 - 20./512}, {11, 2, 10, 1 - 24./2048},
		{17, 5, 13, 1 - 2*float64(1+17+136+680+2380)/131072},
	} {
		got := medianInterval(values(test.n))
		if got == nil || got.Low != test.low || got.High != test.high || math.Abs(got.Sure-test.sure) > 1e-12 || got.Median != float64(test.n+1)/2 {
			t.Errorf("%d values: %+v, want %+v", test.n, got, test)
		}
	}
	if medianInterval(nil) != nil {
		t.Error("an interval of nothing")
	}
}

// Ratios pair rounds: a machine twice as slow in the second half leaves them alone.
func TestRingRow(t *testing.T) {
	o := &Outcome{Case: RingCase(2, 1<<20), Notes: []Note{{Stream, "no loopback"}}, Results: []*Result{
		{Contender: OurRing, Rounds: 4, StepTime: Spread{1e-3, 1e-3, 2e-3}, speeds: []float64{1000, 1000, 500, 500}},
		{Contender: MPIReduce, Rounds: 4, StepTime: Spread{2e-3, 2e-3, 4e-3}, speeds: []float64{500, 500, 250, 250}},
		{Contender: Copy, Rounds: 4, StepTime: Spread{1e-4, 2e-4, 4e-4}, StepBytes: 2 << 20},
	}}
	r := o.Ring()
	if r.Ratio == nil || *r.Ratio != (Interval{2, 2, 2, 1 - 2./16}) || r.Best == nil || *r.Best != *r.Ratio || r.BestOf != MPIReduce || r.RingRatio != nil || r.Rounds != 4 {
		t.Errorf("%+v", r)
	}
	o.Results = append(o.Results, &Result{Contender: TLSRing, Rounds: 4, StepTime: Spread{4e-3, 4e-3, 8e-3}, speeds: []float64{250, 250, 125, 125}})
	if sealed := o.Ring(); sealed.TLSRatio == nil || *sealed.TLSRatio != (Interval{0.25, 0.25, 0.25, 1 - 2./16}) ||
		!strings.Contains(RingText([]RingRow{sealed}), "2 processes, 1 MiB, with TLS 1.3: 0.262 (0.262), × in the clear 0.25 (0.25 to 0.25)\n") {
		t.Errorf("%+v:\n%s", sealed, RingText([]RingRow{sealed}))
	}
	o.Results = append(o.Results, &Result{Contender: MPICHRing, Rounds: 4, StepTime: Spread{5e-4, 1e-3, 2e-3}, speeds: []float64{2000, 1000, 500, 500}})
	if faster := o.Ring(); faster.BestOf != MPICHRing || faster.Best.Median != 1 {
		t.Errorf("the fastest is %s: %+v", faster.BestOf, faster.Best)
	}
	if got := r.Bandwidth[OurRing]; got.Median != (1<<20)/1e-3 || got.Max != (1<<20)/1e-3 || got.Min != (1<<20)/2e-3 {
		t.Errorf("bus bandwidth %+v", got)
	}
	if got := r.Bandwidth[Copy].Median; got != (1<<20)/2e-4 { // copied, not read and written
		t.Errorf("copied %v B/s", got)
	}
	text := RingText([]RingRow{r, r})
	for _, want := range []string{"1 MiB", "1.05 (1.05)", "absent", "2 (2 to 2)", "5.24 (10.5)", "loopback: no loopback\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Count(text, "no loopback") != 1 || strings.Count(text, "\n") != 4 {
		t.Errorf("notes are not said once:\n%s", text)
	}
}

func TestRingCases(t *testing.T) {
	sizes := RingSizes()
	if len(sizes) != 10 || sizes[0] != 1024 || sizes[9] != 256<<20 {
		t.Errorf("sizes %v", sizes)
	}
	for _, test := range []struct {
		ranks, bytes, aims int
		title              string
	}{{2, 1 << 20, 1, "all-reduce of 1 MiB, 2 processes"}, {2, 256 << 10, 1, "all-reduce of 256 KiB, 2 processes"},
		{4, 4 << 20, 0, "all-reduce of 4 MiB, 4 processes"}} {
		if c := RingCase(test.ranks, test.bytes); len(c.Aims) != test.aims || c.Title != test.title {
			t.Errorf("%+v", c)
		}
	}
	if got := SizeText(6000); got != "6000 B" {
		t.Error(got)
	}
}

// The section is put into a report once, in its place, and leaves the rest alone.
func TestRingReportInto(t *testing.T) {
	held, missed := &Interval{1, 0.9, 1.2, 0.98}, &Interval{0.99, 0.9, 1.2, 0.98}
	r := &RingReport{Command: "c", Version: "v", Seconds: 0.1, Facts: []string{"gradsync: a fact"}, Rows: []RingRow{
		{Ranks: 2, Bytes: 1 << 20, Best: held, BestOf: MPICHRing, Rounds: 11, Bandwidth: map[string]Spread{OurRing: {1e9, 2e9, 3e9}}},
		{Ranks: 2, Bytes: 4 << 20, Best: missed, Rounds: 11}, {Ranks: 4, Bytes: 4 << 20, Best: held}, {Ranks: 2, Bytes: 4096, Best: held},
		{Ranks: 2, Bytes: 1 << 20, Notes: []Note{{MPIReduce, "no Open MPI"}}}}}
	for text, want := range map[string][2]string{
		"# B\n\n## A\n\ntext\n": {"# B\n\n## A\n\ntext\n\n## All-reduce over TCP\n", "\n- gradsync: a fact\n"},
		"# B\n\n## All-reduce over TCP\n\nold\n": {
			"# B\n\n## All-reduce over TCP\n\nWritten by `c` (gradsync v).\n", "\n- gradsync: a fact\n"},
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
			"| 2 | 1 MiB | **2** (3) | absent | absent | absent | absent | **1** (0.9 to 1.2) | mpich-ring | held | absent | absent | 11 |",
			"| **0.99** (0.9 to 1.2) | – | missed |", "| 4 | 4 MiB | absent | absent | absent | absent | absent | **1** (0.9 to 1.2) | – | – |", "| 2 | 4 KiB |",
			"| – | – | not measured |",
			"\n- openmpi-allreduce: no Open MPI\n",
		} {
			if !strings.Contains(got, cells) {
				t.Errorf("no %q in\n%s", cells, got)
			}
		}
	}
}
