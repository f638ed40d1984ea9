package rank_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// A message of which only a part has come when its sender is lost: who waits for that sender has its LostError, who waits
// for any rank gets the next message, in posting order, and who withdrew the receive has that.
func TestHalfAMessageOfALostRank(t *testing.T) {
	within(t, func(t *testing.T) {
		b := newBench(3, rank.Config{Lose: func(int) {}})
		half := func(tag cluster.Tag) *rank.Packet {
			p := &rank.Packet{Key: match.Key{From: 2, Tag: tag}, Size: 9}
			b.Mu.Lock()
			defer b.Mu.Unlock()
			b.ranks[0].Arrive(p)
			return p
		}
		ok(t)(b.run(func(p cluster.Proc) error {
			var a, first, second, c, late cluster.Msg
			named, any1, any2, gone := p.Irecv(2, 1, &a), p.Irecv(cluster.Any, 2, &first), p.Irecv(cluster.Any, 2, &second), p.Irecv(cluster.Any, 3, &c)
			parts := []*rank.Packet{half(1), half(2), half(3), half(4)} // nobody has asked for the last yet
			go func() {
				time.Sleep(time.Second)
				b.Mu.Lock()
				defer b.Mu.Unlock()
				slices.Reverse(parts) // in whatever order
				b.ranks[0].Discard(parts)
				b.ranks[0].Tell(2)
				b.ranks[0].Tell(2) // changes nothing
			}()
			if p.Cancel(gone); !errors.Is(gone.Err(), cluster.ErrCancelled) {
				return gone.Err()
			}
			for _, r := range []cluster.Req{named, p.Irecv(2, 4, &late)} {
				var lost *cluster.LostError
				if err := cluster.Wait(p, r); !errors.As(err, &lost) || lost.Rank != 2 {
					return errors.Join(errors.New("want the LostError of rank 2"), err)
				}
			}
			if err := cluster.Wait(p, any1, any2); err != nil || first.Body[0] != 5 || second.Body[0] != 6 {
				return errors.Join(errors.New("want 5, then 6"), err)
			}
			return nil
		}, func(p cluster.Proc) error {
			return errors.Join(cluster.Sleep(p, 2*time.Second), send(p, 0, 2, 5), send(p, 0, 2, 6))
		}))
	})
}
