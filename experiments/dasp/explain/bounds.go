package explain

import (
	"math"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

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

// arguments returns why the stated ratios are hard to have together, by arithmetic alone, and how unequal ResNet-18's
// ratio says that the workers were.
func arguments(want [stated18]demand, all map[string]setup.FullSize) []result.Fact {
	r := map[string]float64{}
	for _, d := range want {
		r[d.Platform+d.Model+d.Against] = d.Ratio
	}
	res, vgg := 1/r[setup.Homogeneous+"resnet18bsp"], 1/r[setup.Homogeneous+"vgg19_bnbsp"]
	bytes, compute := weights(all)
	most, at := byJitter(vgg, all)
	turn, even := byQueue(vgg, all)
	x := r[setup.Heterogeneous+"resnet18bsp"]
	return kit.Facts("bsp.resnet18/.2", res, "bsp.vgg19_bn/.2", vgg, "weights.compute/.2", compute, "weights.bytes/.2", bytes,
		"both.jitter/.2", most, "both.jitter.at/.2", at, "both.turn/.2", turn, "both.even/.2", even,
		"straggler.faster/.1", 1/((float64(x*setup.Workers)-1)/(setup.Workers-1)), // than the slowest: the five others, if its time is 1 and BSP's too
		"straggler.faster.pushes/.1", (setup.Workers/x-1)/(setup.Workers-1))
}
