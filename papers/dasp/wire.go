package dasp

import (
	"fmt"
	"math"
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
