// Package multiverse times every method in many readings of the DASP paper at once: what the paper
// leaves open is an axis with levels, a reading is one level of each, and a claim is judged by the
// share of admissible readings that find what the paper states. All that decides a verdict (axes,
// levels, weights, design, filters, rule) stands in declared.go and claims.OverReadings, and was
// committed before the first run.
//
//	Steegen, Tuerlinckx, Gelman, Vanpaemel. Increasing transparency through a multiverse analysis. 2016.
//	Simonsohn, Simmons, Nelson. Specification curve analysis. 2020.
package multiverse

import (
	"strings"

	"gradsync/experiments/kit"
	"gradsync/shared/cluster"
)

// level is one way to read an axis. Weight is how likely we hold it to be among the levels of its
// axis, by what the paper, the papers it cites and the laboratories of its time suggest; 0 on an
// axis whose levels are all as likely as one another.
type level struct {
	Key    string  `json:"key"`
	Weight float64 `json:"weight,omitempty"`
}

// axis is something that the paper leaves open. Platform says that it is of the laboratory, not of
// the methods.
type axis struct {
	Key      string  `json:"key"`
	Platform bool    `json:"platform"`
	Levels   []level `json:"levels"`
}

// levels returns levels without weights.
func levels(keys string) []level {
	return kit.Map(strings.Fields(keys), func(key string) level { return level{Key: key} })
}

// axes lists what a reading chooses; space.go says what each level sets.
//
// Four axes have weights. T_wait: how well each form fits the legend of eq. (1), which alone
// survives. Gap: Algorithm 2 sends the version in line 9, after Algorithm 1 has compared, and a
// post-update gap needs thresholds of its own, shifted by the N − 1 updates of the others, to tell
// equal workers apart at all. f: “the time of the last iteration” is what a worker can measure by
// itself. Adjustment: §3.2 names a cost of switching and gives no number, and a look-up is cheap; it
// stands where WSS or FSS begins or ends, since answers in QIS adjust nothing.
var axes = []axis{
	{"link", true, levels("link-1 link-10 link-25 link-100")},                 // Gb/s of every worker
	{"shards", true, levels("shards-1 shards-2 shards-6")},                    // the server's link over a worker's
	{"batch", true, levels("batch-32 batch-64 batch-128 batch-256")},          // images per iteration; 128 is DSSP's
	{"host", true, levels("host-1 host-3 host-10")},                           // ms per iteration beside the layers
	{"host-speed", true, levels("host-scaled host-fixed")},                    // with the card's speed, or not
	{"server", true, levels("server-fast server-slow")},                       // 50 µs and 40 GB/s, or 1 ms and 4 GB/s
	{"noise", true, levels("noise-2 noise-5 noise-20 noise-bursts")},          // jitter in per cent; 5 and bursts
	{"cards", true, levels("cards-six-kinds cards-two-kinds cards-one-slow")}, // heterogeneous6, mixed6, straggler6
	{"equal-cards", true, levels("equal-p100 equal-gtx1060 equal-v100")},      // of the homogeneous cluster
	{"thresholds", false, levels("s-3-6 s-6-12 s-6-30 s-1-3 s-3-15")},         // Smin and Smax, N = 6
	{"alpha", false, levels("alpha-0.25 alpha-0.5 alpha-1")},                  // of eq. (1)
	{"wait", false, []level{{"wait-difference", 0.58}, {"wait-absolute", 0.21}, {"wait-convex", 0.13}, {"wait-oldest", 0.08}}},
	{"duration", false, []level{{"f-compute", 0.7}, {"f-iteration", 0.3}}},
	{"fss", false, levels("fss-recheck fss-literal")},
	{"gap", false, []level{{"gap-pre", 0.65}, {"gap-post", 0.15}, {"gap-post-shifted", 0.2}}},
	{"arrivals", false, levels("arrivals-apart arrivals-join")}, // K: gradients received during the delay
	{"dssp", false, levels("dssp-capped dssp-printed")},
	{"ssp", false, levels("ssp-1 ssp-3 ssp-6")},                                                // s; DSSP's range is s to s + 12
	{"adjustment", false, []level{{"adjust-0", 0.6}, {"adjust-1", 0.25}, {"adjust-10", 0.15}}}, // ms of the server's where a wait of DASP's begins or ends
	{"mean", false, levels("mean-worker mean-push mean-update mean-fastest")},
}

