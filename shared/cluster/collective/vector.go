package collective

import (
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// vector is what an exchange moves: n elements, or their declared bytes only
// if x is nil. It owns the wire buffers of one call.
type vector struct {
	x       []float32
	n       int
	in, out cluster.Msg
	inBuf   []byte
}

// pack makes v.out the message of elements lo to hi.
func (v *vector) pack(lo, hi int) {
	if v.x == nil {
		v.out.Body, v.out.Declared = nil, vec.Bytes(hi-lo)
		return
	}
	v.out.Body = vec.AppendBytes(v.out.Body[:0], v.x[lo:hi])
	if v.out.Body == nil {
		v.out.Body = []byte{} // an empty chunk is still a real message
	}
}

// unpack adds m to elements lo to hi, or stores it there.
func (v *vector) unpack(lo, hi int, m *cluster.Msg, sum bool) error {
	if v.x == nil {
		if m.Size() != vec.Bytes(hi-lo) {
			return fmt.Errorf("collective: rank %d declared %d bytes, want %d", m.From, m.Size(), vec.Bytes(hi-lo))
		}
		return nil
	}
	var err error
	if sum {
		err = vec.AddBytes(v.x[lo:hi], m.Body)
	} else {
		err = vec.FromBytes(v.x[lo:hi], m.Body)
	}
	if err != nil {
		return fmt.Errorf("collective: from rank %d: %w", m.From, err)
	}
	return nil
}
