package dasp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Digest returns a SHA-256, in hex, of what happened in the run: of every push when it arrived and
// was answered, which version it held and which it became part of; of every update when, of
// whose gradients, with which weight. It leaves out what a method noted of its reasons (gap,
// clock, state). Two methods with equal digests did exactly the same: given the same seed, also
// the parameters they train are equal.
//
// Source: ours: where two methods never differ there is nothing to compare
func (l *Log) Digest() string {
	var all []byte
	put := func(values ...int64) {
		for _, v := range values {
			all = binary.LittleEndian.AppendUint64(all, uint64(v))
		}
	}
	put(int64(l.Workers), int64(l.Params), l.Bytes, int64(l.End), int64(len(l.Pushes)), int64(len(l.Updates)))
	for _, p := range l.Pushes {
		abandoned := int64(0)
		if p.Abandoned {
			abandoned = 1
		}
		put(int64(p.Worker), p.Step, p.Pulled, p.Applied, int64(p.Sent), int64(p.Received), int64(p.Replied), abandoned)
	}
	for _, u := range l.Updates {
		put(u.Version, int64(u.At), u.Pushes, int64(math.Float64bits(u.Weight)), int64(len(u.Workers)))
		for _, w := range u.Workers {
			put(int64(w))
		}
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:])
}