// The design. Readings come in blocks of blockSize, in each of which every level of an axis stands
// equally often: its permutation is drawn for the block and the axis alone. A profile takes the
// first readings of all.
const (
	designSeed = 1909
	blockSize  = 60 // a multiple of 2, 3, 4 and 5, the numbers of levels
)

// effort says how much of the design a profile runs. Readings are drawn from all axes, Platforms
// from those of the laboratory, the methods being as in every other table.
type effort struct {
	Readings  int   `json:"readings"`
	Platforms int   `json:"platforms"`
	Seeds     int   `json:"seeds"`     // of jitter, from 0 on
	PerWorker int64 `json:"gradients"` // of each worker
	Warmup    int64 `json:"warmup"`    // of them left out of the means
	Resamples int   `json:"resamples"` // of the bootstrap
	// StatesFirst times the readings alone that pass F3, which DASP's own runs show. All verdicts are of
	// readings that pass it; shares of all readings need the others, and are left out.
	StatesFirst bool `json:"states_first,omitempty"`
}

// efforts lists them by profile; paper has standard's. Quick judges as standard does, over the same
// readings timed as long: the verdicts are the same. It leaves out the readings that fail F3, and has
// fewer platforms and resamples, on which no verdict rests.
var efforts = map[string]effort{
	"ci":       {Readings: 6, Platforms: 4, Seeds: 2, PerWorker: 30, Warmup: 5, Resamples: 20},
	"quick":    {Readings: 720, Platforms: 24, Seeds: 5, PerWorker: 150, Warmup: 10, Resamples: 300, StatesFirst: true},
	"standard": {Readings: 720, Platforms: 120, Seeds: 5, PerWorker: 150, Warmup: 10, Resamples: 1000},
}

// The filters take the paper's words. A reading is admissible if
//
//	F1  DASP is not the same run as ASP, SSP or DSSP with ResNet-18 or VGG-19-BN on either cluster:
//	    the paper's Tables 4 and 5 have other numbers for each of them
//	F3  all three states occur with ResNet-18 and with VGG-19-BN on the heterogeneous cluster: §2.2
//	    defines three, and §3 speaks of the waits of both kinds
//
// Two runs are the same if their digests are in every seed. LeNet-5 is left out: §3.2 says that DASP
// does little for it.
//
// The platforms of the second block are filtered on the heterogeneous cluster alone, whose states
// the paper describes.
//
// Bursts of load are left out of the second block, whose medoid becomes a platform file: a file has
// no random phases.
const burstsLevel = "noise-bursts"

// What a reading finds, from the 95 % Student intervals over its seeds:
//
//	D01–D18  the reduction: holds if the interval of ln(T_DASP/T_rival) lies below 0, differs if
//	         it lies above, no case if both methods' digests are equal in every seed, else undecided
//	D42–D47  every one of the three ratios to BSP lies below 1, the side that the paper states
//	D39      ASP ≤ SSP, DSSP, DASP ≤ BSP, every network, both clusters, a tie of setup.SameTime allowed
//	D56      DASP's heterogeneous over homogeneous time is at most BSP's, SSP's and DSSP's, likewise
//	D59      no two workers' versions are ever farther apart than Smax, in any run: shares alone, its
//	         verdict is that of Algorithm 1 as printed
//
// A claim of several comparisons differs if one does, is undecided if one is, and has no case where
// none has (claims.Every).

