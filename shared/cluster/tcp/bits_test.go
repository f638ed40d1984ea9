package tcp_test

import (
	"fmt"
	"runtime"
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

// Body bytes are the blog's 2(N−1)K on every runtime; headers are virtual's if
// each message goes in one piece; and the kernel counts exactly their sum.
func TestBytesOnTheWire(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8} {
		const length = 100_003
		body := func(p cluster.Proc) (struct{}, error) {
			x := make([]float32, length)
			return struct{}{}, collective.RingAllReduce(p, 3, x)
		}
		_, want, err := cluster.Run(t.Context(), virtual.New(cluster.Uniform(n, clustertest.Host, nil), virtual.Config{}), body)
		must(t, err)
		for _, cfg := range []tcp.Config{{Chunk: 1 << 20}, {Chunk: 4096}, {}} {
			cfg.Timeout = never
			_, got, err := cluster.Run(t.Context(), tcp.Loopback(n, cfg), body)
			must(t, err)
			if got.BodyBytes() != int64(2*(n-1)*4*length) {
				t.Errorf("N=%d, %+v: %d body bytes, want %d", n, cfg, got.BodyBytes(), 2*(n-1)*4*length)
			}
			if cfg.Chunk == 1<<20 && fmt.Sprint(got.Sent) != fmt.Sprint(want.Sent) {
				t.Errorf("N=%d: sent %+v, virtual %+v", n, got.Sent, want.Sent)
			}
			if got.Kernel == nil {
				if runtime.GOOS == "linux" {
					t.Errorf("N=%d: nothing counted by the kernel", n)
				}
				continue
			}
			for rank, s := range got.Sent {
				if got.Kernel[rank] != s.Bytes+s.Header {
					t.Errorf("N=%d, chunk %d, rank %d: the kernel counts %d, frames have %d", n, cfg.Chunk, rank, got.Kernel[rank], s.Bytes+s.Header)
				}
			}
		}
	}
}
