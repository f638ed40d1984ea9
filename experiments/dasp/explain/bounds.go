package explain

import (
	"math"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// longest returns the expected largest of n independent log-normal factors of mean 1 and relative
// standard deviation cv: for so long a barrier over n equal workers waits if nothing but jitter
// keeps them apart.
//
//	E[max] = ∫ n·φ(z)·Φ(z)^(n−1)·exp(σz − σ²/2) dz,  σ² = ln(1 + cv²)
//
// It integrates by Simpson's rule on ±12 around 0 and σ.
func longest(n int, cv float64) float64 {
	sigma := math.Sqrt(math.Log(1 + float64(cv*cv)))
	const steps = 4000
	lo, hi := -12.0, 12+sigma
	h := (hi - lo) / steps
	sum := 0.0
	for i := 0; i <= steps; i++ {
		z := lo + float64(float64(i)*h)
		below := 0.5 * math.Erfc(-z/math.Sqrt2)
		f := float64(n) * math.Exp(-float64(z*z)/2) / math.Sqrt(2*math.Pi) * math.Pow(below,
			float64(n-1)) * math.Exp(float64(sigma*z)-float64(sigma*sigma)/2)
		switch {
		case i == 0 || i == steps:
			sum += f
		case i%2 == 1:
			sum += 4 * f
		default:
			sum += 2 * f
		}
	}
	return sum * h / 3
}

// jitterFor returns the cv at which longest gives factor, which must lie in (1, longest(n, 10)).
func jitterFor(n int, factor float64) float64 {
	lo, hi := 0.0, 10.0
	for range 60 {
		if mid := (lo + hi) / 2; longest(n, mid) < factor {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// queueing returns BSP/ASP without jitter among n equal workers, if the server's link carries one
// message after the other, as the simulator's does. Times are in transfers of one gradient over that
// link: a worker's computation takes c, an update at the server u.
//
//	(c + n + 1 + n·u) / max(n, n·u, c + 2 + u)
//
// At a barrier the n copies of the weights leave in turn, the last worker begins at n, its gradient
// arrives last, and the update uses n. Without one, either the link is full (n), or the server is
// busy (n·u), or nobody waits.
func queueing(n int, c, u float64) float64 {
	m := float64(n)
	return (c + m + 1 + float64(m*u)) / max(m, m*u, c+2+u)
}

// sharing returns the same ratio if connections share the link evenly, as under TCP: at a barrier
// all copies arrive together, and so do all gradients.
//
//	(c + 2n + n·u) / max(n, n·u, c + 2 + u)
//
// It is the larger of the two: a ratio above it comes from no queue at the server.
func sharing(n int, c, u float64) float64 {
	m := float64(n)
	return (c + 2*m + float64(m*u)) / max(m, m*u, c+2+u)
}

// The most that queues can cost a barrier of six, with link, server and workers
// all equally busy: c = n − 3, u = 1.
var (
	inTurn = queueing(setup.Workers, setup.Workers-3, 1)
	evenly = sharing(setup.Workers, setup.Workers-3, 1)
)

// weights returns how much VGG-19-BN transfers and computes relative to ResNet-18, the latter on a
// homogeneous worker of the tables.
func weights(all map[string]setup.FullSize) (bytes, compute float64) {
	host := setup.Load(setup.Homogeneous).Workers[0]
	seconds := func(m string) float64 {
		return all[m].Seconds(&host, setup.FullBatch, train.DefaultLaunch, train.DefaultOverhead).Seconds()
	}
	return float64(all["vgg19_bn"].Params) / float64(all["resnet18"].Params), seconds("vgg19_bn") / seconds("resnet18")
}

// jittering returns BSP/ASP of a network whose steady part, links and all, takes s, and whose
// computation, c, takes m times as long at a barrier:
//
//	(m·c + s) / (c + s)
func jittering(m, c, s float64) float64 { return (float64(m*c) + s) / (c + s) }

// byJitter returns the largest ratio that jitter gives ResNet-18 while it gives VGG-19-BN the stated
// one, vgg, and the m at which it does. m cannot exceed the number of workers; for each m,
// VGG-19-BN's ratio fixes how much is steady.
func byJitter(vgg float64, all map[string]setup.FullSize) (most, at float64) {
	bytes, compute := weights(all)
	for i := 1; i <= 1000; i++ {
		m := vgg + float64((setup.Workers-vgg)*float64(i)/1000)
		steady := compute * (m - vgg) / (vgg - 1) // of VGG-19-BN, ResNet-18's computation being 1
		if x := jittering(m, 1, steady/bytes); x > most {
			most, at = x, m
		}
	}
	return most, at
}

// byQueue returns the largest ratios that queueing, in turn and evenly, gives ResNet-18 while it
// gives VGG-19-BN at most vgg.
func byQueue(vgg float64, all map[string]setup.FullSize) (turn, even float64) {
	bytes, compute := weights(all)
	k := compute / bytes
	for i := range 301 {
		for j := range 301 {
			c, u := 0.01*math.Pow(1e5, float64(i)/300), 0.01*math.Pow(1e4, float64(j)/300)
			if queueing(setup.Workers, k*c, u) <= vgg {
				turn = max(turn, queueing(setup.Workers, c, u))
			}
			if sharing(setup.Workers, k*c, u) <= vgg {
				even = max(even, sharing(setup.Workers, c, u))
			}
		}
	}
	return turn, even
}

// tablesJitter is the relative standard deviation of a computation on the tables' clusters.
const tablesJitter = 0.05

// arguments returns what the stated ratios require of any cluster, by arithmetic alone.
func arguments(want [stated18]demand, all map[string]setup.FullSize) []result.Fact {
	r := map[string]float64{}
	for _, d := range want {
		r[d.Platform+d.Model+d.Against] = d.Ratio
	}
	res, vgg, lenet := 1/r[setup.Homogeneous+"resnet18bsp"], 1/r[setup.Homogeneous+"vgg19_bnbsp"], 1/r[setup.Homogeneous+"lenet5bsp"]
	bytes, compute := weights(all)
	most, at := byJitter(vgg, all)
	turn, even := byQueue(vgg, all)
	x := r[setup.Heterogeneous+"resnet18bsp"]
	faster := func(bsp float64) float64 { // than the slowest, if its time is 1 and BSP's is bsp: the five others
		return 1 / ((float64(x*bsp*setup.Workers) - 1) / (setup.Workers - 1))
	}
	return kit.Facts("bsp.resnet18/.2", res, "bsp.vgg19_bn/.2", vgg, "bsp.lenet5/.2", lenet,
		"jitter.needed/.2", jitterFor(setup.Workers, res), "jitter.tables/.2", tablesJitter, "jitter.longest/.2", longest(setup.Workers, tablesJitter),
		"queue.turn/.2", queueing(setup.Workers, setup.Workers-2, 0), "queue.even/.2", sharing(setup.Workers, setup.Workers-2, 0),
		"queue.slower/.0", setup.Workers-2.,
		"queue.turn.update/.2", inTurn, "queue.even.update/.2", evenly, "queue.slower.update/.0", setup.Workers-3.,
		"jittered.vgg19_bn/%.0", 100*(vgg-1)/(res-1), "jittered.lenet5/%.0", 100*(lenet-1)/(res-1),
		"weights.compute/.2", compute, "weights.bytes/.2", bytes, "both.jitter/.2", most, "both.jitter.at/.2", at,
		"both.turn/.2", turn, "both.even/.2", even,
		"straggler.stated/.3", x, "straggler.faster/.1", faster(1), "straggler.faster.queued/.1", faster(evenly),
		"straggler.faster.pushes/.1", (setup.Workers/x-1)/(setup.Workers-1),
		"ssp.stated/.3", x/r[setup.Heterogeneous+"resnet18ssp"], "ssp.turn/.3", 1/inTurn, "ssp.even/.3", 1/evenly,
		"dssp.stated/.3", r[setup.Heterogeneous+"resnet18ssp"]/r[setup.Heterogeneous+"resnet18dssp"], "dssp.iterations/.0", float64(setup.PerWorker),
		"dssp.lead/.0", float64(setup.DSSPUpper), "dssp.gain/.2", float64(setup.PerWorker)/(setup.PerWorker+setup.DSSPUpper), "update.stated/.3", 1/lenet)
}
