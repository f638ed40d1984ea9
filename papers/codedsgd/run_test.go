package codedsgd_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// What an iteration of one node takes: what it costs beside, a forward and a backward pass of each layer per sample,
// three times Pass per layer and micro-block, the update; and with Charge every int32 that is quantised and summed.
func TestTimeOfOneNode(t *testing.T) {
	const pieces, batch, length = 6, 20, 1000
	layers := newQuadratic(length, length).layers
	for _, charge := range []bool{false, true} {
		logs, _, err := ran(t, network(1), virtual.Config{}, codedsgd.Job{Layers: layers, Batch: batch, Steps: 3,
			Pass: cluster.Work{Fixed: time.Millisecond}, Iteration: cluster.Work{Fixed: time.Second},
			Options: codedsgd.Options{MicroBlocks: pieces, Charge: charge, Rate: 1e6}})
		must(t, err)
		want, coding := 1+2*(batch*3e5/1e9+pieces*3*1e-3)+4.*2*length/1e9, int64(3*2*4*pieces*2*length)
		if charge {
			want += float64(coding/3) / 1e6
		}
		if got := logs[0].Ends[2].Seconds() / 3; math.Abs(got-want) > 1e-8 || logs[0].Totals.CodingBytes != coding {
			t.Errorf("charge %v: %g s, want %g; %d bytes coded, want %d", charge, got, want, logs[0].Totals.CodingBytes, coding)
		}
	}
}

// A micro-block without samples costs nothing, not even a pass.
func TestEmptyMicroBlocksCostNothing(t *testing.T) {
	layers := newQuadratic(10).layers
	logs, _, err := ran(t, network(1), virtual.Config{},
		codedsgd.Job{Layers: layers, Batch: 2, Steps: 1, Pass: cluster.Work{Fixed: time.Second},
			Options: codedsgd.Options{MicroBlocks: 50}})
	if want := 2*3e5/1e9 + 2*3 + 40/1e9; err != nil || math.Abs(logs[0].Ends[0].Seconds()-want) > 1e-8 {
		t.Errorf("%v, %v, want %g s", logs, err, want)
	}
}

// Coded bytes by hand, n = 3, r = 2, a layer of 4 in one micro-block per block: each node quantises two blocks, encodes
// two halves, decodes two packets (of two halves each) and sums its two blocks.
func TestCodingBytesByHand(t *testing.T) {
	totals, _ := traffic(t, 3, true, func() codedsgd.Job {
		return codedsgd.Job{Layers: newQuadratic(4).layers, Batch: 3, Steps: 1, Options: codedsgd.Options{Redundancy: 2}}
	})
	if want := int64(3 * 4 * (8 + 4 + 8 + 8)); totals.CodingBytes != want {
		t.Errorf("%d bytes, want %d", totals.CodingBytes, want)
	}
	// Without a code, n = 2: a block quantised, the other's summed, the own summed.
	totals, _ = traffic(t, 2, true, func() codedsgd.Job {
		return codedsgd.Job{Layers: newQuadratic(4).layers, Batch: 3, Steps: 1}
	})
	if want := int64(2 * 4 * (4 + 4 + 4)); totals.CodingBytes != want {
		t.Errorf("without a code %d bytes, want %d", totals.CodingBytes, want)
	}
}

