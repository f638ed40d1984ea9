package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gradsync/datasets"
	"gradsync/experiments/audit"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// keptRun is a short training with states and a trace.
func keptRun(t *testing.T, sync string) Config {
	t.Helper()
	dir := t.TempDir()
	c := Config{Engine: quick(sync).Engine, Sync: sync, Model: "mlp", Width: 1. / 64, Platform: uneven(4), Seed: 3, Batch: 2, Data: "synthetic",
		MaxPushes: 24, EvalEvery: 8, EvalImages: 10, Trace: filepath.Join(dir, "trace.json"),
		Checkpoints: Checkpoints{CheckpointDir: filepath.Join(dir, "states"), CheckpointEvery: 2}}
	if slices.Contains([]string{"asp", "ssp", "dssp", "dasp", "template"}, sync) { // an update per gradient
		c.CheckpointEvery = 7
	}
	if sync == "hierarchical" {
		c.PerNode = 2
	}
	if slices.Contains(codedsgd.Methods(), sync) {
		c.BatchSize, c.Coded = 13, &codedsgd.Options{Redundancy: 2}
	}
	return c
}

// stateFile names the file of c's state.
func stateFile(c Config) string { return filepath.Join(c.CheckpointDir, "checkpoint.safetensors") }

// putState makes b the state that c goes on from.
func putState(t *testing.T, c Config, b []byte) {
	t.Helper()
	oktest.Nil(t, os.WriteFile(stateFile(c), b, 0o644))
}

// observed runs c and returns, too, the states that it had on the way: without GRADSYNC_LONG the first, one amid and the last.
func observed(t *testing.T, c Config) (want *Outcome, states [][]byte) {
	t.Helper()
	c.written = func() {
		b, err := os.ReadFile(stateFile(c))
		if err != nil {
			t.Error(err)
		}
		states = append(states, b)
	}
	said := ""
	c.TellStart = func(line string) { said += line }
	want = mustRun(t, c)
	if said != "checkpoint: no state in "+c.CheckpointDir+": from the beginning" {
		t.Errorf("%s: a run that begins says %q", c.Sync, said)
	}
	n := len(states)
	if n < 2 {
		t.Fatalf("%d states", n)
	}
	if os.Getenv("GRADSYNC_LONG") == "" {
		states = [][]byte{states[0], states[n/2], states[n-1]}
	}
	return want, states
}

// interrupted runs c undisturbed and again from states that it had on the way, as if it had been killed
// there: nothing of the outcome or the trace differs, nor does the last state.
func interrupted(t *testing.T, c Config) *Outcome {
	t.Helper()
	want, states := observed(t, c)
	trace := oktest.Must(os.ReadFile(c.Trace))(t)
	plain := c
	plain.Checkpoints, plain.Trace = Checkpoints{}, ""
	alike(t, c.Sync+" without states", mustRun(t, plain), want)
	for i, b := range states {
		putState(t, c, b)
		said := 0
		c.TellStart = func(string) { said++ }
		alike(t, c.Sync, mustRun(t, c), want)
		if said != 1 {
			t.Errorf("%s: said %d times that it goes on", c.Sync, said)
		}
		if again, err := os.ReadFile(c.Trace); err != nil || !bytes.Equal(again, trace) {
			t.Errorf("%s from state %d: another trace (%v)", c.Sync, i, err)
		}
		if b, err := os.ReadFile(stateFile(c)); err != nil || !bytes.Equal(b, states[len(states)-1]) {
			t.Errorf("%s from state %d: another last state (%v)", c.Sync, i, err)
		}
	}
	return want
}

func alike(t *testing.T, name string, got, want *Outcome) {
	t.Helper()
	got.WallSeconds, want.WallSeconds = 0, 0
	if !reflect.DeepEqual(got, want) || text(t, got) != text(t, want) {
		t.Errorf("%s: got %s\nwant %s", name, text(t, got), text(t, want))
	}
}

