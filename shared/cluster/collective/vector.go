package collective

import (
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// vector is moved by an exchange: n elements, or their declared bytes only
// if x is nil.
type vector struct {
	x []float32
	n int
}

// summed is a vector with its elements, declared one whose messages are sent only.
func summed(x []float32) vector {
	if x == nil {
		x = []float32{}
	}
	return vector{x, len(x)}
}

func declared(n int) vector { return vector{n: n} }

// part is elements lo to hi of v.
func (v vector) part(lo, hi int) vector {
	if v.x == nil {
		return declared(hi - lo)
	}
	return summed(v.x[lo:hi])
}

// pack makes m the message of elements lo to hi, in m's own buffer.
func (v vector) pack(m *cluster.Msg, lo, hi int) {
	if v.x == nil {
		m.Body, m.Declared = nil, vec.Bytes(hi-lo)
		return
	}
	m.Body = vec.AppendBytes(m.Body[:0], v.x[lo:hi])
	if m.Body == nil {
		m.Body = []byte{} // an empty chunk is still a real message
	}
}

// unpack adds m to elements lo to hi, or stores it there.
func (v vector) unpack(m *cluster.Msg, lo, hi int, sum bool) error {
	if v.x == nil {
		if m.Size() != vec.Bytes(hi-lo) {
			return fmt.Errorf("collective: rank %d declared %d bytes, want %d", m.From, m.Size(), vec.Bytes(hi-lo))
		}
		return nil
	}
	var err error
	if sum {
		err = vec.AddBytes(v.x[lo:hi], m.Body) // reduce-scatter, step 4
	} else {
		err = vec.FromBytes(v.x[lo:hi], m.Body) // all-gather, step 4
	}
	if err != nil {
		return fmt.Errorf("collective: from rank %d: %w", m.From, err)
	}
	return nil
}
