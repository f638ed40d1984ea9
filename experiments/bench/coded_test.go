package bench

import (
	"strings"
	"testing"
)

// Every kernel of the exchange opens, which checks its packet, runs, and states the
// bytes that it takes in; an unknown one is refused.
func TestCodedKernels(t *testing.T) {
	names := CodedKernels()
	if names[0] != Copy || len(names) != 10 {
		t.Fatalf("%v", names)
	}
	for _, name := range names {
		for _, bytes := range []int{64, 448, 64 << 10} { // 16 and 112 numbers do not divide by 3 and 5
			task, err := Open(Job{Kind: KindCoded, Contender: name, Bytes: bytes, Threads: 1})
			if err != nil {
				t.Fatal(name, err)
			}
			if err := task.Run(3); err != nil || task.Bytes != float64(bytes) {
				t.Errorf("%s: %v, %v bytes of %d", name, err, task.Bytes, bytes)
			}
		}
	}
	for _, name := range []string{"encode-4", "decode", "decode-x", "sum-2", ""} {
		if _, err := Open(Job{Kind: KindCoded, Contender: name, Bytes: 64, Threads: 1}); err == nil || !strings.Contains(err.Error(), "no kernel") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What comes of the bytes taken in, and whose half of copy()'s bandwidth is an aim.
func TestCodedProduces(t *testing.T) {
	for name, want := range map[string]float64{Copy: 1, "encode-2": 0.5, "decode-5": 0.2, quantise: 1, accumulate: 2, update: 1} {
		if got := produced(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	c := CodedCase(1 << 20)
	if len(c.Aims) != 6 || c.Command() != "gradsync bench coded --sizes 1MiB" {
		t.Errorf("%+v, %s", c.Aims, c.Command())
	}
	o := Outcome{Case: c, Results: []*Result{{Contender: "encode-2", StepBytes: 1e9, StepTime: Spread{0.5, 0.5, 0.5}, Ratio: &Spread{1, 1, 1}}}}
	if row := o.Rows()[0]; row.GBps != 2 || row.Out != 1 {
		t.Errorf("%+v", row)
	}
	if text := o.Text(); !strings.Contains(text, "2.00 GB/s in     1.00 GB/s out") {
		t.Error(text)
	}
	if row := strings.Join(codedRow(&o, o.Results[0]), "|"); row != "encode-2|2 – **2** – 2|1|500|1 – **1** – 1" {
		t.Error(row)
	}
}
