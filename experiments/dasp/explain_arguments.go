package dasp

import (
	"fmt"
	"math"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// argument is one row of the table that needs no search.
type argument struct {
	demand, needs, says string
	why                 bool // it says why no cluster of the search gives all ratios
}

// arguments derives what the stated ratios need of any cluster.
func arguments(want [stated18]demand, all map[string]costs) []argument {
	r := map[string]float64{}
	for _, d := range want {
		r[d.Platform+d.model+d.against] = d.Ratio
	}
	res, vgg, lenet := 1/r[homogeneous+"resnet18bsp"], 1/r[homogeneous+"vgg19_bnbsp"], 1/r[homogeneous+"lenet5bsp"]
	out := []argument{{
		fmt.Sprintf("homogeneous, ResNet-18: BSP takes %.2f of DASP", res),
		fmt.Sprintf("by jitter alone a relative standard deviation of %.2f in each computation (the longest of six is then %.2f means long; at 0.05 it is %.2f)",
			jitterFor(workers, res), res, longest(workers, 0.05)),
		"equal devices that differ as much from one iteration to the next as unequal ones", false,
	}, {
		"the same",
		fmt.Sprintf("by queueing at the server's link alone at most %.2f where it carries one message after the other, as in these runs, and %.2f where connections share it evenly, "+
			"either only where computing takes %d times one gradient's transfer; with an update as slow as a transfer, and computing %d times as slow, %.2f and %.2f",
			queueing(workers, workers-2, 0), sharing(workers, workers-2, 0), workers-2, workers-3, inTurn, evenly),
		"a server as slow at updating as its link is, links shared evenly, jitter: more than one of them", false,
	}, {
		fmt.Sprintf("homogeneous: ResNet-18 %.2f, VGG-19-BN %.2f, LeNet-5 %.2f", res, vgg, lenet),
		fmt.Sprintf("if jitter makes the ratios, only computation has it, and all of ResNet-18's iteration is computation, then at most %.0f %% of VGG-19-BN's is and %.0f %% of LeNet-5's",
			100*(vgg-1)/(res-1), 100*(lenet-1)/(res-1)),
		"steady links, and computation that is a larger part of ResNet-18's iteration than of the others'", false,
	}}
	out = append(out, byJitter(res, vgg, all), byQueue(res, vgg, all), unequal(r))
	ssp := r[heterogeneous+"resnet18bsp"] / r[heterogeneous+"resnet18ssp"]
	dssp := r[heterogeneous+"resnet18ssp"] / r[heterogeneous+"resnet18dssp"]
	return append(out, argument{
		fmt.Sprintf("heterogeneous, ResNet-18: SSP takes %.3f of BSP", ssp),
		fmt.Sprintf("a bound on clocks lets nobody be faster in the long run than the slowest; if the slow worker is slow for good, SSP gains by queueing alone, at best %.3f with one message after the other and %.3f with even sharing", 1/inTurn, 1/evenly),
		"stragglers that change places, queues at link and server both at their worst, or runs too short for the bound to act", false,
	}, argument{
		fmt.Sprintf("heterogeneous, ResNet-18: DSSP takes %.3f of SSP", dssp),
		fmt.Sprintf("both are bounded, so with lasting stragglers both go at the slowest worker's rate; over %d iterations a lead of %d clocks gains at most a factor of %.2f",
			perWorker, dsspUpper, float64(perWorker)/(perWorker+dsspUpper)),
		"a DSSP whose bound did not bind", false,
	}, argument{
		fmt.Sprintf("homogeneous, LeNet-5: DASP takes %.3f of BSP", r[homogeneous+"lenet5bsp"]),
		fmt.Sprintf("as a time per update DASP makes %.2f versions where BSP makes one, though six single gradients are six versions", lenet),
		"not the time between updates, unless DASP held nearly all gradients in groups", false,
	})
}

// weights are how much VGG-19-BN moves and computes, ResNet-18 being 1, the
// latter on a homogeneous worker of the tables.
func weights(all map[string]costs) (bytes, compute float64) {
	host := load(homogeneous).Workers[0]
	seconds := func(m string) float64 {
		return all[m].seconds(&host, fullBatch, train.DefaultLaunch, train.DefaultOverhead).Seconds()
	}
	return float64(all["vgg19_bn"].params) / float64(all["resnet18"].params), seconds("vgg19_bn") / seconds("resnet18")
}

// jittering is BSP/ASP of a network whose steady part, links and all, is s and
// whose computation c is m times as long at a barrier:
//
//	(m·c + s) / (c + s)
func jittering(m, c, s float64) float64 { return (float64(m*c) + s) / (c + s) }

// byJitter is the largest ratio that jitter gives ResNet-18 where it gives
// VGG-19-BN the stated one: per m, which cannot exceed the number of workers,
// VGG-19-BN's ratio fixes how much is steady.
func byJitter(res, vgg float64, all map[string]costs) argument {
	bytes, compute := weights(all)
	most, at := 0.0, 0.0
	for i := 1; i <= 1000; i++ {
		m := vgg + float64((workers-vgg)*float64(i)/1000)
		steady := compute * (m - vgg) / (vgg - 1) // of VGG-19-BN, ResNet-18's computation being 1
		if x := jittering(m, 1, steady/bytes); x > most {
			most, at = x, m
		}
	}
	return argument{fmt.Sprintf("homogeneous: ResNet-18 %.2f and VGG-19-BN %.2f together", res, vgg),
		fmt.Sprintf("VGG-19-BN computes %.2f times as long (on a worker of %s) and moves %.2f times the bytes. By jitter alone, with computation that a barrier makes m times as long and links that "+
			"do not vary, the m that gives VGG-19-BN %.2f gives ResNet-18 at most %.2f (at m = %.2f; for six workers m is less than 6)", compute, homogeneous, bytes, vgg, most, at),
		"more than jitter behind ResNet-18's barrier, or devices that varied more while it was trained than while VGG-19-BN was", true}
}

// byQueue is the largest ratio that queueing gives ResNet-18 wherever it gives
// VGG-19-BN no more than the stated one.
func byQueue(res, vgg float64, all map[string]costs) argument {
	bytes, compute := weights(all)
	k := compute / bytes
	turn, even := 0.0, 0.0
	for i := range 301 {
		for j := range 301 {
			c, u := 0.01*math.Pow(1e5, float64(i)/300), 0.01*math.Pow(1e4, float64(j)/300)
			if queueing(workers, k*c, u) <= vgg {
				turn = max(turn, queueing(workers, c, u))
			}
			if sharing(workers, k*c, u) <= vgg {
				even = max(even, sharing(workers, c, u))
			}
		}
	}
	return argument{fmt.Sprintf("homogeneous: ResNet-18 %.2f, but VGG-19-BN, which moves more, %.2f", res, vgg),
		fmt.Sprintf("by queueing alone, at the link and at the server's update, where VGG-19-BN has no more than %.2f, ResNet-18 has at most %.2f with one message after the other and %.2f with even sharing", vgg, turn, even),
		"more than queues behind ResNet-18's barrier", true}
}

// unequal is what the largest reduction needs of six lasting speeds.
func unequal(r map[string]float64) argument {
	x := r[heterogeneous+"resnet18bsp"]
	faster := func(bsp float64) string { // others' mean time if the slowest's is 1 and BSP's is bsp
		others := (float64(x*bsp*workers) - 1) / (workers - 1)
		return fmt.Sprintf("%.1f", 1/others)
	}
	return argument{fmt.Sprintf("heterogeneous, ResNet-18: DASP takes %.3f of BSP", x),
		fmt.Sprintf("as a mean over workers, with lasting speeds and no waiting in DASP, the five others are %s times as fast as the slowest; %s times if BSP also lost all that queueing can cost (%.2f); as a mean over pushes %.1f times",
			faster(1), faster(evenly), evenly, (workers/x-1)/(workers-1)),
		"an extreme straggler, or a mean that leaves the slow worker out", false}
}

// argumentTable prints them.
func argumentTable(list []argument) result.Table {
	t := result.Table{ID: "arguments", Title: "What the ratios need, by arithmetic alone", Kind: result.Modelled,
		Caption: "No run is behind this table; tests hold its formulas against runs. One gradient and one copy of the weights take equally long on the server's link; “lasting” speeds do not change during the run. " +
			"Computation times by jitter are log-normal and independent from one iteration to the next.",
		Columns: []result.Column{{Key: "demand", Title: "stated"}, {Key: "needs", Title: "what gives it"}, {Key: "says", Title: "so there must have been"}}}
	for _, a := range list {
		t.Rows = append(t.Rows, []any{a.demand, a.needs, a.says})
	}
	return t
}