// Whatever the method, a run on virtual time that goes on from any of its states is the run that nobody disturbed.
func TestEveryMethodGoesOnFromItsStates(t *testing.T) {
	oktest.Slow(t)
	for i, sync := range Methods() {
		t.Run(sync, func(t *testing.T) {
			c := keptRun(t, sync)
			dense := !slices.Contains(codedsgd.Methods(), sync) && sync != "ringsparse"
			if dense && i%2 == 0 {
				c.Momentum, c.WeightDecay, c.Best = 0.5, 1e-3, true
			}
			interrupted(t, c)
			if !dense || os.Getenv("GRADSYNC_LONG") == "" {
				return
			}
			c = keptRun(t, sync)
			if i%2 != 0 {
				c.Momentum, c.WeightDecay, c.Best = 0.5, 1e-3, true
			}
			interrupted(t, c)
		})
	}
}

// A run that was recorded, that ends by an evaluation, or that goes on without a worker whose lease is over, is the same from a
// state, too.
func TestEndsAndRecordsComeAgain(t *testing.T) {
	oktest.Slow(t)
	for _, sync := range []string{"dasp", "ring", "cssgd", "ringsparse"} {
		c := keptRun(t, sync)
		c.EvalEvery, c.Trace, c.Checkpoints = 4, "", Checkpoints{}
		for _, p := range mustRun(t, c).Curve[2:] { // a target that is not reached at once
			c.TargetAccuracy = max(c.TargetAccuracy, p.Accuracy)
		}
		k := keptRun(t, sync)
		c.Trace, c.Checkpoints = k.Trace, k.Checkpoints
		c.MaxPushes, c.CheckpointEvery = 40, 1
		if out := interrupted(t, c); out.Reached == nil || out.Pushes == c.MaxPushes {
			t.Errorf("%s: reached %v after %d gradients: the test says nothing of a run's end", sync, out.Reached, out.Pushes)
		}
	}
	c := keptRun(t, "ssp")
	c.Record = filepath.Join(t.TempDir(), "trail.jsonl")
	_, states := observed(t, c)
	trail := oktest.Must(os.ReadFile(c.Record))(t)
	putState(t, c, states[1])
	mustRun(t, c)
	if again, err := os.ReadFile(c.Record); err != nil || !bytes.Equal(again, trail) {
		t.Errorf("another audit trail (%v)", err)
	}
	c = keptRun(t, "asp")
	c.Lease = 9 * time.Millisecond
	if out := interrupted(t, c); out.Log.Stats(0).Dropped == 0 {
		t.Error("nobody's lease ran out: the test says nothing of it")
	}
}

// Options of coded SGD and what int32 could not hold.
func TestCodedGoesOnFromItsStates(t *testing.T) {
	oktest.Slow(t)
	for name, o := range map[string]codedsgd.Options{
		"literal": {Redundancy: 2, Literal: true}, "rounds": {Redundancy: 2, MicroBlocks: 12, Rounds: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := keptRun(t, codedsgd.CSSGD)
			o.Range = 1e-3 // some gradients are beyond
			c.Coded, c.WeightDecay = &o, 1e-3
			if out := interrupted(t, c); out.Coded.Totals.Saturated == 0 {
				t.Error("nothing was saturated: the test says nothing of it")
			}
		})
	}
}

// Options of ringsparse, whose messages depend on numbers.
func TestSparseGoesOnFromItsStates(t *testing.T) {
	oktest.Slow(t)
	for name, o := range map[string]ringsparse.Options{
		"auto": {Bandwidth: 1e6}, "threshold": {Threshold: 1e-3, Kinds: "gradients", LogChoices: true, Codec: "bitmap"},
		"printed":    {Rule: "printed", Size: "layer", Sign: "printed"},
		"all-gather": {Exchange: "all-gather", LogChoices: true, Bandwidth: 1e6}, "entropy": {Codecs: []string{"rle", "bitmap"}, Bandwidth: 1e6},
	} {
		t.Run(name, func(t *testing.T) {
			c := keptRun(t, "ringsparse")
			c.RingSparse, c.RawPixels = &o, true
			out := interrupted(t, c)
			if name != "printed" && out.RingSparse.Totals.Sent.Bytes == out.RingSparse.Totals.Sent.DenseBytes {
				t.Error("nothing was compressed: the test says nothing of it")
			}
		})
	}
}

