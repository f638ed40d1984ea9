package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// hardware is common to both clusters of a candidate laboratory. It is comparable, because runs are
// remembered by it.
type hardware struct {
	ServerLink float64 // Gb/s, each direction
	WorkerLink float64
	Latency    float64 // one way, both ends together
	Decision   float64 // the server's own time per gradient, beside the update
	Update     float64 // GB/s at which the server updates weights
	Launch     float64 // per layer, once forward and twice backward
	Overhead   float64 // per iteration beside the layers
	Jitter     float64 // relative standard deviation of a computation
}

// laboratory is a candidate: the hardware of both clusters, the compute times of the
// heterogeneous six relative to a homogeneous worker, and the methods' parameters.
type laboratory struct {
	Hardware hardware
	Times    [6]float64 // ascending
	Options  rivals.Options
}

// equalTimes are the compute times of the homogeneous six.
var equalTimes = [6]float64{1, 1, 1, 1, 1, 1}

// platform returns a cluster of the laboratory as the simulator knows it.
func (h hardware) platform(name string, times [6]float64) *cluster.Platform {
	const gbps = 1e9 / 8
	end := time.Duration(math.Round(h.Latency * 1e6 / 2))
	p := &cluster.Platform{Name: name, Decision: time.Duration(math.Round(h.Decision * 1e6)),
		Server: &cluster.Host{Name: "server", FLOPS: serverFLOPS, Memory: h.Update * 1e9, Bandwidth: h.ServerLink * gbps, Latency: end,
			Overhead: perMessage}}
	for i, t := range times {
		flops := deviceFLOPS / t
		p.Workers = append(p.Workers, cluster.Host{Name: fmt.Sprintf("worker%d", i), FLOPS: flops, Memory: flops * memoryPerFLOP,
			Jitter: h.Jitter, Bandwidth: h.WorkerLink * gbps, Latency: end, Overhead: perMessage})
	}
	return p
}

const (
	// deviceFLOPS is a homogeneous worker's effective rate, as in homogeneous6. It is not
	// searched: the paper states ratios, and a laboratory whose devices, links and hosts are all
	// slower in proportion has the same ratios.
	deviceFLOPS = 4.9e12
	perMessage  = 10 * time.Microsecond // NIC time beside a message's bytes, as on the reference platforms
	serverFLOPS = 500e9                 // as on the reference platforms; memory bounds the update
	// memoryPerFLOP is the reference device's bytes per floating-point operation:
	// 675 GB/s at 7.85 TFLOP/s. Faster candidates have faster memory.
	memoryPerFLOP = 675e9 / train.ReferenceFLOPS
)

// config returns the timing-only run of the tables in laboratory l. Launch and overhead are the
// device's own; train.Config has them for the reference device, so they are scaled.
func (l laboratory) config(platform, method, model string, seed uint64) train.Config {
	times := equalTimes
	if platform == setup.Heterogeneous {
		times = l.Times
	}
	cfg := setup.Timing(l.Hardware.platform(platform, times), method, model, seed)
	o := l.Options
	cfg.Options = &o
	scale := deviceFLOPS / train.ReferenceFLOPS
	cfg.Launch = time.Duration(math.Round(l.Hardware.Launch * scale * 1e3))
	cfg.Overhead = time.Duration(math.Round(l.Hardware.Overhead * scale * 1e6))
	return cfg
}

// The search space, its loss and its seeds were written down before the first run against the
// paper's numbers. A point is a vector of coordinates in [0, 1], one per axis; decode makes a
// laboratory of it.

// axis is one parameter of a laboratory that the search may choose.
type axis struct {
	Key, Unit string
	Lo, Hi    float64
	Scale     scale
}

// scale says how a coordinate is mapped to the range of its axis.
type scale string

const (
	byLog  scale = "logarithmic"
	linear scale = "linear"
	whole  scale = "whole" // whole numbers, logarithmic from the lower end
)