// Jobs that cannot run are refused with one line.
func TestJobsThatCannotRun(t *testing.T) {
	good := func() codedsgd.Job {
		return codedsgd.Job{Layers: newQuadratic(4, 3).layers, Batch: 10, Steps: 1, Options: codedsgd.Options{Redundancy: 2}}
	}
	for what, change := range map[string]func(*codedsgd.Job){
		"layers":         func(j *codedsgd.Job) { j.Layers = nil },
		"begin at 4":     func(j *codedsgd.Job) { j.Layers[1].Offset = 5 },
		"shapes":         func(j *codedsgd.Job) { j.Shapes = [][2]int{{1, 1}} },
		"with weights":   func(j *codedsgd.Job) { j.Shapes = [][2]int{{5, 1}, {1, 1}} },
		"0 steps":        func(j *codedsgd.Job) { j.Steps = 0 },
		"of 0 samples":   func(j *codedsgd.Job) { j.Batch = 0 },
		"rate":           func(j *codedsgd.Job) { j.Rate = math.NaN() },
		"decay":          func(j *codedsgd.Job) { j.WeightDecay = -1 },
		"multiple":       func(j *codedsgd.Job) { j.Options.MicroBlocks = 4 },
		"parameters":     func(j *codedsgd.Job) { j.Task = newQuadratic(4) },
		"not the task's": func(j *codedsgd.Job) { j.Task = newQuadratic(3, 4) },
		"no method":      func(j *codedsgd.Job) { j.Options.Method = "sgd" },
		"redundancy 4":   func(j *codedsgd.Job) { j.Options.Redundancy = 4 },
		"split by":       func(j *codedsgd.Job) { j.Options.Split = "diagonals" },
		"is charged":     func(j *codedsgd.Job) { j.Options.Charge = true },
		"2 speeds":       func(j *codedsgd.Job) { j.Options.Speeds = []float64{1, 2} },
		"speed 0":        func(j *codedsgd.Job) { j.Options.Speeds = []float64{1, 0, 1} },
		"range -1":       func(j *codedsgd.Job) { j.Options.Range = -1 },
		"range 1e-320":   func(j *codedsgd.Job) { j.Options.Range = 1e-320 },
		"range 1e+300":   func(j *codedsgd.Job) { j.Options.Range = 1e300 },
		"range NaN":      func(j *codedsgd.Job) { j.Options.Range = math.NaN() },
		"range +Inf":     func(j *codedsgd.Job) { j.Options.Range = math.Inf(1) },
		"at most 16777":  func(j *codedsgd.Job) { j.Options.MicroBlocks = 600_000_000 },
		"as printed":     func(j *codedsgd.Job) { j.Options.Method, j.Options.Literal = "ssgd-unicast", true },
	} {
		_, _, err := cluster.Run(t.Context(), virtual.New(network(3), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			job := good()
			change(&job)
			return codedsgd.Run(p, job)
		})
		if err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A task that is done with layers in another order, or leaves some, ends the run.
func TestTasksThatBreakTheirWord(t *testing.T) {
	for what, layers := range map[string][]int{"done with layer 0, want 1": {0, 1}, "done with layer 1, want 0": {1, 1}, "not done layers 0 to 0": {1}} {
		_, _, err := cluster.Run(t.Context(), virtual.New(network(2), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			return codedsgd.Run(p, codedsgd.Job{Task: &wayward{newQuadratic(3, 3), layers}, Batch: 12, Steps: 1})
		})
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v: %v", layers, err)
		}
	}
}

// wayward is a task that says it is done with layers as it likes.
type wayward struct {
	*quadratic
	order []int
}

func (w *wayward) BlockGrad(_ int64, _, _ int, _ []float32, done func(int)) (float64, error) {
	for _, l := range w.order {
		done(l)
	}
	return 0, nil
}

// Stores and buffers live as long as a run: a further step allocates less than a
// quarter of the parameters, on all ranks together and with the runtime's own share. In virtual time ranks take turns, and
// with the collector at rest no turn makes what another one would not.
func TestStepsReuseTheirBuffers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const length = 100_000
	for _, o := range []codedsgd.Options{{Redundancy: 2}, {Redundancy: 3, Literal: true}, {Method: "ssgd-unicast"}, {Redundancy: 2, Method: "ssgd-multicast"}} {
		allocated := func(steps int64) int64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
				return codedsgd.Run(p, codedsgd.Job{Task: &constant{newQuadratic(length)}, Batch: 12, Steps: steps, Rate: 0.1, Options: o})
			})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return int64(after.TotalAlloc - before.TotalAlloc)
		}
		allocated(1)
		if perStep := (allocated(5) - allocated(3)) / 2; perStep > length {
			t.Errorf("%+v: %d bytes per step", o, perStep)
		}
	}
}

// constant is a task whose gradient is its parameters.
type constant struct{ *quadratic }

func (c *constant) BlockGrad(_ int64, _, _ int, grads []float32, done func(int)) (float64, error) {
	copy(grads, c.params)
	for l := len(c.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return 0, nil
}

// Rounds send the same bytes in more packets, and a packet does not wait for the last
// micro-block: where sending takes as long as computing, the iteration ends sooner.
func TestRoundsLeaveEarlier(t *testing.T) {
	run := func(rounds bool) (totals codedsgd.Totals, end float64) {
		layers := newQuadratic(1200).layers
		layers[0].Backward = cluster.Work{FLOP: 4e5}
		logs, _, err := ran(t, network(4), virtual.Config{Headerless: true},
			codedsgd.Job{Layers: layers, Batch: 48, Steps: 1,
				Options: codedsgd.Options{Redundancy: 3, MicroBlocks: 48, Rounds: rounds}})
		must(t, err)
		for _, l := range logs {
			totals.Merge(l.Totals)
			end = max(end, l.Ends[0].Seconds())
		}
		return totals, end
	}
	whole, late := run(false)
	rounds, early := run(true)
	// 36 samples of 0.5 ms, then 4 packets of 12·400 numbers at 125 MB/s: 0.15 ms each, at once.
	if computing := 36 * 0.5e-3; early > computing+0.1e-3 || late < computing+0.15e-3 {
		t.Errorf("in rounds %g s, else %g, computing takes %g", early, late, computing)
	}
	if rounds.Bytes != whole.Bytes || rounds.Packets != 12*whole.Packets || rounds.CodingBytes != whole.CodingBytes {
		t.Errorf("in rounds %+v, else %+v", rounds, whole)
	}
}
