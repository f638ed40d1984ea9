package tcp

import (
	"fmt"
	"net"
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// The probe moves probeBytes in pieces of each size in turn, the best of
// probeRounds counts: 62.9 MB. It ends with the first volley that takes longer than
// probeLimit, be it of the first round, and so after 4.2 MB on a slow link: there,
// pieces of any size fill it. Trace.Probe has what was sent.
const (
	probeBytes  = 4 << 20
	probeRounds = 3
	probeLimit  = 20 * time.Millisecond
)

var probeSizes = []int{128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20}

// probe measures on the first connection from rank 0 to rank 1 which size of
// piece is fastest. It says no if the run has ended meanwhile.
func (n *node) probe() (chunk int, ok bool) {
	if n.cfg.Size == 1 {
		return defaultChunk, true
	}
	l := n.peers[1].links[0]
	body := make([]byte, probeBytes)
	best := make([]time.Duration, len(probeSizes))
	for round := range probeRounds {
		for i, size := range probeSizes {
			began := time.Now()
			if !n.volley(l, body, size) {
				return 0, false
			}
			took := time.Since(began)
			if took > probeLimit {
				return defaultChunk, true
			}
			if round > 0 && (best[i] == 0 || took < best[i]) { // at first buffers and windows grow
				best[i] = took
			}
		}
	}
	return fastest(best), true
}

// fastest returns the size of piece that took least: the default unless another
// took a tenth less, which noise does not easily do.
func fastest(took []time.Duration) int {
	chunk, limit := defaultChunk, took[slices.Index(probeSizes, defaultChunk)]*9/10
	for i, d := range took {
		if d < limit {
			chunk, limit = probeSizes[i], d
		}
	}
	return chunk
}

// volley sends body in pieces and waits for the answer.
func (n *node) volley(l *link, body []byte, size int) bool {
	for off := 0; off < len(body); off += size {
		piece := body[off:min(off+size, len(body))]
		h := cluster.Header{Job: l.p.job, Flags: cluster.FlagControl, From: n.cfg.Rank, Tag: kindProbe, Size: len(body), Piece: len(piece)}
		h.Meta[0] = int64(off)
		h.CRC = cluster.Checksum(0, piece)
		bufs := net.Buffers{h.Append(nil), piece}
		if err := l.conn.writeAll(&bufs); err != nil {
			n.blame(l.p.rank, err)
			return false
		}
		l.extra.Add(cluster.HeaderBytes + int64(len(piece)))
		n.tried += cluster.HeaderBytes + int64(len(piece))
	}
	select {
	case <-n.probed:
		n.tried += cluster.HeaderBytes // the answer
		return true
	case <-n.concluded:
		return false
	}
}

// tried takes the header of a frame of the probe, the only control frames on a connection
// that has joined, and returns where its piece goes.
func (l *link) tried(h cluster.Header) ([]byte, error) {
	if h.Tag == kindProbed && h.Piece == 0 {
		return nil, nil
	}
	if h.Tag != kindProbe || h.Size > probeBytes || h.Meta[0] < 0 {
		return nil, fmt.Errorf("%w: control frame %d on a data connection", errFrame, h.Tag)
	}
	if len(l.in.scratch) < h.Piece {
		l.in.scratch = make([]byte, h.Piece)
	}
	return l.in.scratch[:h.Piece], nil
}

// measured answers a frame of the probe that is here.
func (l *link) measured(h cluster.Header) {
	n := l.n
	if h.Tag == kindProbed {
		select {
		case n.probed <- struct{}{}:
		default:
		}
		return
	}
	if h.Meta[0]+int64(h.Piece) < int64(h.Size) {
		return
	}
	answer := cluster.Header{Job: l.p.job, Flags: cluster.FlagControl, From: n.cfg.Rank, Tag: kindProbed}
	l.extra.Add(cluster.HeaderBytes)
	n.Mu.Lock()
	n.pending++
	n.Mu.Unlock()
	l.push(frame{h: answer})
	l.flush()
}
