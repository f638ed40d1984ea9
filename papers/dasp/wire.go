package dasp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// The two directions of the parameter server.
const (
	tagWeights cluster.Tag = 1 // server → worker: weights, or Stop
	tagPush    cluster.Tag = 2 // worker → server: a gradient, or Bye
)

// kinds are the first Meta word of a message of either direction.
const (
	kindData  = 0 // weights: version · a gradient: see pushMeta
	kindEnd   = 1 // Stop from the server, Bye from a worker; no body
	kindShift = 1 // a push packs its step beside the kind
)

// weightsMeta returns the header of weights of a version.
func weightsMeta(version int64) [4]int64 { return [4]int64{kindData, version} }

// endMeta returns the header of Stop and of Bye.
func endMeta() [4]int64 { return [4]int64{kindEnd} }

// isEnd reports whether a message is Stop or Bye.
func isEnd(m *cluster.Msg) bool { return m.Meta[0]&kindEnd != 0 }

// pushMeta returns the header of a gradient: step, the version it was computed on,
// how long that took, the mini-batch loss.
func pushMeta(step, pulled int64, compute time.Duration, loss float64) [4]int64 {
	return [4]int64{step << kindShift, pulled, int64(compute), int64(math.Float64bits(loss))}
}

// readPush reads a header of pushMeta.
func readPush(m *cluster.Msg) (step, pulled int64, compute time.Duration, loss float64) {
	return m.Meta[0] >> kindShift, m.Meta[1], time.Duration(m.Meta[2]), math.Float64frombits(uint64(m.Meta[3]))
}

// floats is vec.Floats; a test takes it away, as a machine of other words would.
var floats = vec.Floats

// elements returns the numbers that body holds: its own memory where that holds words
// as the machine does, else a copy in *own, which the first call makes. What was put
// into a copy encode puts into the body.
func elements(body []byte, own *[]float32) []float32 {
	if x := floats(body); x != nil {
		return x
	}
	if *own == nil {
		*own = make([]float32, len(body)/4)
	}
	_ = vec.FromBytes(*own, body) // of its length
	return *own
}

// encode makes body hold x, which elements returned for it.
func encode(body []byte, x []float32) {
	if floats(body) == nil {
		vec.AppendBytes(body[:0], x)
	}
}

// checkBody returns an error unless m carries exactly the model's bytes.
func checkBody(m *cluster.Msg, what string, params int) error {
	if m.Size() != 4*params {
		return fmt.Errorf("dasp: %s from rank %d has %d bytes, want %d", what, m.From, m.Size(), 4*params)
	}
	return nil
}

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