// The reference platform is the medoid of the admissible readings of the second block: the one with
// the least sum of Euclidean distances to the others in the 18 logarithms of DASP's time over a
// rival's, D01 to D18, means over seeds, iterations averaged by worker. Ties go to the first. Its
// stability is the share of bootstrap resamples of the admissible readings with the same medoid.

// central is the part of the readings' values in which a stated value counts as reached; outside it
// is at the edge, and beyond all values out of reach. Of fewer than leastSized readings nothing is
// said: less than two of them lie beyond either end.
const (
	central    = 0.90
	leastSized = 40
)

// A burst of load: every worker, at its own times, computes burstFactor times as long for burstFrom
// to burstTo iterations of the median worker under ASP, after calmFrom to calmTo undisturbed ones;
// dasp/dynamic has the same.
const (
	calmFrom, calmTo   = 25, 75
	burstFrom, burstTo = 5, 15
	firstCalm          = 60
	burstFactor        = 5
	burstHorizon       = 64 // times the undisturbed run's length; 8 until some runs were found to outlast it, calm at their end. A longer run is refused
)

// reading is one level of every axis, by the axis's place in axes and the level's in its own.
type reading []int

// design returns the first n readings of the design called block: of all axes, or with platform of
// the laboratory's alone, the others at the default.
func design(block string, platform bool, n int) []reading {
	out := make([]reading, 0, n+blockSize)
	for len(out) < n {
		at := len(out)
		for range blockSize {
			out = append(out, append(reading(nil), standing...))
		}
		for a, x := range axes {
			if platform && !x.Platform {
				continue
			}
			count := len(x.Levels)
			if platform && x.Levels[count-1].Key == burstsLevel {
				count--
			}
			r := cluster.Stream(designSeed, at/blockSize, block+" "+x.Key, "dasp/multiverse/design")
			for i, p := range r.Perm(blockSize) {
				out[at+i][a] = p % count
			}
		}
	}
	return out[:n]
}

// The names of the two blocks.
const (
	allAxes      = "readings"
	platformAxes = "platforms"
)

// standing is the reading of every other table: the levels of the 10 Gb/s platform and of
// setup.Options.
var standing = readingOf("link-10 shards-1 batch-64 host-3 host-scaled server-fast noise-5 cards-six-kinds equal-p100 " +
	"s-3-6 alpha-0.5 wait-difference f-compute fss-recheck gap-pre arrivals-apart dssp-capped ssp-3 adjust-0 mean-worker")

// inTheMiddle is the reading that setup.Reference and the table's constants stand for: the medoid of
// standard's second block, platform 100.
var inTheMiddle = readingOf("link-100 shards-2 batch-128 host-1 host-scaled server-fast noise-20 cards-six-kinds equal-gtx1060 " +
	"s-3-6 alpha-0.5 wait-difference f-compute fss-recheck gap-pre arrivals-apart dssp-capped ssp-3 adjust-0 mean-worker")

// readingOf returns the reading of one level's key per axis, in their order. It panics if a key is
// none of its axis's.
func readingOf(keys string) (r reading) {
	for a, key := range strings.Fields(keys) {
		at := -1
		for i, l := range axes[a].Levels {
			if l.Key == key {
				at = i
			}
		}
		if at < 0 {
			panic("multiverse: " + key + " is no level of " + axes[a].Key)
		}
		r = append(r, at)
	}
	return r
}

// key returns the key of r's level on axis number a.
func (r reading) key(a int) string { return axes[a].Levels[r[a]].Key }

// likely returns how likely r is held to be, over its share in the design: the product of its
// levels' weights, each times the number of levels of its axis.
func (r reading) likely() float64 {
	w := 1.0
	for a, x := range axes {
		if weight := x.Levels[r[a]].Weight; weight > 0 {
			w *= weight * float64(len(x.Levels))
		}
	}
	return w
}
