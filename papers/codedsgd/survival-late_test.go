package codedsgd_test

import (
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// TestALossBeforeANodeBegins: node 4 is lost after 20 ms, in the middle of the exchange; node 3 begins only then, so that
// it knows of the loss from the start and is never told. It goes on with the others, and all end with the bits of a run
// that loses nobody.
func TestALossBeforeANodeBegins(t *testing.T) {
	const n = 5
	run := func(begins, crashes time.Duration) []string {
		rt := virtual.New(cluster.Uniform(n, survivalHost, nil), virtual.Config{Seed: 1, Elastic: true})
		got, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (string, error) {
			switch {
			case p.Rank() == 4 && crashes > 0:
				p.Go("host", func(p cluster.Proc) error {
					if err := cluster.Sleep(p, crashes); err != nil {
						return err
					}
					return cluster.ErrCrashed
				})
			case p.Rank() == 3:
				if err := cluster.Sleep(p, begins); err != nil {
					return "", err
				}
			}
			q := newQuadratic(24, 8)
			_, err := codedsgd.Run(p, codedsgd.Job{Task: q, Batch: 60, Rate: 0.1, Steps: 4, Options: codedsgd.Options{Redundancy: 2}})
			return digest(q.params), err
		})
		must(t, err)
		return got
	}
	want := run(0, 0)[0]
	for rank, got := range run(30*time.Millisecond, 20*time.Millisecond) {
		if rank < 4 && got != want || rank == 4 && got != "" {
			t.Errorf("rank %d ends with %q, want %q; rank 4 is lost", rank, got, want)
		}
	}
}
