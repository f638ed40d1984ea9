//gradsync:pure

package ringsparse

import (
	"math"

	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// CostDirect is Ta, the seconds of sending d bytes at b bytes per second.
//
// Source: S42
func CostDirect(d, b float64) float64 { return formula.Ta(d, b) }

// CostCompressed is Tb, the seconds of compressing, sending and decompressing.
//
// Source: S42
func CostCompressed(tc, compressed, b, td float64) float64 { return formula.Tb(tc, compressed, b, td) }

// Compress is the rule of S42: compress if that is sooner there, Tb < Ta. As printed
// the rule is the other way round: direct if Ta ≥ Tb.
//
// Source: S42
func Compress(ta, tb float64, printed bool) bool {
	if printed {
		return !(ta >= tb)
	}
	return tb < ta // S4–S6, step 3
}

// FillIn is the density of a sum of k+1 blocks of density d with independent zeros.
//
// Source: ours: the patent re-chooses at every hop (S52) because of it
func FillIn(d float64, k int) float64 { return formula.FillIn(d, k) }

// Coder is a codec and what it costs.
//
// Source: S42
type Coder struct {
	Codec codec.Codec
	// Encode and Decode are bytes of dense float32 per second; 0: it takes no time.
	Encode, Decode float64
}

// Costs returns Tc and Td for a block of d bytes. Direct sending has none.
//
// Source: S42
func (c Coder) Costs(d float64) (tc, td float64) {
	if c.Codec.ID() == 0 {
		return 0, 0
	}
	return seconds(d, c.Encode), seconds(d, c.Decode)
}

func seconds(bytes, rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	return bytes / rate
}

// CheapestCoder decides about one block of n entries: direct, or the candidate of
// the least Tb, by the rule of S42. size gives Compres(D) in bytes. of is the number
// of entries whose bytes are D in Ta: n, or the layer's as printed. Of equal Tb
// the first candidate is taken; direct sending is always among them.
//
// Source: S42
func CheapestCoder(candidates []Coder, n, of int, b float64, printed bool, size func(codec.Codec) float64) Coder {
	direct := Coder{Codec: codec.Dense{}}
	best, least := direct, math.Inf(1)
	for _, c := range candidates {
		if c.Codec.ID() == 0 {
			continue
		}
		tc, td := c.Costs(4 * float64(n))
		if tb := CostCompressed(tc, size(c.Codec), b, td); tb < least {
			best, least = c, tb
		}
	}
	if best.Codec.ID() != 0 && Compress(CostDirect(4*float64(of), b), least, printed) {
		return best
	}
	return direct
}

// rate returns the named rates, both 0 if the list has none of that name.
func rate(rates []cluster.CodecRate, name string) (encode, decode float64) {
	for _, r := range rates {
		if r.Name == name {
			return r.Encode, r.Decode
		}
	}
	return 0, 0
}

// sized says that SizeAt of the measured density is the codec's exact size: these
// forms do not depend on where the zeros are.
func sized(c codec.Codec) bool {
	switch c.(type) {
	case codec.Dense, codec.Bitmap, codec.COO:
		return true
	}
	return false
}
