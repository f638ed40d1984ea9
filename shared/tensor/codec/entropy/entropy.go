// Package entropy registers codecs that compress the bitmap form with a general
// compressor. They trade time for bytes: what is left of a bitmap is few bits
// where zeros are many, and little where values are as random as gradients are.
package entropy

import (
	"fmt"
	"sync"

	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

func init() {
	codec.Register(zstdCodec{})
	codec.Register(s2Codec{})

}

// workspace holds what one call needs: both forms, and the compressor's tables. A
// pool keeps as many as calls run at a time.
type workspace struct {
	form, wire []byte
	zstd       zstdState
}

var pool = sync.Pool{New: func() any { return new(workspace) }}

// bitmap makes the bitmap form of src in w.
func (w *workspace) bitmap(src []float32) []byte {
	w.form = grow(w.form, vec.BitmapBytes(len(src), len(src)))
	return codec.Bitmap{}.Append(w.form[:0], src)
}

// limit returns room for the longest bitmap form of n elements and no byte more: what
// a decompressor may write.
func (w *workspace) limit(n int) []byte {
	most := vec.BitmapBytes(n, n)
	w.form = grow(w.form, most)
	return w.form[:0:most]
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, 0, n)
	}
	return b
}

// compressor turns a bitmap form into wire bytes within w, and back within to.
type compressor interface {
	Name() string
	compress(w *workspace, form []byte) []byte
	expand(w *workspace, to, wire []byte) ([]byte, error)
}

func size(c compressor, src []float32) int {
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	return len(c.compress(w, w.bitmap(src)))
}

func appendTo(c compressor, dst []byte, src []float32) []byte {
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	return append(dst, c.compress(w, w.bitmap(src))...)
}

// decode hands the bitmap form of the wire's n elements to use.
func decode(c compressor, dst []float32, wire []byte, use func(dst []float32, form []byte) error) error {
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	form, err := c.expand(w, w.limit(len(dst)), wire)
	if err == nil {
		err = use(dst, form)
	}
	if err != nil {
		return fmt.Errorf("entropy: %s: %w", c.Name(), err)
	}
	return nil
}
