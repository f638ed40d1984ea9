package dasp

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"gradsync/shared/cluster"
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

// appendFloats appends src as little-endian float32.
func appendFloats(dst []byte, src []float32) []byte {
	for _, x := range src {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// copyFloats decodes wire, 4·len(dst) bytes, into dst.
func copyFloats(dst []float32, wire []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(wire[4*i:]))
	}
}

// addFloats decodes wire and adds it to dst, in index order.
func addFloats(dst []float32, wire []byte) {
	for i := range dst {
		dst[i] += math.Float32frombits(binary.LittleEndian.Uint32(wire[4*i:]))
	}
}

// checkBody returns an error unless m carries exactly the model's bytes.
func checkBody(m *cluster.Msg, what string, params int) error {
	if m.Size() != 4*params {
		return fmt.Errorf("dasp: %s from rank %d has %d bytes, want %d", what, m.From, m.Size(), 4*params)
	}
	return nil
}
