package ring

import "fmt"

// sentence is one statement of the blog about the schedule, and how a recording
// is held against it: fault is "" where it holds.
type sentence struct {
	key, text string
	fault     func(r recording) string
}

// blogSchedule is what the blog says of its two loops, in its order. The text
// prints N for n in "sends chunk N": its figures, and baidu-allreduce, have n.
var blogSchedule = []sentence{
	{"iterations", "each GPU makes N−1 exchanges that add and then N−1 that overwrite", faultIterations},
	{"neighbours", "it sends to its right neighbour only and receives from its left", faultNeighbours},
	{"first", "in the first exchange GPU n sends chunk n and receives chunk n−1", func(r recording) string { return faultFirst(r, 0, 0) }},
	{"forward", "every later exchange sends the chunk that the one before received, and so goes backwards", faultForward},
	{"pairs", "after exchange i of the first loop the received chunk is the sum of i+1 GPUs' chunks", faultSums},
	{"complete", "after the first loop each GPU has one chunk with all contributions", faultComplete},
	{"gather", "the first exchange of the second loop sends chunk n+1 and receives chunk n", func(r recording) string { return faultFirst(r, len(r.Transfers)-1, 1) }},
	{"all", "after the second loop every GPU has every chunk with all contributions", faultAll},
}

func faultIterations(r recording) string {
	n := len(r.Transfers)
	for rank, steps := range r.Transfers {
		if len(steps) != 2*(n-1) {
			return fmt.Sprintf("GPU %d makes %d exchanges", rank, len(steps))
		}
		for i, t := range steps {
			if t.adds() != (i < n-1) {
				return fmt.Sprintf("exchange %d of GPU %d: adds is %t", i+1, rank, t.adds())
			}
		}
	}
	return ""
}

func faultNeighbours(r recording) string {
	n := len(r.Transfers)
	for rank, steps := range r.Transfers {
		for i, t := range steps {
			if t.To != (rank+1)%n || t.From != (rank+n-1)%n {
				return fmt.Sprintf("exchange %d of GPU %d goes from %d to %d", i+1, rank, t.From, t.To)
			}
		}
	}
	return ""
}

// faultFirst: the exchange after `at` others sends chunk n+ahead and receives the
// one before it.
func faultFirst(r recording, at, ahead int) string {
	n := len(r.Transfers)
	for rank, steps := range r.Transfers {
		if at >= len(steps) {
			continue // one GPU exchanges nothing
		}
		if t := steps[at]; t.Sent.Chunk != (rank+ahead)%n || t.Received.Chunk != (rank+ahead+n-1)%n {
			return fmt.Sprintf("GPU %d sends chunk %d and receives chunk %d", rank, t.Sent.Chunk, t.Received.Chunk)
		}
	}
	return ""
}

func faultForward(r recording) string {
	for rank, steps := range r.Transfers {
		for i := 1; i < len(steps); i++ {
			if steps[i].Sent.Chunk != steps[i-1].Received.Chunk {
				return fmt.Sprintf("exchange %d of GPU %d sends chunk %d, received was %d", i+1, rank, steps[i].Sent.Chunk, steps[i-1].Received.Chunk)
			}
		}
	}
	return ""
}

func faultSums(r recording) string {
	for rank, steps := range r.Transfers {
		for i, t := range steps[:len(steps)/2] {
			if t.After.count() != i+2 {
				return fmt.Sprintf("after exchange %d chunk %d of GPU %d holds %d", i+1, t.Received.Chunk, rank, t.After.count())
			}
		}
	}
	return ""
}

func faultComplete(r recording) string {
	n := len(r.Transfers)
	for rank, states := range r.States {
		complete := 0
		for _, h := range states[min(n-1, len(states)-1)] {
			if h.count() == n {
				complete++
			}
		}
		if complete != 1 {
			return fmt.Sprintf("GPU %d has %d complete chunks", rank, complete)
		}
	}
	return ""
}

func faultAll(r recording) string {
	n := len(r.Transfers)
	for rank, states := range r.States {
		for c, h := range states[len(states)-1] {
			if h.count() != n {
				return fmt.Sprintf("chunk %d of GPU %d holds %d contributions", c, rank, h.count())
			}
		}
	}
	return ""
}

// faults are the sentences that a recording breaks.
func faults(r recording) (out []string) {
	for _, s := range blogSchedule {
		if f := s.fault(r); f != "" {
			out = append(out, s.key+": "+f)
		}
	}
	return out
}
