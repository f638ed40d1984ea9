package bench

import (
	"fmt"
	"sync"

	"gradsync/shared/cluster/virtual"
)

// KindMessages is one message of every rank of a ring to its neighbour.
const KindMessages = "messages"

// Names of the contenders of KindMessages.
const (
	VirtualRing = "virtual"  // on the virtual runtime, which keeps a clock
	ChannelRing = "channels" // goroutines and Go's channels, without a clock
)

// MessagesContenders lists the contenders of KindMessages.
func MessagesContenders() []string { return []string{VirtualRing, ChannelRing} }

// roundMessages is the least number of messages of a round: a runtime is made for each.
const roundMessages = 200_000

// MessagesCase returns the case of a ring of ranks on one core.
func MessagesCase(ranks int) Case {
	return Case{Title: fmt.Sprintf("a ring of %d ranks in virtual time", ranks), Peer: ChannelRing, Job: Job{Kind: KindMessages, Ranks: ranks, Threads: 1}}
}

// openMessages opens a ring. A step is a message of each rank.
func openMessages(j Job) (*Task, error) {
	if j.Ranks < 2 {
		return nil, fmt.Errorf("bench: messages: %d ranks, at least 2", j.Ranks)
	}
	t := &Task{Class: "–", Group: max(roundMessages/j.Ranks, 1)}
	switch j.Contender {
	case VirtualRing:
		t.Run = func(steps int) error {
			sent, _, err := virtual.BenchRing(j.Ranks, steps)
			if want := int64(j.Ranks) * int64(steps); err == nil && sent != want {
				err = fmt.Errorf("bench: messages: %d were sent, want %d", sent, want)
			}
			return err
		}
	case ChannelRing:
		t.Run = func(steps int) error { return channelRing(j.Ranks, steps) }
	default:
		return nil, fmt.Errorf("bench: messages: no contender %q", j.Contender)
	}
	return t, nil
}

// channelRing passes a number from each goroutine to the next, once a step, and checks what arrives.
func channelRing(ranks, steps int) error {
	to := make([]chan int, ranks)
	for i := range to {
		to[i] = make(chan int, 1)
	}
	wrong := make([]bool, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			for step := range steps {
				to[(rank+1)%ranks] <- step
				if <-to[rank] != step {
					wrong[rank] = true
				}
			}
		})
	}
	all.Wait()
	for rank, bad := range wrong {
		if bad {
			return fmt.Errorf("bench: messages: rank %d heard another step", rank)
		}
	}
	return nil
}

// messagesRow returns a contender's messages per second, its ratio, and the memory of its process.
func messagesRow(o *Outcome, r *Result) []string {
	return []string{r.Contender, spread(r.rate(float64(o.Job.Ranks)/1e6), ""), ratio(r.Ratio), mib(r.PeakBytes)}
}
