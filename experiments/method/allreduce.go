package method

import "gradsync/experiments/method/cost"

// ofServerless are the flags of every method without a server.
var ofServerless = []Flag{
	{Name: "no-overlap", Default: false, Help: "exchange after the backward pass"},
	{Name: "batch-size", Default: 0, Help: "images of all workers together per iteration, instead of --batch"},
}

// allReduces are the ring of the blog, what it is compared with, and the patent's.
func allReduces() []Method {
	want, good := From(0)
	bucket := Flag{Name: "bucket", Default: int64(0), Help: "fuse layers until they have this many KiB (0: layer by layer)", Want: want +
		", which is layer by layer", Good: good}
	collective := Flag{Name: "collective", Default: "own", Help: "who sums gradients, on local and tcp: own is the method's messages, engine is NCCL, " +
		"with a GPU for each rank"}
	of := func(name, english, chinese string, look Look, at func(cost.Setting) cost.Cost, own ...Flag) Method {
		return Method{Name: name, Family: AllReduce, Document: "ring", Label: [2]string{english, chinese},
			Flags: append(append(own, bucket), ofServerless...), Look: look, Costs: []Formula{{name, at, false}}}
	}
	naive := of("naive", "single reducer", "单个归约节点", Look{Colour: "vermillion", Dash: "long", Symbol: "rect", Texture: "levels"}, cost.Naive, collective)
	ring := of("ring", "ring", "环", Look{Colour: "skyBlue", Dash: "long", Symbol: "circle", Texture: "posts"}, cost.Ring, collective,
		Flag{Name: "segment", Default: 0, Help: "elements per message (0: whole chunks)", Want: want + ", which is whole chunks", Good: good})
	halving := of("halving-doubling", "halving-doubling", "减半加倍法", Look{Colour: "blue", Dash: "dashes", Symbol: "rect", Texture: "stripes"}, cost.HalvingDoubling,
		collective)
	positive, isPositive := From(1)
	hierarchical := of("hierarchical", "hierarchical ring", "分层环", Look{Colour: "orange", Dash: "long", Symbol: "diamond", Texture: "posts"}, cost.Hierarchical,
		Flag{Name: "per-node", Default: 0, Help: "ranks per node, a divisor of the workers", Want: positive, Good: isPositive})
	return []Method{naive, ring, halving, hierarchical, ringSparse()}
}

func ringSparse() Method {
	share := func(x float64) bool { return x > 0 && x <= 1 }
	above := func(x float64) bool { return x > 0 && finite(x) }
	zero := func(x float64) bool { return x >= 0 && finite(x) }
	return Method{Name: "ringsparse", Family: AllReduce, Document: "ringsparse", Label: [2]string{"RingSparse", "RingSparse"},
		Look:  Look{Colour: "green", Dash: "solid", Symbol: "roundRect", Texture: "levels", Subject: true},
		Costs: []Formula{{"ringsparse", cost.RingSparse, false}},
		Flags: append([]Flag{
			{Name: "kinds", Default: "both", Help: "send both, as in the patent, or gradients or weights only"},
			{Name: "codec", Default: "auto", Help: "auto is the cheapest by S42 per block, or the name of a codec"},
			{Name: "codecs", Default: []string(nil), Help: "candidates of auto (default bitmap,coo)"},
			{Name: "tie", Default: "weights", Help: "of equally sparse blocks weights, as in the patent, or gradients"},
			{Name: "rule", Default: "corrected", Help: "S42 corrected, compress if Tb < Ta, or printed"},
			{Name: "size", Default: "block", Help: "D of Ta is the block or, as printed, the layer"},
			{Name: "sign", Default: "descent", Help: "sign of S51, descent or printed"},
			{Name: "threshold", Default: 0.0, Help: "send gradients up to this size as zero, lossy, with error feedback", Want: "a finite number from 0", Good: zero},
			{Name: "density", Default: 0.0, Help: "with --timing-only: share of a worker's gradient that is not zero (default 1)",
				Want: "a share above 0, at most 1", Good: share},
			{Name: "link", Default: 0.0, Help: "B of S42, bytes per second (default the platform's, on a real clock measured)",
				Want: "a finite number above 0", Good: above},
		}, ofServerless...)}
}
