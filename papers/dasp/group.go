//gradsync:pure

package dasp

import "strconv"

// release answers the waiting nodes that are due and pass the test, until
// nobody more does. Ranks ascend within a group: a barrier group sums in rank
// order, whoever came first.
func (p *policy) release() {
	for p.wait > 0 {
		due, fresh := p.due(false)
		if len(due) > 0 && fresh && p.within(p.view.Newest+1, due) {
			p.apply(WSS, p.unapplied()...) // Alg. 2, line 6
			p.answer(due)
			continue
		}
		// Nodes whose gradient is in the model already need no new version, and
		// so may pass where the others do not.
		if due, _ = p.due(true); len(due) > 0 && p.within(p.view.Newest, due) {
			p.answer(due)
			continue
		}
		return
	}
}

// due returns the nodes that nothing but the test holds, and whether one of
// them needs a new version. With appliedOnly it returns those that do not. A
// QIS node that joined a group is due when another member is, or when it is
// left alone.
func (p *policy) due(appliedOnly bool) (nodes []int, fresh bool) {
	alone := !p.groupWaits()
	for i, h := range p.held {
		if !h.waiting || appliedOnly && !h.applied {
			continue
		}
		joined := h.State == QIS
		if joined || h.due {
			nodes = append(nodes, i)
			fresh = fresh || !h.applied && (!joined || alone)
		}
	}
	return nodes, fresh
}

// within is the re-check: it reports whether v, handed to all of nodes, is at
// most Smax ahead of everybody else. The literal reading has no such test.
func (p *policy) within(v int64, nodes []int) bool {
	if p.cfg.LiteralFSS {
		return true
	}
	k := 0 // nodes ascend, so one walk suffices
	// Alg. 1, line 15: until the oldest has a newer version
	for i, held := range p.view.V {
		if k < len(nodes) && nodes[k] == i {
			k++
			continue
		}
		if p.view.Present[i] && v-held > p.cfg.Smax {
			return false
		}
	}
	return true
}

// unapplied returns the waiting nodes whose gradient no update has used, and
// marks them used. It is the group: K is its size.
func (p *policy) unapplied() (nodes []int) {
	for i := range p.held {
		if h := &p.held[i]; h.waiting && !h.applied {
			h.applied = true
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// answer replies to each of nodes in its own state.
func (p *policy) answer(nodes []int) {
	for _, n := range nodes {
		p.reply(n, p.held[n].State, p.held[n].Gap)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
