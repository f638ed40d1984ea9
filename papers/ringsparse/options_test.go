package ringsparse_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// Every option out of its domain is an error of one line that says what is wrong.
func TestOptionsOutOfDomain(t *testing.T) {
	const b = 1e9
	for want, o := range map[string]ringsparse.Options{
		`kinds "all", want one of both, weights, gradients`:    {Kinds: "all", Bandwidth: b},
		`tie "first", want one of weights, gradients`:          {Tie: "first", Bandwidth: b},
		`rule "literal", want one of corrected, printed`:       {Rule: "literal", Bandwidth: b},
		`size "chunk", want one of block, layer`:               {Size: "chunk", Bandwidth: b},
		`sign "plus", want one of descent, printed`:            {Sign: "plus", Bandwidth: b},
		`exchange "tree", want one of ring, all-gather`:        {Exchange: "tree", Bandwidth: b},
		`all-gather with kinds "both": it has gradients alone`: {Exchange: "all-gather", Kinds: "both", Bandwidth: b},
		`no codec "gzip"`:                                  {Codec: "gzip"},
		`no codec "lz"`:                                    {Codecs: []string{"bitmap", "lz"}, Bandwidth: b},
		`bandwidth 0 B/s, want more than 0`:                {},
		`bandwidth NaN B/s`:                                {Bandwidth: math.NaN()},
		`threshold -1, want 0 or more`:                     {Threshold: -1, Bandwidth: b},
		`threshold NaN`:                                    {Threshold: math.NaN(), Bandwidth: b},
		`threshold 0.1 with weights alone`:                 {Threshold: 0.1, Kinds: "weights", Bandwidth: b},
		`rates of bitmap are -1 and 0 B/s, want 0 or more`: {Bandwidth: b, Rates: []cluster.CodecRate{{Name: "bitmap", Encode: -1}}},
		`rates of coo are NaN and 0 B/s, want 0 or more`:   {Bandwidth: b, Rates: []cluster.CodecRate{{Name: "coo", Encode: math.NaN()}}},
	} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, o := range []ringsparse.Options{{Bandwidth: b}, {Codec: "dense"}, {Threshold: 0.1, Codec: "bitmap"},
		{Exchange: "all-gather", Kinds: "gradients", Codec: "coo"}} {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Jobs that cannot run are errors too.
func TestJobsOutOfDomain(t *testing.T) {
	layers, dense := []cluster.Layer{{Length: 6}}, ringsparse.Options{Codec: "dense"}
	for want, job := range map[string]ringsparse.Job{
		"has no layers":                 {Rate: 1, Steps: 1, Options: dense},
		"0 steps":                       {Layers: layers, Rate: 1, Options: dense},
		"learning rate 0":               {Layers: layers, Steps: 1, Options: dense},
		"weight decay -1":               {Layers: layers, Rate: 1, Steps: 1, WeightDecay: -1, Options: dense},
		"mask of 2 entries":             {Layers: layers, Rate: 1, Steps: 1, Mask: make([]bool, 2), Options: dense},
		"task has 7 parameters":         {Task: newQuadratic(0, 1, 0, 7), Layers: layers, Rate: 1, Steps: 1, Options: dense},
		"layers are not the task's":     {Task: newQuadratic(0, 1, 0, 2, 4), Layers: layers, Rate: 1, Steps: 1, Options: dense},
		"layer 0: densities 1 and 1.5":  {Layers: layers, Rate: 1, Steps: 1, Options: dense, Density: func(int) (float64, float64) { return 1, 1.5 }},
		"tie \"x\", want one of weight": {Layers: layers, Rate: 1, Steps: 1, Options: ringsparse.Options{Tie: "x"}},
	} {
		if _, _, err := ran(t, newVirtual(2), job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Ranks that do not agree about what is exchanged get an error, not a wrong sum.
func TestRanksThatDisagree(t *testing.T) {
	for want, odd := range map[string]func(*ringsparse.Job){
		"want 1 of":                          func(j *ringsparse.Job) { j.Task = newQuadratic(1, 1, 0, 70) },
		"do all ranks have the same options": func(j *ringsparse.Job) { j.Options.Kinds = "gradients" },
	} {
		_, _, err := cluster.Run(t.Context(), newVirtual(2), func(p cluster.Proc) (*ringsparse.Log, error) {
			job := ringsparse.Job{Task: newQuadratic(p.Rank(), 1, 0, 60), Rate: 1, Steps: 1,
				Options: ringsparse.Options{Codec: "dense", Kinds: "weights"}}
			if p.Rank() == 1 {
				odd(&job)
			}
			return ringsparse.Run(p, job)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A header that no rank of ours writes is an error that names the sender.
func TestHeadersAreChecked(t *testing.T) {
	good := ringsparse.Header{Kind: ringsparse.Gradients, Codec: 1, Contributors: 2, Elements: 5}
	h, c, err := ringsparse.ReadHeader(&cluster.Msg{From: 3, Meta: good.Meta()}, 2, 5)
	if err != nil || h != good || c.Name() != "bitmap" {
		t.Fatalf("%+v, %v, %v", h, c, err)
	}
	for word, values := range [][]int64{{0, 3, -1}, {200, 256, -1}, {1, 3}, {4, 1 << 40}} {
		for _, v := range values {
			meta := good.Meta()
			meta[word] = v
			if _, _, err := ringsparse.ReadHeader(&cluster.Msg{From: 3, Meta: meta}, 2, 5); err == nil || !strings.Contains(err.Error(), "rank 3") {
				t.Errorf("word %d = %d: %v", word, v, err)
			}
		}
	}
}

// Tc, Td, count and convert pass as time of the exchanging thread, by hand for two ranks, 2000 entries (8 kB), bitmaps:
// local step 8 kB and count 16 kB, encode one block of 4 kB; decode, convert (4 kB) and count (8 kB); encode; decode
// own while the other's travels; decode that.
func TestChargedCostsPassAsTime(t *testing.T) {
	host := cluster.Host{Name: "w", FLOPS: 1e18, Bandwidth: 1e18}
	// Each rate has a decimal place of its own in the µs per kB.
	rates := []cluster.CodecRate{{Name: "count", Encode: 1e9 / 1}, {Name: "convert", Encode: 1e9 / 100},
		{Name: "bitmap", Encode: 1e9 / 10000, Decode: 1e9 / 1000000}}
	for charge, want := range map[bool]time.Duration{
		true:  (8*100 + 16 + 4*10000 + 4*1000000 + 4*100 + 8 + 4*10000 + 2*4*1000000) * time.Microsecond,
		false: 0,
	} {
		for _, log := range []bool{false, true} { // logging costs nothing
			logs, _, err := ran(t, newVirtualOf(2, host),
				ringsparse.Job{Layers: []cluster.Layer{{Length: 2000}}, Rate: eta, Steps: 1,
					Options: ringsparse.Options{Codec: "bitmap", Charge: charge, Rates: rates, LogChoices: log}})
			must(t, err)
			if got := logs[0].Ends[0].Round(time.Microsecond); got != want {
				t.Errorf("charge %v, log %v: %v, want %v", charge, log, got, want)
			}
		}
	}
	// A ring of one exchanges nothing and pays nothing.
	logs, _, err := ran(t, newVirtualOf(1, host),
		ringsparse.Job{Layers: []cluster.Layer{{Length: 2000}}, Rate: eta, Steps: 1,
			Options: ringsparse.Options{Codec: "bitmap", Charge: true, Rates: rates}})
	if err != nil || logs[0].Ends[0].Round(time.Microsecond) != 0 {
		t.Errorf("a ring of one: %+v, %v", logs, err)
	}
	// The dense ring needs no count, conversion or coding. The rival codes its 8 kB once, and decodes two such.
	for want, o := range map[time.Duration]ringsparse.Options{
		0: {Kinds: "gradients", Codec: "dense"},
		(8*10000 + 2*8*1000000) * time.Microsecond: {Exchange: "all-gather", Codec: "bitmap"},
	} {
		o.Charge, o.Rates, o.LogChoices = true, rates, true
		logs, _, err := ran(t, newVirtualOf(2, host),
			ringsparse.Job{Layers: []cluster.Layer{{Length: 2000}}, Rate: eta, Steps: 1, Options: o})
		must(t, err)
		if got := logs[0].Ends[0].Round(time.Microsecond); got != want {
			t.Errorf("%s %s: %v, want %v", o.Exchange, o.Codec, got, want)
		}
	}
}

// Totals agree with the choices and the trace, and add up.
func TestTotalsAddUp(t *testing.T) {
	const n, steps = 5, 2
	sum, trace, logs := traffic(t, n, func(rank int) ringsparse.Job {
		q := newRandom(rank, 0.4, 0.5, 200, 3, 0, 57)
		return ringsparse.Job{Task: q, Mask: q.mask, Rate: eta, Steps: steps, Options: ringsparse.Options{Bandwidth: 1e8, LogChoices: true}}
	})
	var again ringsparse.Totals
	var reduced int64
	for _, l := range logs {
		for _, c := range l.Choices {
			again.Choices++
			again.Chosen[c.Kind]++
			if c.Tie {
				again.Ties++
			}
			if !c.Gather {
				reduced += int64(c.Bytes)
			}
		}
	}
	var hops, codecs, kinds ringsparse.Tally
	for _, part := range []struct {
		to   *ringsparse.Tally
		list []ringsparse.Tally
	}{{&hops, append(sum.Hops, sum.Gather)}, {&codecs, sum.Codecs}, {&kinds, sum.Kinds[:]}} {
		for _, x := range part.list {
			part.to.Blocks += x.Blocks
			part.to.Bytes += x.Bytes
			part.to.DenseBytes += x.DenseBytes
		}
	}
	if hops != sum.Sent || codecs != sum.Sent || kinds != sum.Sent || trace.BodyBytes() != sum.Sent.Bytes {
		t.Errorf("by hop %+v, codec %+v, kind %+v, all %+v, trace %d bytes", hops, codecs, kinds, sum.Sent, trace.BodyBytes())
	}
	if again.Choices != sum.Choices || again.Chosen != sum.Chosen || again.Ties != sum.Ties || reduced != hops.Bytes-sum.Gather.Bytes {
		t.Errorf("choices logged %+v, totals %+v; %d bytes before the all-gather", again, sum, reduced)
	}
	// Every receive of the reduce-scatter is one conversion.
	if got := sum.ToWeights + sum.ToGradients; got != int64(4*steps*n*(n-1)) || sum.Converted != int64(steps*(n-1)*260) {
		t.Errorf("%d conversions of %d entries, want %d of %d", got, sum.Converted, 4*steps*n*(n-1), steps*(n-1)*260)
	}
	if s := fmt.Sprint(sum.Chosen); sum.Chosen[ringsparse.Weights] == 0 || sum.Chosen[ringsparse.Gradients] == 0 || len(sum.Codecs) < 2 {
		t.Errorf("one kind or codec only: %s, %+v", s, sum.Codecs)
	}
}
