package dasp

import (
	"slices"

	"gradsync/shared/tensor/vec"
)

// bodies are the memory of gradients that are used or dropped: the server puts weights
// into it and gives it to workers.
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

// holding takes out a body that holds the weights of a version: one that holds them
// already, else the oldest, written anew, else a new one. Version 0 is always written.
func (b *bodies) holding(version int64, weights []float32) []byte {
	i := slices.IndexFunc(*b, func(x body) bool { return version > 0 && x.version == version })
	if i >= 0 {
		found := (*b)[i].bytes
		*b = slices.Delete(*b, i, i+1)
		return found
	}
	var old []byte
	if len(*b) > 0 {
		old = (*b)[0].bytes
		*b = slices.Delete(*b, 0, 1)
	}
	return vec.AppendBytes(old[:0], weights)
}

// forget makes every body be written anew: the weights of a version are no longer what they were.
func (b bodies) forget() {
	for i := range b {
		b[i].version = 0
	}
}
