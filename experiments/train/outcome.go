package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"time"

	"gradsync/experiments/result"
	"gradsync/papers/dasp"
)

// Outcome holds the results of a training. On the virtual runtime the same Config gives the same
// Outcome but for WallSeconds; on local it does for synchronous methods, but for all times.
type Outcome struct {
	Sync  string `json:"sync"`
	Model string `json:"model"`
	// Width and Image where they are not the network's own; Config has more.
	Width    float64 `json:"width,omitempty"`
	Image    int     `json:"image,omitempty"`
	Platform string  `json:"platform"`
	Runtime  string  `json:"runtime"`
	Workers  int     `json:"workers"`
	Seed     uint64  `json:"seed"`
	Batch    int     `json:"batch"`

	// TestAccuracy is over all test images, with the final parameters; nil
	// where nothing was trained.
	TestAccuracy *float64 `json:"test_accuracy"`
	Updates      int64    `json:"updates"`
	Pushes       int64    `json:"pushes"`
	// Answered counts the pushes behind the iteration times and state shares: those after the warm-up
	// that were answered before the run's end.
	Answered int64 `json:"answered"`
	// Reached is the first evaluation at or above the target; nil without.
	Reached *Point `json:"reached"`
	// Search holds the time to the target accuracy; nil without one.
	Search *Search `json:"search,omitempty"`
	// Diverged is the first evaluation, the final one included, that found the loss
	// or a parameter not finite; nil without. Nothing but a search for a target
	// ends at it: evaluations may run beside the training.
	Diverged *Divergence `json:"diverged"`

	VirtualSeconds *float64      `json:"virtual_seconds"` // nil on a real clock
	WallSeconds    float64       `json:"wall_seconds"`
	Iteration      IterationTime `json:"iteration_seconds"`

	StateShare   map[string]float64 `json:"state_share"`   // of pushes, by QIS, WSS, FSS, held (by another method)
	StateSeconds map[string]float64 `json:"state_seconds"` // from a gradient's arrival to its answer, all together
	Staleness    Distribution       `json:"staleness"`     // version at apply − version at pull
	Gap          Distribution       `json:"gap"`           // v_n − v_min that Algorithm 1 saw
	Clock        Distribution       `json:"clock"`         // worker's clock − slowest clock
	BytesSent    int64              `json:"bytes_sent"`    // bodies on the wire, all ranks
	// Insecure says that --insecure let a job's ranks speak in the clear off loopback.
	Insecure bool `json:"insecure,omitempty"`
	// KernelBytes is the operating system's count of bytes sent on the sockets, frame headers
	// included; absent without sockets.
	KernelBytes  int64          `json:"kernel_bytes,omitempty"`
	RingSparse   *SparseOutcome `json:"ringsparse,omitempty"`
	Coded        *CodedOutcome  `json:"coded,omitempty"`
	Best         *Best          `json:"best,omitempty"` // of Config.Best
	ParamsSHA256 string         `json:"params_sha256"`  // of the float32 bits; "" where nothing was trained, null in JSON

	Data   *result.Data `json:"data"`
	Engine string       `json:"engine"` // name and bit class; "" where nothing was trained, null in JSON
	// Collective is the library with its version that summed gradients on devices, whose traffic
	// BytesSent does not have; "": messages did.
	Collective string `json:"collective,omitempty"`
	// NormStatistics is nil for a network without batch norms.
	NormStatistics *NormStatistics `json:"norm_statistics,omitempty"`
	Curve          []Point         `json:"curve"`

	// Resumed is how many updates an earlier process had made from whose state a run on a real clock went on: its times
	// and bytes are of what came after. Absent on virtual, where they are of the whole run.
	Resumed int64 `json:"resumed_after,omitempty"`
	// Lost are the ranks that an elastic run went on without, in that order. Pushes of a method without a server count
	// all workers in each update, as if none were.
	Lost []int `json:"lost,omitempty"`

	Log  *dasp.Log       `json:"-"` // every push and update; nil without a server
	Ends []time.Duration `json:"-"` // of each update on the last rank; nil with a server
}

