package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

const someJob = `{"kind":"gemm","contender":"x","threads":1,"m":1,"n":1,"k":1}` + "\n"

// serve runs a worker on the given lines and decodes what it answered.
func serve(t *testing.T, lines string, open Opener) []Reply {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(strings.NewReader(lines), &out, open); err != nil {
		t.Fatal(err)
	}
	var replies []Reply
	for d := json.NewDecoder(&out); d.More(); {
		var r Reply
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	return replies
}

// ticking stops the clock of the steps; pass moves it on.
func ticking(t *testing.T) (pass func(time.Duration)) {
	at, before := time.Now(), now
	t.Cleanup(func() { now = before })
	now = func() time.Time { return at }
	return func(d time.Duration) { at = at.Add(d) }
}

var kept [][]byte

// A worker counts what its steps take: time, of the clock and of the processor, allocations, and in the profile the
// functions it spent it in. Each step takes 20 ms of either, however busy the machine.
func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	const each = 10_000 // allocations of a step, beside which those of the runtime are few
	pass, ran := ticking(t), 0
	got := serve(t, someJob+`{"steps":3}`+"\n"+`{"profile_seconds":0.2}`+"\n"+`{"stop":true}`+"\n", func(j Job) (*Task, error) {
		if j != (Job{Kind: KindGemm, Contender: "x", Threads: 1, M: 1, N: 1, K: 1}) {
			t.Errorf("job %+v", j)
		}
		return &Task{Class: "c", Bytes: 5, Run: func(steps int) error {
			ran += steps
			for range steps {
				kept = kept[:0]
				start := cpuSeconds()
				for range each {
					kept = append(kept, make([]byte, 64))
				}
				for cpuSeconds() < start+0.02 { // busy, so that there is something to profile
				}
				pass(20 * time.Millisecond)
			}
			return nil
		}}, nil
	})
	if len(got) != 4 {
		t.Fatalf("%d replies: %+v", len(got), got)
	}
	if h := got[0]; h.Class != "c" || h.StepBytes != 5 || math.Abs(h.StepSeconds-0.02) > 1e-12 {
		t.Errorf("hello %+v", h)
	}
	if s := got[1].Sample; s.Steps != 3 || math.Abs(s.Seconds-0.06) > 1e-12 || s.CPUSeconds < 0.06 || s.Mallocs < 3*each || s.Mallocs >= 4*each {
		t.Errorf("sample %+v: want 3 steps of 20 ms and %d allocations each", s, each)
	}
	var sum float64
	for _, f := range got[2].Functions {
		sum += f.Share
	}
	if len(got[2].Functions) == 0 || sum < 0.999 || sum > 1.001 {
		t.Errorf("profile %+v: shares sum to %v", got[2].Functions, sum)
	}
	if got[3].PeakBytes < 0 || ran < 6 {
		t.Errorf("peak %d after %d steps", got[3].PeakBytes, ran)
	}
}

// A worker told to use more threads than there are cores runs no more Go code at
// once than there are.
func TestServeKeepsToTheCores(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	used := 0
	job := fmt.Sprintf(`{"kind":"gemm","contender":"x","threads":%d,"m":1,"n":1,"k":1}`+"\n", 3*runtime.NumCPU())
	serve(t, job, func(Job) (*Task, error) {
		used = runtime.GOMAXPROCS(0)
		return nil, errors.New("enough")
	})
	if used != runtime.NumCPU() {
		t.Errorf("GOMAXPROCS %d on %d cores", used, runtime.NumCPU())
	}
}

// What cannot be opened, a job that makes no sense, and a step that fails are
// answers, not ends without a word.
func TestServeAnswersErrors(t *testing.T) {
	fails := func(Job) (*Task, error) { return nil, errors.New("no such network") }
	if got := serve(t, someJob, fails); len(got) != 1 || got[0].Error != "no such network" {
		t.Errorf("%+v", got)
	}
	if got := serve(t, `{"kind":"step","threads":0}`+"\n", fails); len(got) != 1 || !strings.Contains(got[0].Error, "threads") {
		t.Errorf("%+v", got)
	}
	pass, calls := ticking(t), 0
	got := serve(t, someJob+`{"steps":1}`+"\n", func(Job) (*Task, error) {
		return &Task{Run: func(int) error {
			if calls++; calls > 3 {
				return errors.New("the loss became NaN")
			}
			pass(51 * time.Millisecond)
			return nil
		}}, nil
	})
	if len(got) != 2 || got[0].Error != "" || got[1].Error != "the loss became NaN" {
		t.Errorf("%+v", got)
	}
	if err := Serve(strings.NewReader("what?"), &bytes.Buffer{}, fails); err == nil {
		t.Error("a worker took a line that is no job")
	}
}

// A profile's innermost functions count, the smallest are added up, and shares
// sum to one.
func TestFlatten(t *testing.T) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	frame := func(name string) *profile.Location {
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
		l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		return l
	}
	caller := frame("main")
	for i := range 20 { // 1 + 2 + … + 20 = 210 samples
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{frame(fmt.Sprintf("gradsync/papers/f%d", i+1)), caller},
			Value: []int64{int64(i + 1)}})
	}
	p.Sample = append(p.Sample, &profile.Sample{Value: []int64{90}}) // nobody's code
	var raw bytes.Buffer
	if err := p.Write(&raw); err != nil {
		t.Fatal(err)
	}
	got, err := flatten(&raw)
	if err != nil || len(got) != topFunctions {
		t.Fatalf("%v, %v", got, err)
	}
	rest := 0.0
	for n := 1; n <= 20-(topFunctions-2); n++ {
		rest += float64(n) / 300
	}
	if got[0] != (Function{"(unknown)", 0.3}) || got[1] != (Function{"papers/f20", 20.0 / 300}) || got[topFunctions-1].Name != "(other)" ||
		math.Abs(got[topFunctions-1].Share-rest) > 1e-12 {
		t.Errorf("%v, want (other) %v", got, rest)
	}
	if _, err := flatten(bytes.NewReader([]byte("no profile"))); err == nil {
		t.Error("flattened what is no profile")
	}
}
