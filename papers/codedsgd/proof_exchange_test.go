package codedsgd_test

import (
	"math/big"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// A layer of 60 numbers has no rest in up to 6 segments.
const proofLength = 60

// sent runs one real exchange of method o on n nodes and adds up what all ranks sent.
func sent(t *testing.T, n int, o codedsgd.Options) (all codedsgd.Totals) {
	t.Helper()
	p := cluster.Uniform(n, cluster.Host{Name: "n", FLOPS: 1e9, Bandwidth: 1e8, Latency: time.Microsecond}, nil)
	logs, _, err := cluster.Run(t.Context(), virtual.New(p, virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		task := newQuadratic(proofLength)
		return codedsgd.Run(p, codedsgd.Job{Task: task, Layers: task.layers, Batch: 60, Rate: 0.1, Steps: 1, Options: o})
	})
	if err != nil {
		t.Fatalf("n = %d, %+v: %v", n, o, err)
	}
	for _, l := range logs {
		all.Merge(l.Totals)
	}
	return all
}

// What real exchanges send, in packets and bytes, is what the proof counts: (28) once
// per packet, (29) at equal redundancy, (30) block by block, and the printed loop.
func TestSection24ProofAgainstRealExchanges(t *testing.T) {
	most := 5
	if testing.Short() {
		most = 4
	}
	gradients := func(bytes int64) *big.Rat { return big.NewRat(bytes, 4*proofLength) }
	for n := 2; n <= most; n++ {
		for r := 1; r <= n; r++ {
			check := func(what string, got, want *big.Rat) {
				if got.Cmp(want) != 0 {
					t.Errorf("n = %d, r = %d: %s %s, the proof has %s", n, r, what, got.RatString(), want.RatString())
				}
			}
			coded := sent(t, n, codedsgd.Options{Redundancy: r})
			check("coded packets", big.NewRat(coded.Packets, 1), codedsgd.UsefulPackets(n, r))
			check("coded load", gradients(coded.Bytes), codedsgd.LCoding(n, r))
			check("coded load per receiver", gradients(coded.Delivered), codedsgd.CodedUnicast(n, r))
			check("useful bytes", gradients(coded.Useful), codedsgd.LUncoding(n, r))
			uncoded := sent(t, n, codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: r})
			check("uncoded load", gradients(uncoded.Bytes), codedsgd.LUncoding(n, r))
			many := sent(t, n, codedsgd.Options{Method: codedsgd.SSGDMulticast, Redundancy: r})
			check("uncoded load, multicast", gradients(many.Bytes), codedsgd.UncodedMulticast(n, r))
			blocks := int(codedsgd.BlockCount(n, r).Num().Int64())
			normal := sent(t, n, codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: 1, MicroBlocks: n * blocks})
			check("load of n times as many blocks", gradients(normal.Bytes), new(big.Rat).Mul(big.NewRat(int64(n), 1), codedsgd.LNormal(n, r)))

			e, err := codedsgd.Enumerate(n, r)
			if err != nil {
				t.Fatal(err)
			}
			loop, ok := e.Loop()
			if !ok {
				t.Fatalf("n = %d, r = %d: the loop is not counted", n, r)
			}
			printed := sent(t, n, codedsgd.Options{Redundancy: r, Literal: true})
			check("packets of the printed loop", big.NewRat(printed.Packets, 1), big.NewRat(loop.Packets, 1))
			check("load of the printed loop", gradients(printed.Bytes), big.NewRat(loop.Packets, int64(r)))
			check("its load per receiver", gradients(printed.Delivered), big.NewRat(loop.Deliveries, int64(r)))
			check("its useful bytes", gradients(printed.Useful), codedsgd.LUncoding(n, r))
		}
	}
}
