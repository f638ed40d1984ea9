package dasp

import (
	"fmt"
	"math"

	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// longest is the expected largest of n independent log-normal factors of mean 1
// and relative standard deviation cv, which is what a barrier over n equal
// workers waits for if nothing but jitter keeps them apart:
//
//	E[max] = ∫ n·φ(z)·Φ(z)^(n−1)·exp(σz − σ²/2) dz,  σ² = ln(1 + cv²)
//
// by Simpson's rule on ±12 around 0 and σ.
func longest(n int, cv float64) float64 {
	sigma := math.Sqrt(math.Log(1 + float64(cv*cv)))
	const steps = 4000
	lo, hi := -12.0, 12+sigma
	h := (hi - lo) / steps
	sum := 0.0
	for i := 0; i <= steps; i++ {
		z := lo + float64(float64(i)*h)
		below := 0.5 * math.Erfc(-z/math.Sqrt2)
		f := float64(n) * math.Exp(-float64(z*z)/2) / math.Sqrt(2*math.Pi) * math.Pow(below, float64(n-1)) * math.Exp(float64(sigma*z)-float64(sigma*sigma)/2)
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

// jitterFor is the cv at which longest is the given factor, which must lie in
// (1, longest(n, 10)).
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

// queueing is the largest BSP/ASP without jitter among n equal workers whose
// computation takes c times as long as one gradient does over the server's link:
//
//	(c + 2n) / max(n, c + 2)
//
// At a barrier n gradients come in one after the other and n copies of the
// weights go out; without one both directions are in use at once, and either
// the link is full (n) or nobody waits (c + 2).
func queueing(n int, c float64) float64 {
	return (c + 2*float64(n)) / max(float64(n), c+2)
}

// argument is one row of the table that needs no search.
type argument struct{ demand, needs, says string }

// arguments derives what the stated ratios need of any cluster.
func arguments(want [stated18]demand, all map[string]costs) []argument {
	r := map[string]float64{}
	for _, d := range want {
		r[d.Platform+d.model+d.against] = d.Ratio
	}
	res, vgg, lenet := 1/r[homogeneous+"resnet18bsp"], 1/r[homogeneous+"vgg19_bnbsp"], 1/r[homogeneous+"lenet5bsp"]
	peak := queueing(workers, workers-2)
	out := []argument{{
		fmt.Sprintf("homogeneous, ResNet-18: BSP takes %.2f of DASP", res),
		fmt.Sprintf("by jitter alone a relative standard deviation of %.2f in each computation (the longest of six is then %.2f means long; at 0.05 it is %.2f)",
			jitterFor(workers, res), res, longest(workers, 0.05)),
		"equal devices that differ as much from one iteration to the next as unequal ones",
	}, {
		"the same",
		fmt.Sprintf("by queueing at the server's link alone at most %.2f, and that only where computing takes exactly %d times one gradient's transfer", peak, workers-2),
		fmt.Sprintf("%.2f needs jitter as well, or a server slow at updating", res),
	}, {
		fmt.Sprintf("homogeneous: ResNet-18 %.2f, VGG-19-BN %.2f, LeNet-5 %.2f", res, vgg, lenet),
		fmt.Sprintf("if jitter makes the ratios, only computation has it, and all of ResNet-18's iteration is computation, then at most %.0f %% of VGG-19-BN's is and %.0f %% of LeNet-5's",
			100*(vgg-1)/(res-1), 100*(lenet-1)/(res-1)),
		"steady links, and computation that is a larger part of ResNet-18's iteration than of the others'",
	}}
	out = append(out, byQueue(vgg, all), unequal(r))
	ssp := r[heterogeneous+"resnet18bsp"] / r[heterogeneous+"resnet18ssp"]
	dssp := r[heterogeneous+"resnet18ssp"] / r[heterogeneous+"resnet18dssp"]
	return append(out, argument{
		fmt.Sprintf("heterogeneous, ResNet-18: SSP takes %.3f of BSP", ssp),
		fmt.Sprintf("a bound on clocks lets nobody be faster in the long run than the slowest; if the slow worker is slow for good, SSP gains by queueing alone, at best %.3f", 1/peak),
		"stragglers that change places, or runs too short for the bound to act",
	}, argument{
		fmt.Sprintf("heterogeneous, ResNet-18: DSSP takes %.3f of SSP", dssp),
		fmt.Sprintf("both are bounded, so with lasting stragglers both go at the slowest worker's rate; over %d iterations a lead of %d clocks gains at most a factor of %.2f",
			perWorker, dsspUpper, float64(perWorker)/(perWorker+dsspUpper)),
		"a DSSP whose bound did not bind",
	}, argument{
		fmt.Sprintf("homogeneous, LeNet-5: DASP takes %.3f of BSP", r[homogeneous+"lenet5bsp"]),
		fmt.Sprintf("as a time per update DASP makes %.2f versions where BSP makes one, though six single gradients are six versions", lenet),
		"not the time between updates, unless DASP held nearly all gradients in groups",
	})
}

// byQueue is the least ratio of VGG-19-BN wherever queueing gives ResNet-18 the
// larger one.
func byQueue(vgg float64, all map[string]costs) argument {
	host := load(homogeneous).Workers[0]
	transfers := func(m string) float64 {
		t := all[m].seconds(&host, fullBatch, train.DefaultLaunch, train.DefaultOverhead).Seconds()
		return t / (4 * float64(all[m].params))
	}
	k := transfers("vgg19_bn") / transfers("resnet18")
	least := math.Inf(1)
	for i := range 4001 {
		c := 0.01 * math.Pow(1e5, float64(i)/4000)
		if v := queueing(workers, k*c); queueing(workers, c) > v {
			least = min(least, v)
		}
	}
	bytes := float64(all["vgg19_bn"].params) / float64(all["resnet18"].params)
	return argument{"homogeneous: ResNet-18's ratio is larger than VGG-19-BN's, which moves more",
		fmt.Sprintf("VGG-19-BN moves %.2f times the bytes and computes %.2f times as long as ResNet-18 (on a worker of %s); by queueing, ResNet-18's ratio is the larger only where VGG-19-BN's is at least %.2f",
			bytes, k*bytes, homogeneous, least),
		fmt.Sprintf("%.2f is below: the server's link was not what ResNet-18's barrier waited for", vgg)}
}

// unequal is what the largest reduction needs of six lasting speeds.
func unequal(r map[string]float64) argument {
	x := r[heterogeneous+"resnet18bsp"]
	peak := queueing(workers, workers-2)
	faster := func(bsp float64) string { // others' mean time if the slowest's is 1 and BSP's is bsp
		others := (x*bsp*workers - 1) / (workers - 1)
		return fmt.Sprintf("%.1f", 1/others)
	}
	return argument{fmt.Sprintf("heterogeneous, ResNet-18: DASP takes %.3f of BSP", x),
		fmt.Sprintf("as a mean over workers, with lasting speeds and no waiting in DASP, the five others are %s times as fast as the slowest; %s times if BSP also lost all that queueing can cost (%.2f); as a mean over pushes %.1f times",
			faster(1), faster(peak), peak, (workers/x-1)/(workers-1)),
		"an extreme straggler, or a mean that leaves the slow worker out"}
}

// argumentTable prints them.
func argumentTable(list []argument) result.Table {
	t := result.Table{ID: "arguments", Title: "What the ratios need, by arithmetic alone", Kind: result.Modelled,
		Caption: "No run is behind this table. One gradient and one copy of the weights take equally long on the server's link; “lasting” speeds do not change during the run. " +
			"Computation times by jitter are log-normal and independent from one iteration to the next.",
		Columns: []result.Column{{Key: "demand", Title: "stated"}, {Key: "needs", Title: "what gives it"}, {Key: "says", Title: "so there must have been"}}}
	for _, a := range list {
		t.Rows = append(t.Rows, []any{a.demand, a.needs, a.says})
	}
	return t
}
