package collective

import (
	"gradsync/shared/cluster"
)

// NaiveExchange leaves in every rank's x the sum over ranks by way of one
// reducer: all send to root, root sums in rank order (((x_0 + x_1) + x_2) + …)
// and sends the sum back to each. Root's NIC moves (N−1)K bytes each way.
//
// Source: §1.3, the blog's single-reducer exchange
func NaiveExchange(p cluster.Proc, tag cluster.Tag, root int, x []float32) error {
	return naive(p, tag, root, summed(x))
}

// NaiveExchangeTiming sends the messages of NaiveExchange over n elements and
// sums nothing.
//
// Source: §1.3, the blog's single-reducer exchange
func NaiveExchangeTiming(p cluster.Proc, tag cluster.Tag, root, n int) error {
	return naive(p, tag, root, declared(n))
}

// NaiveGatherTiming sends the messages of the half of NaiveExchange that the blog's
// 1.2 s a sender count: all send n elements to root.
//
// Source: §1.3, the blog's linear cost, in one direction
func NaiveGatherTiming(p cluster.Proc, tag cluster.Tag, root, n int) error {
	return naiveGather(p, tag, root, declared(n))
}

func naive(p cluster.Proc, tag cluster.Tag, root int, v vector) error {
	var in, out cluster.Msg
	if p.Rank() != root {
		v.pack(&out, 0, v.n)
		received := p.Irecv(root, tag, &in)
		if err := cluster.Wait(p, p.Isend(root, tag, &out), received); err != nil {
			return err
		}
		return v.unpack(&in, 0, v.n, false)
	}
	if err := v.gather(p, tag, root); err != nil {
		return err
	}
	v.pack(&out, 0, v.n)
	var sent []cluster.Req
	for r := range p.Size() {
		if r != root {
			sent = append(sent, p.Isend(r, tag, &out))
		}
	}
	return cluster.Wait(p, sent...)
}

func naiveGather(p cluster.Proc, tag cluster.Tag, root int, v vector) error {
	if p.Rank() == root {
		return v.gather(p, tag, root)
	}
	var out cluster.Msg
	v.pack(&out, 0, v.n)
	return cluster.Wait(p, p.Isend(root, tag, &out))
}

// gather sums every rank's vector into v in rank order, v's own in its place.
func (v vector) gather(p cluster.Proc, tag cluster.Tag, root int) error {
	in := make([]cluster.Msg, p.Size())
	reqs := make([]cluster.Req, p.Size())
	for r := range in {
		if r != root {
			reqs[r] = p.Irecv(r, tag, &in[r])
		}
	}
	var own []float32
	if v.x != nil {
		own = append(own, v.x...)
		clear(v.x)
	}
	for r := range in {
		if r == root {
			v.add(own, r == 0)
			continue
		}
		if err := cluster.Wait(p, reqs[r]); err != nil {
			return err
		}
		// The first is stored, not added: 0 + (−0) would lose a sign.
		if err := v.unpack(&in[r], 0, v.n, r != 0); err != nil {
			return err
		}
		in[r].Body = nil
	}
	return nil
}

// add adds the root's own vector, or stores it if it comes first.
func (v vector) add(own []float32, first bool) {
	for i, g := range own {
		if first {
			v.x[i] = g
		} else {
			v.x[i] += g
		}
	}
}
