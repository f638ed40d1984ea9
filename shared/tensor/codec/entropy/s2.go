package entropy

import (
	"fmt"

	"github.com/klauspost/compress/s2"

	"gradsync/shared/tensor/codec"
)

// S2 is the bitmap form as one S2 block, which finds repeated bytes and codes
// nothing by its frequency. Which matches it finds may differ between CPU
// architectures, and so may the length; what the wire decodes to does not.
//
// Source: S42; ours: the patent leaves the compression algorithm open
type S2 struct{}

func (S2) Name() string { return "bitmap+s2" }

// ID returns 5.
func (S2) ID() uint8 { return 5 }

// Size compresses src.
func (c S2) Size(src []float32) int { return size(c, src) }

func (c S2) Append(dst []byte, src []float32) []byte { return appendTo(c, dst, src) }

func (c S2) Decode(dst []float32, wire []byte) error {
	return decode(c, dst, wire, codec.Bitmap{}.Decode)
}

func (c S2) Accumulate(dst []float32, wire []byte) error {
	return decode(c, dst, wire, codec.Bitmap{}.Accumulate)
}

func (S2) compress(w *workspace, form []byte) []byte {
	w.wire = s2.Encode(w.wire[:cap(w.wire)], form)
	return w.wire
}

// expand refuses a block that says it is longer than to has room for.
func (S2) expand(_ *workspace, to, wire []byte) ([]byte, error) {
	n, err := s2.DecodedLen(wire)
	if err != nil {
		return nil, err
	}
	if n > cap(to) {
		return nil, fmt.Errorf("a block of %d bytes, want %d at most", n, cap(to))
	}
	return s2.Decode(to, wire)
}
