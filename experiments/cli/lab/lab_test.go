package lab

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// A bucket holds 10 ms of its rate, and a packet of 64 KiB at least.
func TestShape(t *testing.T) {
	for mbit, burst := range map[int]string{10: "65536", 200: "250000", 1000: "1250000"} {
		words := strings.Join(shape("e0", mbit), " ")
		if want := " burst " + burst + " latency 100ms"; !strings.HasPrefix(words, "tc qdisc replace dev e0 root tbf rate ") || !strings.HasSuffix(words, want) {
			t.Errorf("%d: %s, want %s", mbit, words, want)
		}
	}
}

// The virtual cluster has the rates in bytes: at 1000, 1000, 1000 and 200 Mbit/s
// the slow link's chunks decide, 6 steps of 1 MiB at 25 MB/s.
func TestInVirtualTime(t *testing.T) {
	e := Exchange{Method: "ring", Bytes: 4 << 20, Steps: 3, Density: 0.1, Rate: 25e6}
	for _, c := range Clusters {
		got, err := Time(t.Context(), e, virtual.New(platform(c), virtual.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		want := 6 * (float64(1<<20+cluster.HeaderBytes)/25e6 + 2*latency.Seconds())
		if v := got.Seconds[len(got.Seconds)-1]; math.Abs(v/want-1) > 0.01 {
			t.Errorf("%s: %v s, want %v", c.Name, v, want)
		}
		if steps := int64(e.Steps + 1); got.Body/steps < 24<<20 || got.Body/steps > 24<<20+1000 { // 4 ranks, 6 chunks of 1 MiB, and barriers
			t.Errorf("%s: %d bytes a step", c.Name, got.Body/steps)
		}
	}
}

func TestCompare(t *testing.T) {
	c := Cluster{"x", []int{8, 8}}
	for _, test := range []struct {
		real   []float64
		ratio  float64
		within bool
	}{{[]float64{0.1, 0.13, 0.9}, 1.3, true}, {[]float64{0.131, 0.131, 0.1}, 1.31, false}, {[]float64{0.0901, 0.0901, 0.0901}, 0.901, true},
		{[]float64{0.08, 0.08, 0.2}, 0.8, false}} {
		r := compare(c, &Timing{Method: "ring", Bytes: 4, Seconds: test.real, Body: 40, Kernel: 80}, &Timing{Seconds: []float64{0.1, 0.1, 0.1}})
		if math.Abs(r.Ratio-test.ratio) > 1e-9 || r.Within != test.within || r.Body != 10 || r.TCP != 20 {
			t.Errorf("%+v, want %+v", r, test)
		}
	}
}

// Trainings that end with other parameters, or take no time, are errors.
func TestTrainRow(t *testing.T) {
	c := Clusters[1]
	ended := func(sha string, update float64) (l trained) {
		l.SHA256, l.Iteration.Update, l.Sent, l.Kernel = sha, update, 8*updates, 9*updates
		return l
	}
	r, err := trainRow(c, "ring", ended("a", 0.22), ended("a", 0.2))
	if err != nil || math.Abs(r.Ratio-1.1) > 1e-9 || !r.Within || r.Body != 8 || r.TCP != 9 || r.Exchange != "train ring" || r.ParamsSHA256 != "a" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range [][2]trained{{ended("a", 1), ended("b", 1)}, {ended("", 1), ended("", 1)}, {ended("a", 0), ended("a", 1)},
		{ended("a", 1), ended("a", 0)}} {
		if r, err := trainRow(c, "ring", bad[0], bad[1]); err == nil {
			t.Errorf("%+v of %+v", r, bad)
		}
	}
	for method, want := range map[string]string{"ring": " --overhead=-1ns", "ringsparse": " --overhead=-1ns --link 2.5e+07"} {
		line := strings.Join(trainWords(c, method, "p.json"), " ")
		if !strings.HasPrefix(line, "train --sync "+method+" --model mlp --raw-pixels --workers 4 --platform p.json ") || !strings.HasSuffix(line, want) {
			t.Errorf("%s", line)
		}
	}
	path, err := platformFile(c)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cluster.Parse(text)
	if err != nil || len(p.Workers) != 4 || p.Workers[0].Bandwidth != 125e6 || p.Workers[3].Bandwidth != 25e6 || p.Workers[3].Latency != latency {
		t.Errorf("%+v, %v", p, err)
	}
}

// A lab whose process is gone is swept away, another's is not.
func TestSweep(t *testing.T) {
	if err := Probe(t.Context()); err != nil {
		t.Skip(err)
	}
	dead, living := prefix+"999999999-0", newNamespaces(nil).id+"-9"
	for _, ns := range []string{dead, living} {
		if err := command(t.Context(), []string{"ip", "netns", "add", ns}); err != nil {
			t.Fatal(err)
		}
		defer command(context.Background(), []string{"ip", "netns", "delete", ns})
	}
	if err := Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for ns, want := range map[string]bool{dead: false, living: true} {
		if _, err := os.Stat("/run/netns/" + ns); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", ns, err == nil, want)
		}
	}
}