// On a real clock a run that goes on ends with the parameters of the run that nobody disturbed.
func TestRealClocksGoOnFromStates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for i, sync := range append([]string{"bsp"}, Serverless()...) {
		for k, runtime := range []string{"local", "tcp"} {
			if i%2 != k && os.Getenv("GRADSYNC_LONG") == "" {
				continue // one runtime of two for each method
			}
			t.Run(runtime+"/"+sync, func(t *testing.T) {
				c := keptRun(t, sync)
				c.Runtime, c.Trace = runtime, ""
				if sync == "ringsparse" {
					c.RingSparse = &ringsparse.Options{Threshold: 1e-3, Kinds: "gradients", Codec: "bitmap"}
				} else if c.Coded == nil {
					c.Momentum = 0.5
				}
				goesOn(t, c)
			})
		}
	}
}

// goesOn runs c undisturbed and again from states that it had on the way.
func goesOn(t *testing.T, c Config) {
	t.Helper()
	want, states := observed(t, c)
	for i, b := range states {
		putState(t, c, b)
		got := mustRun(t, c)
		if got.ParamsSHA256 != want.ParamsSHA256 || got.Updates != want.Updates || got.Pushes != want.Pushes || *got.TestAccuracy != *want.TestAccuracy ||
			len(got.Curve) != len(want.Curve) {
			t.Fatalf("from state %d: got %s\nwant %s", i, text(t, got), text(t, want))
		}
		if got.Resumed < 1 || i == len(states)-1 && got.Resumed != want.Updates {
			t.Errorf("from state %d: resumed after update %d", i, got.Resumed)
		}
		if s := got.RingSparse; s != nil && (s.Totals.Hops == nil || s.Totals.Codecs == nil) {
			t.Errorf("from state %d: totals without lists: %+v", i, s.Totals)
		}
		for k, p := range got.Curve {
			if q := want.Curve[k]; p.Updates != q.Updates || p.Accuracy != q.Accuracy || p.Loss != q.Loss || k > 0 && p.Seconds <= got.Curve[k-1].Seconds {
				t.Errorf("from state %d: evaluation %d is %v, want %v", i, k, p, q)
			}
		}
	}
}

// counted is a stepper whose gradients are counted.
type counted struct {
	model.Stepper
	gradients *atomic.Int64
}

func (s counted) Gradient(params, grads, x []float32, labels []uint8, on tensor.OnGrad) (float64, error) {
	s.gradients.Add(1)
	return s.Stepper.Gradient(params, grads, x, labels, on)
}

// What an update has used is not computed again: from the state at the end a run computes at most the gradients that were under way.
func TestUsedGradientsAreNotComputedAgain(t *testing.T) {
	var gradients atomic.Int64
	Backends["counted"] = func(m *model.Model, batch int) (model.Stepper, error) {
		e, err := tensor.Lookup("portable")
		return counted{m.NewWorkspace(e, batch, 1), &gradients}, err
	}
	defer delete(Backends, "counted")
	for _, sync := range []string{"dasp", "bsp", "ring", "cssgd", "ringsparse"} {
		c := keptRun(t, sync)
		c.Backend = "counted"
		want, states := observed(t, c)
		all := gradients.Swap(0)
		putState(t, c, states[len(states)/2])
		alike(t, sync, mustRun(t, c), want)
		amid := gradients.Swap(0)
		var said string
		c.TellStart = func(line string) { said = line }
		alike(t, sync, mustRun(t, c), want)
		if last := gradients.Swap(0); amid > all*2/3 || last > int64(len(c.Platform.Workers)) || sync != "dasp" && last > 0 {
			t.Errorf("%s: %d gradients, %d from amid, %d from the end", sync, all, amid, last)
		}
		if !strings.Contains(said, "nothing is trained") || !strings.Contains(said, stateFile(c)) {
			t.Errorf("%s: said %q", sync, said)
		}
	}
}

// What grows with a run's steps is not in the header of its states, whose length the format bounds.
func TestHeadersOfStatesDoNotGrow(t *testing.T) {
	for _, sync := range []string{"asp", "ringsparse"} {
		header := func(pushes int64) uint64 {
			c := keptRun(t, sync)
			c.MaxPushes, c.EvalEvery, c.CheckpointEvery, c.Trace = pushes, -1, pushes, ""
			mustRun(t, c)
			return binary.LittleEndian.Uint64(oktest.Must(os.ReadFile(stateFile(c)))(t))
		}
		if few, many := header(40), header(320); many > few+100 {
			t.Errorf("%s: %d bytes after 40 gradients, %d after 320", sync, few, many)
		}
	}
}

