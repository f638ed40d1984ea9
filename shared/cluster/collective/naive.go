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
	return naive(p, tag, root, x, len(x))
}

// NaiveExchangeTiming sends the messages of NaiveExchange over n elements and
// sums nothing.
func NaiveExchangeTiming(p cluster.Proc, tag cluster.Tag, root, n int) error {
	return naive(p, tag, root, nil, n)
}

func naive(p cluster.Proc, tag cluster.Tag, root int, x []float32, n int) error {
	v := vector{x: x, n: n}
	if p.Rank() != root {
		v.pack(0, n)
		received := p.Irecv(root, tag, &v.in)
		if err := cluster.Wait(p, p.Isend(root, tag, &v.out), received); err != nil {
			return err
		}
		return v.unpack(0, n, &v.in, false)
	}
	if err := v.gather(p, tag, root); err != nil {
		return err
	}
	v.pack(0, n)
	var sent []cluster.Req
	for r := range p.Size() {
		if r != root {
			sent = append(sent, p.Isend(r, tag, &v.out))
		}
	}
	return cluster.Wait(p, sent...)
}

// gather sums every rank's vector into v in rank order, v's own in its place.
func (v *vector) gather(p cluster.Proc, tag cluster.Tag, root int) error {
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
		if err := v.unpack(0, v.n, &in[r], r != 0); err != nil {
			return err
		}
		in[r].Body = nil
	}
	return nil
}

// add adds the root's own vector, or stores it if it comes first.
func (v *vector) add(own []float32, first bool) {
	for i, g := range own {
		if first {
			v.x[i] = g
		} else {
			v.x[i] += g
		}
	}
}