// axes lists all parameters: hardware, the six compute times, the methods' parameters. The ranges
// are as wide as a laboratory of 2021–22 could be, and a little wider, so that a fit at the edge
// would be worth a sentence.
var axes = []axis{
	{"server_link", "Gb/s", 0.1, 400, byLog},
	{"worker_link", "Gb/s", 0.1, 400, byLog},
	{"latency", "ms", 0.01, 20, byLog},
	{"decision", "ms", 0.01, 20, byLog}, // the server's own time per gradient
	{"update", "GB/s", 0.5, 200, byLog}, // the server's memory, which bounds the update
	{"launch", "µs", 1, 1000, byLog},    // the host's, per layer: once forward, twice backward
	{"overhead", "ms", 0.1, 100, byLog}, // the host's, per iteration
	{"jitter", "", 0.01, 2, byLog},      // relative standard deviation of a computation
	{"fastest", "", 0.25, 4, byLog},     // heterogeneous worker's time, homogeneous = 1
	{"spread", "", 1, 64, byLog},        // slowest over fastest of them
	{"between_1", "", 0, 1, linear},     // places of the other four between fastest and slowest
	{"between_2", "", 0, 1, linear},
	{"between_3", "", 0, 1, linear},
	{"between_4", "", 0, 1, linear},
	{"smin", "versions", 0, 60, whole},
	{"band", "versions", 1, 600, whole}, // Smax − Smin
	{"alpha", "", 0, 2, linear},
	{"staleness", "clocks", 0, 30, whole}, // SSP's s
	{"lower", "clocks", 0, 15, whole},     // DSSP's
	{"range", "clocks", 0, 60, whole},     // DSSP's upper − lower bound
}

// The axes by group; a move of the search may stay within one.
const (
	firstTime   = 8
	firstOption = 14
)

// space says which axes are free. Where the tables' thresholds hold, the last six are not.
type space struct {
	Key    string
	Free   int    // axes[:Free]
	stream string // names its draws: another name is another search
}

// spaces lists the two spaces, the smaller first.
var spaces = []space{
	{"laboratory", firstOption, "laboratory free, thresholds of the tables"},
	{"thresholds", len(axes), "laboratory and thresholds free"},
}

// value returns the parameter at coordinate u, with three significant digits: enough for a
// laboratory, so that the last bit of a machine's exp decides nothing.
func (a axis) value(u float64) float64 {
	switch a.Scale {
	case byLog:
		return digits(a.Lo * math.Pow(a.Hi/a.Lo, u))
	case whole:
		return a.Lo + math.Round(digits(math.Pow(a.Hi-a.Lo+1, u))) - 1
	}
	return digits(a.Lo + float64(u*(a.Hi-a.Lo)))
}

// coordinate returns the coordinate of x: it inverts value, up to rounding.
func (a axis) coordinate(x float64) float64 {
	switch a.Scale {
	case byLog:
		return math.Log(x/a.Lo) / math.Log(a.Hi/a.Lo)
	case whole:
		return math.Log(x-a.Lo+1) / math.Log(a.Hi-a.Lo+1)
	}
	return (x - a.Lo) / (a.Hi - a.Lo)
}

// digits rounds x to three significant digits.
func digits(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		panic(err) // FormatFloat wrote it
	}
	return y
}

// decode returns the laboratory at x. A point of the smaller space has fewer coordinates; its
// methods keep the tables' parameters.
func decode(x []float64) laboratory {
	v := make([]float64, len(x))
	for i, u := range x {
		v[i] = axes[i].value(u)
	}
	l := laboratory{Options: setup.Options(), Hardware: hardware{ServerLink: v[0], WorkerLink: v[1], Latency: v[2], Decision: v[3],
		Update: v[4], Launch: v[5], Overhead: v[6], Jitter: v[7]}}
	places := append([]float64{0, 1}, v[10:14]...)
	slices.Sort(places)
	for i, p := range places {
		l.Times[i] = digits(v[8] * math.Pow(v[9], p))
	}
	if len(x) > firstOption {
		o := &l.Options
		o.Smin, o.Alpha, o.Staleness, o.Lower = int64(v[14]), v[16], int64(v[17]), int64(v[18])
		o.Smax, o.Upper = o.Smin+int64(v[15]), o.Lower+int64(v[19])
	}
	return l
}

// widened returns the point of the larger space that is the same laboratory with the tables'
// thresholds.
func widened(x []float64) []float64 {
	o := setup.Options()
	out := slices.Clone(x[:firstOption])
	for i, v := range []float64{float64(o.Smin), float64(o.Smax - o.Smin), o.Alpha, float64(o.Staleness), float64(o.Lower), float64(o.Upper - o.Lower)} {
		out = append(out, axes[firstOption+i].coordinate(v))
	}
	return out
}

// hypercube returns n points of a seeded Latin hypercube: each axis is cut into n slices, and each
// slice is used once.
func hypercube(s space, n int) [][]float64 {
	r := cluster.Stream(searchSeed, 0, s.Key, "dasp/explain/scan")
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, s.Free)
	}
	for a := range s.Free {
		for i, slice := range r.Perm(n) {
			out[i][a] = (float64(slice) + r.Float64()) / float64(n)
		}
	}
	return out
}
