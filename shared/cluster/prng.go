package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Stream returns the pseudo-random stream named by (seed, rank, thread,
// stream): a PCG whose state is the SHA-256 of an unambiguous encoding of the
// four. Streams of different names are independent, so asking for one more
// changes no other, on any runtime.
//
// Source: ours: named streams keep a run's draws apart from its scheduling
func Stream(seed uint64, rank int, thread, stream string) *rand.Rand {
	b := []byte("gradsync/prng/1\x00")
	b = binary.LittleEndian.AppendUint64(b, seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(int64(rank)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(thread)))
	b = append(b, thread...)
	b = append(b, stream...)
	h := sha256.Sum256(b)
	return rand.New(rand.NewPCG(
		binary.LittleEndian.Uint64(h[0:8]), binary.LittleEndian.Uint64(h[8:16])))
}

// ThreadName returns the name of the k-th thread called name (from 1) that
// the thread parent made: unique within the rank, and the same on every
// runtime whatever the scheduling.
//
// Source: ours: streams need names that scheduling cannot change
func ThreadName(parent, name string, k int) string {
	if name == "" {
		name = "thread" // "" is the rank's first thread
	}
	if parent != "" {
		name = parent + "/" + name
	}
	if k > 1 {
		name = fmt.Sprintf("%s#%d", name, k)
	}
	return name
}
