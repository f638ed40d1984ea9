package virtual_test

import (
	"errors"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// A message that left at the very instant of its sender's loss arrives, and one that would have left a nanosecond later
// does not: it is on its way when the rank is told of the loss, or never.
//
// By hand: 2,000 bytes leave after 2 ms and are there after 3; of seed 1 the notice of the loss comes later.
func TestAMessageThatLeftAtTheInstantOfTheLoss(t *testing.T) {
	for _, c := range []struct {
		name   string
		before time.Duration // that it leaves
		want   error
	}{{"at that instant", 0, nil}, {"a nanosecond before", 1, cluster.ErrLost}} {
		net := virtual.New(cluster.Uniform(2, ms, nil),
			virtual.Config{Seed: 1, Headerless: true, Elastic: true, Notice: time.Second})
		at, _, err := cluster.Run(t.Context(), net, func(p cluster.Proc) (time.Duration, error) {
			if p.Rank() == 0 {
				_, err := p.WaitAny(2*time.Millisecond-c.before, p.Isend(1, 1, &cluster.Msg{Declared: 2000}))
				if left := err == nil; left != (c.before == 0) {
					t.Errorf("%s: the message has left %v: %v", c.name, left, err)
				}
				return 0, cluster.ErrCrashed
			}
			if err := cluster.Wait(p, p.Irecv(0, 1, &cluster.Msg{})); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			return p.Now(), nil
		})
		const arrived = 3 * time.Millisecond
		if err != nil || c.want == nil && at[1] != arrived || c.want != nil && at[1] <= arrived {
			t.Errorf("%s: the wait ended at %v, %v; the message is there after %v", c.name, at, err, arrived)
		}
	}
}
