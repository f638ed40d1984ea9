// Package bench measures: training steps, matrix products and vector kernels of
// every engine, the coding of coded SGD, the host's share of a push, and all-reduces
// between processes, beside their peers. Each contender runs in a process of its own,
// so that its peak memory is its own and an interleaved round never meets
// another's threads or garbage; processes speak the protocol of Job and Reply,
// one JSON object a line, and peers in other languages speak it too.
package bench

import "fmt"

// Kinds of job.
const (
	KindStep = "step" // forward, backward and SGD update of a network
	KindGemm = "gemm" // one matrix product
	KindVec  = "vec"  // one pass of a vector kernel; KindCoded, KindPush, KindRing and KindStream stand with their workers
)

// Names of contenders that are no engine.
const (
	PyTorch = "pytorch"
	// PyTorchCUDA is PyTorch on the GPU, eager and without TF32.
	PyTorchCUDA = "pytorch-cuda"
	// PyTorchCompiled is PyTorch with torch.compile.
	PyTorchCompiled = "pytorch-compile"
	OpenBLAS        = "openblas"
	Gonum           = "gonum"
	Copy            = "copy"
)

// Job is the first line a worker reads: what to measure.
type Job struct {
	Kind      string `json:"kind"`
	Contender string `json:"contender"`        // engine, backend, library or kernel
	Threads   int    `json:"threads"`          // per call
	Device    string `json:"device,omitempty"` // of KindStep and KindVec: the GPU, "cuda:0", of contenders that compute on one

	// KindStep, KindPush. Width and Image 0 are the network's own.
	Model      string  `json:"model,omitempty"`
	Width      float64 `json:"width,omitempty"`
	Image      int     `json:"image,omitempty"`
	Batch      int     `json:"batch,omitempty"`
	Concurrent int     `json:"concurrent,omitempty"` // steps at once, each with its own weights

	// KindGemm: out[M][N] = a[M][K]·b[K][N].
	M int `json:"m,omitempty"`
	N int `json:"n,omitempty"`
	K int `json:"k,omitempty"`

	// KindVec, KindRing: bytes of float32 input. KindCoded: of a layer of int32. KindRing: processes.
	// KindMessages: ranks.
	Bytes int `json:"bytes,omitempty"`
	Ranks int `json:"ranks,omitempty"`
}

// order is every further line: run Steps steps, profile for ProfileSeconds, or stop.
type order struct {
	Steps          int     `json:"steps,omitempty"`
	ProfileSeconds float64 `json:"profile_seconds,omitempty"`
	Stop           bool    `json:"stop,omitempty"`
}

// Reply answers the job and each order.
type Reply struct {
	Error string `json:"error,omitempty"`

	// To the job, after warming up.
	Class       string   `json:"class,omitempty"`        // bit class, or the contender's name
	Facts       []string `json:"facts,omitempty"`        // versions and libraries, one sentence each
	StepSeconds float64  `json:"step_seconds,omitempty"` // of one warm step
	StepBytes   float64  `json:"step_bytes,omitempty"`   // read and written by one step, of a vector kernel

	// To an order of steps.
	Sample

	// To a profile.
	Functions []Function `json:"functions,omitempty"`

	// To stop: the process's largest resident set, 0 where the system does not say.
	PeakBytes int64 `json:"peak_bytes,omitempty"`
}

// Sample is one timed round of Steps steps, one after another; of a job with several concurrent
// ones, Steps of each.
type Sample struct {
	Steps      int     `json:"steps,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	CPUSeconds float64 `json:"cpu_seconds,omitempty"` // of the whole process
	Mallocs    int64   `json:"mallocs,omitempty"`     // heap objects; −1 where not counted
}

// Function is a line of a CPU profile: the share of samples in this function
// itself, callees not included.
type Function struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Images returns how many images one step sees.
func (j Job) Images() int { return j.Batch * j.Concurrent }

// Crowded warns of a job with more threads than there are cores; "" if it fits.
func (j Job) Crowded(cores int) string {
	steps := max(j.Concurrent, 1)
	if float64(j.Threads)*float64(steps) <= float64(cores) {
		return ""
	}
	who := count(j.Threads, "thread")
	if steps > 1 {
		who = fmt.Sprintf("%d concurrent steps of %s each", steps, who)
	}
	return fmt.Sprintf("%s on %s: they take turns, so speeds are lower and spreads wider than on a machine with a core for each", who, count(cores, "core"))
}

// processors returns how many cores a worker uses: as many as it has threads, so that one that was
// not asked for is not used, and no more than there are.
func (j Job) processors(cores int) int {
	return min(min(j.Threads, cores)*min(max(j.Concurrent, 1), cores), cores)
}

// FLOP returns the work of one step, all concurrent ones together; 0 for what is no arithmetic. It fails
// if the network does not exist.
func (j Job) FLOP() (float64, error) {
	switch j.Kind {
	case KindStep:
		m, err := network(j)
		if err != nil {
			return 0, err
		}
		return stepFLOP(m, j.Images()), nil
	case KindPush:
		_, err := network(j)
		return 0, err
	case KindGemm:
		return 2 * float64(j.M) * float64(j.N) * float64(j.K), nil
	}
	return 0, nil
}

// Check reports what is wrong with a job: the first bad number, by its flag. Which widths and
// images a network takes, the network says.
func (j Job) Check() error {
	least := []struct {
		kind, flag string
		value      int
	}{
		{j.Kind, "threads", j.Threads},
		{KindStep, "batch", j.Batch}, {KindStep, "concurrent", j.Concurrent}, {KindPush, "batch", j.Batch},
		{KindGemm, "m", j.M}, {KindGemm, "n", j.N}, {KindGemm, "k", j.K},
	}
	for _, l := range least {
		if l.kind == j.Kind && l.value < 1 {
			return fmt.Errorf("bench: --%s %d: at least 1", l.flag, l.value)
		}
	}
	switch {
	case (j.Kind == KindStep || j.Kind == KindPush) && !(j.Width >= 0):
		return fmt.Errorf("bench: --width %g: at least 0, the network's own", j.Width)
	case (j.Kind == KindStep || j.Kind == KindPush) && j.Image < 0:
		return fmt.Errorf("bench: --image %d: at least 0, the network's own", j.Image)
	case (j.Kind == KindVec || j.Kind == KindCoded) && (j.Bytes < 64 || j.Bytes%64 != 0):
		return fmt.Errorf("bench: %d bytes, want a multiple of 64", j.Bytes)
	}
	return nil
}

// Open opens a job of any kind for any contender that is linked or can be opened: the Opener of
// this binary.
func Open(j Job) (*Task, error) {
	switch j.Kind {
	case KindStep:
		return openStep(j)
	case KindGemm:
		return openGemm(j)
	case KindVec:
		if j.Device != "" {
			return openDeviceVec(j)
		}
		return openVec(j)
	case KindCoded:
		return openCoded(j)
	case KindPush:
		return openPush(j)
	case KindMessages:
		return openMessages(j)
	}
	return nil, fmt.Errorf("bench: no kind of job %q", j.Kind)
}
