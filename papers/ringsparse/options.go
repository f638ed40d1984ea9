//gradsync:pure

package ringsparse

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// Options select readings of the patent. The zero value of every text is the first
// named.
//
// Source: S4
type Options struct {
	// Kinds says what may be sent: "both", as in the patent, "gradients" or "weights".
	Kinds string
	// Codec is "auto", per block the cheapest by S42, or the name of a codec that all
	// blocks are sent with, cost or no cost: "dense", "bitmap" …
	Codec string
	// Tie is taken of two blocks of equal sparsity: "weights", as in the patent, or
	// "gradients".
	Tie string
	// Rule of S42: "corrected", compress if Tb < Ta, or "printed", compress if not
	// Ta ≥ Tb.
	Rule string
	// Size says what D is in Ta: the "block" that is sent, or the "layer", as printed.
	Size string
	// Sign of S51: "descent", W′ = W0 − η·g, or "printed", W′ = W0 + η·g with g the
	// direction of descent, which is then made of the task's gradient.
	Sign string
	// Threshold 0 makes F the share of exact +0. Above 0, gradients that are at most so
	// large are sent as zero, which loses them for this iteration: they are added
	// to this rank's gradient in the next. Weights are always sent as they are.
	Threshold float64
	// Exchange is the "ring", or its rival, "all-gather", which has gradients alone.
	Exchange string
	// NoOverlap begins to exchange when the whole backward pass is over.
	NoOverlap bool
	// Codecs are auto's candidates beside direct sending; nil: bitmap and coo, whose
	// length a count gives, and one of which is the shortest unless zeros come in long
	// runs. Each further one that is named is weighed like them: rle, or an entropy
	// coder, for whose length the block must be coded. Of equally cheap ones the first is taken.
	Codecs []string
	// Rates are Tc and Td by the codec's name, "count" and "convert". What has no rate
	// takes no time.
	Rates []cluster.CodecRate
	// Bandwidth is B of S42, in bytes per second. Only auto needs it.
	Bandwidth float64
	// Charge lets Tc, Td, count and convert pass on the run's clock, for virtual
	// time. They are time of the thread that exchanges, not of the device that
	// computes gradients: a copy engine. A run on a real clock spends them itself.
	Charge bool
	// LogChoices keeps every choice in the log; the totals are always there.
	LogChoices bool
}

// rules are Options as the exchange uses them.
type rules struct {
	only       Kind // 0: both
	tie        Kind
	coder      *Coder  // nil: auto
	candidates []Coder // of auto
	coders     []Coder // all codecs with their rates, by ID
	printed    bool    // rule of S42
	layerSize  bool    // D of Ta
	sign       Sign
	threshold  float64
	bandwidth  float64
	charge     bool
	count      float64 // bytes per second, 0: no time
	convert    float64
	counted    bool // the rules need densities
	rival      bool // all-gather
}

// Validate returns an error of one line that names the first value out of its
// domain.
//
// Source: ours: configurations come from a command line
func (o Options) Validate() error {
	_, err := o.rules()
	return err
}

// parseName returns the index of value in names; "" is the first.
func parseName(what, value string, names ...string) (int, error) {
	if value == "" {
		return 0, nil
	}
	if i := slices.Index(names, value); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("ringsparse: %s %q, want one of %s", what, value, strings.Join(names, ", "))
}

func (o Options) rules() (r rules, err error) {
	var tie, kinds, rule, size, sign, exchange int
	for _, c := range []struct {
		to          *int
		what, value string
		names       []string
	}{
		{&kinds, "kinds", o.Kinds, []string{"both", "weights", "gradients"}},
		{&tie, "tie", o.Tie, []string{"weights", "gradients"}},
		{&rule, "rule", o.Rule, []string{"corrected", "printed"}},
		{&size, "size", o.Size, []string{"block", "layer"}},
		{&exchange, "exchange", o.Exchange, []string{"ring", "all-gather"}},
		{&sign, "sign", o.Sign, []string{"descent", "printed"}},
	} {
		if *c.to, err = parseName(c.what, c.value, c.names...); err != nil {
			return r, err
		}
	}
	r = rules{only: Kind(kinds), tie: Weights + Kind(tie), printed: rule == 1, layerSize: size == 1, sign: Descent,
		threshold: o.Threshold, bandwidth: o.Bandwidth, charge: o.Charge}
	if sign == 1 {
		r.sign = Printed
	}
	if r.rival = exchange == 1; r.rival && o.Kinds == "" {
		r.only = Gradients
	}
	r.count, _ = ratesOf(o.Rates, "count")
	r.convert, _ = ratesOf(o.Rates, "convert")
	for _, c := range o.Rates {
		if !(c.Encode >= 0 && c.Decode >= 0) {
			return r, fmt.Errorf("ringsparse: rates of %s are %g and %g B/s, want 0 or more", c.Name, c.Encode, c.Decode)
		}
	}
	switch {
	case r.rival && r.only != Gradients:
		return r, fmt.Errorf("ringsparse: all-gather with kinds %q: it has gradients alone", o.Kinds)
	case !(o.Threshold >= 0) || math.IsInf(o.Threshold, 0):
		return r, fmt.Errorf("ringsparse: threshold %g, want 0 or more", o.Threshold)
	case o.Threshold > 0 && r.only == Weights:
		return r, fmt.Errorf("ringsparse: threshold %g with weights alone: it drops small gradients, a small weight is no small change", o.Threshold)
	}
	if err := r.codecs(o); err != nil {
		return r, err
	}
	r.counted = r.only == 0 || r.coder == nil
	return r, nil
}

// codecs finds what blocks are coded with.
func (r *rules) codecs(o Options) error {
	coder := func(name string) (Coder, error) {
		c, err := codec.Lookup(name)
		if err != nil {
			return Coder{}, fmt.Errorf("ringsparse: %w", err)
		}
		encode, decode := ratesOf(o.Rates, name)
		return Coder{Codec: c, Encode: encode, Decode: decode}, nil
	}
	for _, c := range codec.All() {
		for len(r.coders) <= int(c.ID()) {
			r.coders = append(r.coders, Coder{})
		}
		r.coders[c.ID()], _ = coder(c.Name())
	}
	if o.Codec != "" && o.Codec != "auto" {
		c, err := coder(o.Codec)
		r.coder = &c
		return err
	}
	if !(o.Bandwidth > 0) {
		return fmt.Errorf("ringsparse: bandwidth %g B/s, want more than 0: the cost rule S42 compares with D/B", o.Bandwidth)
	}
	names := o.Codecs
	if names == nil {
		names = []string{"bitmap", "coo"}
	}
	for _, name := range names {
		c, err := coder(name)
		if err != nil {
			return err
		}
		r.candidates = append(r.candidates, c)
	}
	return nil
}
