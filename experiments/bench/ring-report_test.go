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
		{Contender: OurRing, Rounds: 4, StepTime: Spread{1e-3, 1e-3, 2e-3}, Speeds: []float64{1000, 1000, 500, 500}},
		{Contender: MPIReduce, Rounds: 4, StepTime: Spread{2e-3, 2e-3, 4e-3}, Speeds: []float64{500, 500, 250, 250}},
		{Contender: Copy, Rounds: 4, StepTime: Spread{1e-4, 2e-4, 4e-4}, StepBytes: 2 << 20},
	}}
	r := o.Ring()
	if r.Ratio == nil || *r.Ratio != (Interval{2, 2, 2, 1 - 2./16}) || r.RingRatio != nil || r.Rounds != 4 {
		t.Errorf("%+v", r)
	}
	o.Results = append(o.Results, &Result{Contender: TLSRing, Rounds: 4, StepTime: Spread{4e-3, 4e-3, 8e-3}, Speeds: []float64{250, 250, 125, 125}})
	if sealed := o.Ring(); sealed.TLSRatio == nil || *sealed.TLSRatio != (Interval{0.25, 0.25, 0.25, 1 - 2./16}) ||
		!strings.Contains(RingText([]RingRow{sealed}), "2 processes, 1 MiB, with TLS 1.3: 0.262 (0.262), × in the clear 0.25 (0.25 to 0.25)\n") {
		t.Errorf("%+v:\n%s", sealed, RingText([]RingRow{sealed}))
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
	}{{2, 1 << 20, 1, "all-reduce of 1 MiB, 2 processes"}, {2, 1 << 10, 1, "all-reduce of 1 KiB, 2 processes"},
		{4, 4 << 20, 0, "all-reduce of 4 MiB, 4 processes"}} {
		if c := RingCase(test.ranks, test.bytes); len(c.Aims) != test.aims || c.Title != test.title {
			t.Errorf("%+v", c)
		}
	}
	if got := SizeText(6000); got != "6000 B" {
		t.Error(got)
	}
}

// The aim is the faster of two: a ring that beats one of them has missed it, and one that met but one was not measured.
func TestFastest(t *testing.T) {
	speeds := func(contender string, v float64) *Result {
		return &Result{Contender: contender, Speeds: []float64{v, v, v}}
	}
	for _, c := range []struct {
		ours, open, mpich float64
		word, reached     string
	}{
		{10, 5, 10, "held", "2 (2 to 2)× openmpi-allreduce, 1 (1 to 1)× mpich-allreduce"},
		{10, 5, 11, "missed", "2 (2 to 2)× openmpi-allreduce, 0.909 (0.909 to 0.909)× mpich-allreduce"},
		{10, 11, 5, "missed", "0.909 (0.909 to 0.909)× openmpi-allreduce, 2 (2 to 2)× mpich-allreduce"},
		{10, 5, 0, notMeasured, notMeasured},
	} {
		o := &Outcome{Case: RingCase(2, 1<<20), Results: []*Result{speeds(OurRing, c.ours), speeds(MPIReduce, c.open)}}
		if c.mpich > 0 {
			o.Results = append(o.Results, speeds(MPICHReduce, c.mpich))
		}
		if v := o.Judge("asm"); len(v) != 1 || v[0].word() != c.word || v[0].Reached != c.reached {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}