// IterationTime is the mean iteration time in seconds by its three readings.
type IterationTime struct {
	PerWorker float64   `json:"per_worker"` // mean over workers of their means, waits included
	PerPush   float64   `json:"per_push"`   // mean over all iterations
	PerUpdate float64   `json:"per_update"` // between two versions
	ByWorker  []float64 `json:"by_worker"`
}

// Distribution describes whole numbers; Counts[x] is how often x occurred.
type Distribution struct {
	Mean   float64 `json:"mean"`
	Median int64   `json:"median"`
	P99    int64   `json:"p99"`
	Max    int64   `json:"max"`
	Counts []int64 `json:"counts"`
}

func distribution(h dasp.Histogram) Distribution {
	return Distribution{h.Mean(), h.Quantile(0.5), h.Quantile(0.99), h.Max(), append([]int64{}, h...)}
}

// fromLog fills in what the server's log says.
func (o *Outcome) fromLog(l *dasp.Log, warmup int64) {
	s := l.Stats(warmup)
	o.Log = l
	o.Updates = int64(len(l.Updates))
	if n := len(l.Updates); n > 0 {
		o.Pushes = l.Updates[n-1].Pushes
	}
	o.Answered = s.Pushes
	t := s.Iteration
	o.Iteration = IterationTime{t.PerWorker, t.PerPush, t.PerUpdate, t.ByWorker}
	for _, st := range s.States {
		name := st.State.String()
		if st.State == 0 {
			name = "held"
		}
		o.StateShare[name], o.StateSeconds[name] = st.Share, st.Seconds
	}
	o.Staleness, o.Gap, o.Clock = distribution(s.Staleness), distribution(s.Gap), distribution(s.Clock)
}

// ParamsHash returns the SHA-256 of the parameters' little-endian float32 bits.
func ParamsHash(params []float32) string {
	h := sha256.New()
	var b [4]byte
	for _, p := range params {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(p))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// reached finds the first evaluation at or above target; 0 is no target. It is an evaluation
// that was made, with its loss, which the run itself reports; tables ask Reach, which goes
// linearly between two and so names an earlier instant.
func reached(curve []Point, target float64) *Point {
	for i := range curve {
		if target > 0 && curve[i].Accuracy >= target {
			return &curve[i]
		}
	}
	return nil
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}

// MarshalJSON writes null where there is nothing to tell: times and shares of
// no pushes, engine and parameters of a run that computed none. A 0 would read
// as a measurement.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type plain Outcome
	p := struct {
		plain
		Iteration    iterationJSON       `json:"iteration_seconds"`
		StateShare   map[string]*float64 `json:"state_share"`
		ParamsSHA256 *string             `json:"params_sha256"`
		Engine       *string             `json:"engine"`
	}{plain: plain(o), StateShare: map[string]*float64{}, ParamsSHA256: orNull(o.ParamsSHA256), Engine: orNull(o.Engine)}
	for state, share := range o.StateShare {
		p.StateShare[state] = unless(o.Answered == 0, share)
	}
	t := o.Iteration
	p.Iteration = iterationJSON{PerWorker: unless(o.Answered == 0, t.PerWorker), PerPush: unless(o.Answered == 0, t.PerPush),
		PerUpdate: unless(o.Answered == 0 || t.PerUpdate == 0, t.PerUpdate), ByWorker: []*float64{}}
	for _, s := range t.ByWorker {
		p.Iteration.ByWorker = append(p.Iteration.ByWorker, unless(s == 0, s)) // an iteration takes time: 0 is a mean of none
	}
	return json.Marshal(p)
}

// iterationJSON is IterationTime with null for a mean of nothing.
type iterationJSON struct {
	PerWorker *float64   `json:"per_worker"`
	PerPush   *float64   `json:"per_push"`
	PerUpdate *float64   `json:"per_update"` // null also with fewer than two updates after the warm-up
	ByWorker  []*float64 `json:"by_worker"`
}

// unless returns &v, or nil where nothing is known.
func unless(nothing bool, v float64) *float64 {
	if nothing {
		return nil
	}
	return &v
}

// orNull returns &s, or nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
