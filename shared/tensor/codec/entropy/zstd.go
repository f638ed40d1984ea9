package entropy

import (
	"github.com/klauspost/compress/zstd"

	"gradsync/shared/tensor/codec"
)

// zstdCodec is the bitmap form as one Zstandard frame of the fastest level, without a
// checksum: the cluster's frames carry one.
//
// Source: S42; ours: the patent leaves the compression algorithm open
type zstdCodec struct{}

func (zstdCodec) Name() string { return "bitmap+zstd" }

// ID returns 4.
func (zstdCodec) ID() uint8 { return 4 }

// Size compresses src.
func (c zstdCodec) Size(src []float32) int { return size(c, src) }

func (c zstdCodec) Append(dst []byte, src []float32) []byte { return appendTo(c, dst, src) }

func (c zstdCodec) Decode(dst []float32, wire []byte) error {
	return decode(c, dst, wire, codec.Bitmap{}.Decode)
}

func (c zstdCodec) Accumulate(dst []float32, wire []byte) error {
	return decode(c, dst, wire, codec.Bitmap{}.Accumulate)
}

// zstdState holds the coders, which are made when first used. They start no
// goroutine: concurrency is 1.
type zstdState struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func (zstdCodec) compress(w *workspace, form []byte) []byte {
	if w.zstd.encoder == nil {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true), zstd.WithAllLitEntropyCompression(true))
		if err != nil {
			panic(err) // the options are valid
		}
		w.zstd.encoder = e
	}
	w.wire = w.zstd.encoder.EncodeAll(form, w.wire[:0])
	return w.wire
}

// expand refuses what would not fit into to. A frame's claims allocate nothing: it
// is decoded in place, beside buffers of at most a block (128 KiB).
func (zstdCodec) expand(w *workspace, to, wire []byte) ([]byte, error) {
	if w.zstd.decoder == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // the options are valid
		}
		w.zstd.decoder = d
	}
	return w.zstd.decoder.DecodeAll(wire, to)
}
