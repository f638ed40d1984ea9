package dasp

import (
	"slices"

	"gradsync/shared/tensor/vec"
)

// bodies are gradients that are used or dropped: memory of the server's for weights
// that it gives to workers.
type bodies []body

// body is one of them and the version whose weights it holds, 0: none.
type body struct {
	bytes   []byte
	version int64
}

// add adds a body; a gradient that was only declared has none.
func (b *bodies) add(bytes []byte, version int64) {
	if bytes != nil {
		*b = append(*b, body{bytes, version})
	}
}

// holding takes a body out, one that holds the weights of that version: as it is if
// there is such a one, else written anew, else new. Version 0 is always written.
func (b *bodies) holding(version int64, weights []float32) []byte {
	i := slices.IndexFunc(*b, func(x body) bool { return version > 0 && x.version == version })
	if i >= 0 {
		found := (*b)[i].bytes
		*b = slices.Delete(*b, i, i+1)
		return found
	}
	var old []byte
	if k := len(*b) - 1; k >= 0 {
		old = (*b)[0].bytes // of the oldest version
		*b = slices.Delete(*b, 0, 1)
	}
	return vec.AppendBytes(old[:0], weights)
}
