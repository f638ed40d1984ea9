package virtual_test

import (
	"context"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// benchRing passes 64 KiB timing-only messages around a ring of ranks, one per rank and step, and returns how many and
// the wall time that took: the engine's message rate.
func benchRing(ranks, steps int) (messages int64, elapsed time.Duration, err error) {
	host := cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	rt := virtual.New(cluster.Uniform(ranks, host, nil), virtual.Config{})
	begin := time.Now()
	out, err := rt.Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
		left, right := (p.Rank()+ranks-1)%ranks, (p.Rank()+1)%ranks
		var in, sent cluster.Msg
		sent.Declared = 64 << 10
		for range steps {
			r := p.Irecv(left, 1, &in)
			s := p.Isend(right, 1, &sent)
			if err := cluster.Wait(p, r, s); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	elapsed = time.Since(begin)
	if err != nil {
		return 0, elapsed, err
	}
	for _, s := range out.Trace.Sent {
		messages += s.Messages
	}
	return messages, elapsed, nil
}
