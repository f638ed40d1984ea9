package tcp_test

import (
	"fmt"
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/tcp"
)

// BenchmarkRing sums a vector over two ranks of one process: bytes/s is the bus bandwidth, K·2(N−1)/N over the time.
func BenchmarkRing(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20, 4 << 20, 64 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			_, err := tcp.Loopback(2, tcp.Config{Chunk: 1 << 20}).Run(b.Context(), func(p cluster.Proc) ([]byte, error) {
				x := make([]float32, size/4)
				ring := collective.Ring{Segment: 1 << 18, Scratch: &collective.Scratch{}}
				if p.Rank() == 0 {
					b.ResetTimer()
				}
				for range b.N {
					if err := ring.AllReduce(p, 1, x); err != nil {
						return nil, err
					}
				}
				return nil, nil
			})
			must(b, err)
		})
	}
}

// BenchmarkPingPong sends one empty message there and back.
func BenchmarkPingPong(b *testing.B) {
	b.ReportAllocs()
	_, err := tcp.Loopback(2, tcp.Config{Chunk: 1 << 20}).Run(b.Context(), func(p cluster.Proc) ([]byte, error) {
		var in, out cluster.Msg
		for range b.N {
			r := p.Irecv(1-p.Rank(), 1, &in)
			if p.Rank() == 0 {
				if err := cluster.Wait(p, p.Isend(1, 1, &out)); err != nil {
					return nil, err
				}
			}
			if err := cluster.Wait(p, r); err != nil {
				return nil, err
			}
			if p.Rank() == 1 {
				if err := cluster.Wait(p, p.Isend(0, 1, &out)); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	})
	must(b, err)
}