// A state of another run, a damaged one and one of a newer program are errors of one line that name the file; it
// stays, and nothing begins anew.
func TestStatesAreRefused(t *testing.T) {
	c := keptRun(t, "dasp")
	_, states := observed(t, c)
	whole := states[0]
	newer := bytes.Replace(whole, []byte(`"format":"1"`), []byte(`"format":"2"`), 1)
	flipped := slices.Clone(whole)
	flipped[len(flipped)-5] ^= 4
	for name, x := range map[string]struct {
		state  []byte
		change func(*Config)
		want   string
	}{
		"cut":       {state: whole[:len(whole)/2], want: "is damaged"},
		"empty":     {state: []byte{}, want: "is damaged"},
		"flipped":   {state: flipped, want: "its bytes do not have its hash"},
		"newer":     {state: newer, want: "has format 2, this gradsync reads 1"},
		"rate":      {change: func(c *Config) { c.Rate = 0.1 }, want: "rate is 0.05 there and 0.1 here"},
		"method":    {change: func(c *Config) { c.Sync = "asp" }, want: `sync is "dasp" there and "asp" here`},
		"data":      {change: func(c *Config) { c.RawPixels, c.Seed = true, 4 }, want: "raw_pixels is not given there and true here, seed is 3 there and 4 here"},
		"momentum":  {change: func(c *Config) { c.Momentum = 0.5 }, want: "momentum is 0 there and 0.5 here"},
		"the other": {state: []byte(`no state at all, but long enough to have a header`), want: "is damaged"},
	} {
		with, state := c, whole
		if x.state != nil {
			state = x.state
		}
		putState(t, c, state)
		if x.change != nil {
			x.change(&with)
		}
		_, err := Run(context.Background(), with)
		in := (*InputError)(nil)
		if err == nil || errors.As(err, &in) || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), stateFile(c)) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one of a line with %q", name, err, x.want)
		}
		if b, err := os.ReadFile(stateFile(c)); err != nil || !bytes.Equal(b, state) {
			t.Errorf("%s: the state did not stay (%v)", name, err)
		}
	}
}

// What cannot go on is refused before anything begins, and says why.
func TestCheckpointUsage(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"wants --every N":             func(c *Config) { c.CheckpointEvery = 0 },
		"--every 7 is of":             func(c *Config) { c.CheckpointDir = "" },
		"not for a timing-only run":   func(c *Config) { c.TimingOnly = true },
		"not for --elastic":           func(c *Config) { c.Elastic.Elastic = true },
		"not for ssp on local":        func(c *Config) { c.Sync, c.Runtime = "ssp", "local" },
		"not for --lease on local":    func(c *Config) { c.Sync, c.Runtime, c.Lease = "bsp", "local", time.Second },
		"not for --record":            func(c *Config) { c.Sync, c.Runtime, c.Record = "bsp", "tcp", "trail" },
		"not for a run on another ne": func(c *Config) { c.Clock = &Clock{} },
	} {
		c := keptRun(t, "dasp")
		change(&c)
		_, err := Run(context.Background(), c)
		if in := (*InputError)(nil); !errors.As(err, &in) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, sync := range Methods() {
		if _, err := keptRun(t, sync).withDefaults(); err != nil {
			t.Errorf("%s on virtual: %v", sync, err)
		}
	}
}

// Where the first rank could not begin a state, the others leave the error to it.
func TestAStateThatNobodyBeganIsNoPanic(t *testing.T) {
	x := &replica{runner: &runner{keeping: &keeping{every: 1, open: map[int64]*ranksState{}}}, steps: 5}
	if err := x.keepRank(1, false); err != nil {
		t.Error(err)
	}
}

// TestTheIdentityReadsUpToALimit: a recorded order that has grown since it was first read is refused, and not all read.
func TestTheIdentityReadsUpToALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order")
	oktest.Nil(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, audit.MaxFile+1)))
	r := &runner{cfg: Config{Server: Server{Replay: path}}, out: &Outcome{}, shared: &shared{set: &datasets.Set{}}}
	if _, err := r.identity(); err == nil || !strings.Contains(err.Error(), "at most 1073741824 are read") {
		t.Error(err)
	}
}
