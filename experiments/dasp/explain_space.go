package dasp

import (
	"math"
	"slices"
	"strconv"

	"gradsync/shared/cluster"
)

// The search space, its loss and its seeds were written down before the first
// run against the paper's numbers. A point is a vector of coordinates in
// [0, 1], one per axis; laboratories are points decoded.

// axis is one parameter of a laboratory that the search may choose.
type axis struct {
	Key, Title, Unit string
	Lo, Hi           float64
	Scale            scale
}

type scale string

const (
	byLog  scale = "logarithmic"
	linear scale = "linear"
	whole  scale = "whole numbers, logarithmic from the lower end"
)

// axes are all parameters: hardware, the six compute times, the methods'
// parameters. The ranges are as wide as a laboratory of 2021–22 could be, and a
// little wider, so that what lies outside is worth a sentence.
var axes = []axis{
	{"server_link", "server's link", "Gb/s", 0.1, 400, byLog},
	{"worker_link", "workers' link", "Gb/s", 0.1, 400, byLog},
	{"latency", "one-way latency", "ms", 0.01, 20, byLog},
	{"decision", "server's own time per gradient", "ms", 0.01, 20, byLog},
	{"update", "server's memory, which bounds the update", "GB/s", 0.5, 200, byLog},
	{"launch", "host's time per layer (once forward, twice backward)", "µs", 1, 1000, byLog},
	{"overhead", "host's time per iteration", "ms", 0.1, 100, byLog},
	{"jitter", "relative standard deviation of a computation", "", 0.01, 2, byLog},
	{"fastest", "fastest heterogeneous worker's time, homogeneous = 1", "", 0.25, 4, byLog},
	{"spread", "slowest over fastest heterogeneous worker's time", "", 1, 64, byLog},
	{"between_1", "second worker's place between fastest and slowest", "", 0, 1, linear},
	{"between_2", "third worker's place", "", 0, 1, linear},
	{"between_3", "fourth worker's place", "", 0, 1, linear},
	{"between_4", "fifth worker's place", "", 0, 1, linear},
	{"smin", "Smin", "versions", 0, 60, whole},
	{"band", "Smax − Smin", "versions", 1, 600, whole},
	{"alpha", "α", "", 0, 2, linear},
	{"staleness", "SSP's s", "clocks", 0, 30, whole},
	{"lower", "DSSP's lower bound", "clocks", 0, 15, whole},
	{"range", "DSSP's upper − lower bound", "clocks", 0, 60, whole},
}

// The axes by group; a move of the search may stay within one.
const (
	firstTime   = 8
	firstOption = 14
)

// space says which axes are free: with tables' thresholds the last six are not.
type space struct {
	Key, Title string
	With       string // the same, in a sentence
	Free       int    // axes[:Free]
}

var spaces = []space{
	{"laboratory", "laboratory free, thresholds of the tables", "with the tables' thresholds", firstOption},
	{"thresholds", "laboratory and thresholds free", "with thresholds free as well", len(axes)},
}

// value is the parameter at coordinate u, with three significant digits: enough
// for a laboratory, and the last bit of a machine's exp decides nothing.
func (a axis) value(u float64) float64 {
	switch a.Scale {
	case byLog:
		return digits(a.Lo * math.Pow(a.Hi/a.Lo, u))
	case whole:
		return a.Lo + math.Round(digits(math.Pow(a.Hi-a.Lo+1, u))) - 1
	}
	return digits(a.Lo + float64(u*(a.Hi-a.Lo)))
}

// coordinate is the inverse of value, up to its rounding.
func (a axis) coordinate(x float64) float64 {
	switch a.Scale {
	case byLog:
		return math.Log(x/a.Lo) / math.Log(a.Hi/a.Lo)
	case whole:
		return math.Log(x-a.Lo+1) / math.Log(a.Hi-a.Lo+1)
	}
	return (x - a.Lo) / (a.Hi - a.Lo)
}

func digits(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		panic(err) // FormatFloat wrote it
	}
	return y
}

// decode returns the laboratory at x. A point of the smaller space has fewer
// coordinates; its methods keep the tables' parameters.
func decode(x []float64) laboratory {
	v := make([]float64, len(x))
	for i, u := range x {
		v[i] = axes[i].value(u)
	}
	l := laboratory{Options: options(), Hardware: hardware{ServerLink: v[0], WorkerLink: v[1], Latency: v[2], Decision: v[3],
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

// widened returns the point of the larger space that is the same laboratory
// with the tables' thresholds.
func widened(x []float64) []float64 {
	o := options()
	out := slices.Clone(x[:firstOption])
	for i, v := range []float64{float64(o.Smin), float64(o.Smax - o.Smin), o.Alpha, float64(o.Staleness), float64(o.Lower), float64(o.Upper - o.Lower)} {
		out = append(out, axes[firstOption+i].coordinate(v))
	}
	return out
}

// hypercube returns n points of a seeded Latin hypercube: each axis is cut into
// n slices, and each slice is used once.
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
