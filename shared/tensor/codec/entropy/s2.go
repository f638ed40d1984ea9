package entropy

import (
	"fmt"

	"github.com/klauspost/compress/s2"

	"gradsync/shared/tensor/codec"
)

// s2Codec is the bitmap form as one S2 block, which finds repeated bytes and codes
// nothing by its frequency. Which matches it finds may differ between CPU
// architectures, and so may the length; what the wire decodes to does not.
//
// Source: S42; ours: the patent leaves the compression algorithm open
type s2Codec struct{}

func (s2Codec) Name() string { return "bitmap+s2" }

// ID returns 5.
func (s2Codec) ID() uint8 { return 5 }

// Size compresses src.
func (c s2Codec) Size(src []float32) int { return size(c, src) }

func (c s2Codec) Append(dst []byte, src []float32) []byte { return appendTo(c, dst, src) }

func (c s2Codec) Decode(dst []float32, wire []byte) error {
	return decode(c, dst, wire, codec.Bitmap{}.Decode)
}

func (c s2Codec) Accumulate(dst []float32, wire []byte) error {
	return decode(c, dst, wire, codec.Bitmap{}.Accumulate)
}

func (s2Codec) compress(w *workspace, form []byte) []byte {
	w.wire = s2.Encode(w.wire[:cap(w.wire)], form)
	return w.wire
}

// expand refuses a block that says it is longer than to has room for.
func (s2Codec) expand(_ *workspace, to, wire []byte) ([]byte, error) {
	n, err := s2.DecodedLen(wire)
	if err != nil {
		return nil, err
	}
	if n > cap(to) {
		return nil, fmt.Errorf("a block of %d bytes, want %d at most", n, cap(to))
	}
	return s2.Decode(to, wire)
}
