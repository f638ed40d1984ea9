package codedsgd

import (
	"fmt"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// paddingNodes is where the zeros that packets are filled up with are counted.
const paddingNodes = 8

// padding is what segments of unequal length cost one exchange of a network at full
// size: a packet is as long as its longest segment.
type padding struct {
	Network    network
	Redundancy int
	Split      string
	Packets    int // times layers
	Exact      int // numbers by eq. (28): C(n,r+1)·(r+1)/r gradients, rounded down
	Sent       int // numbers in packets
}

func (p padding) percent() float64 { return 100 * (float64(p.Sent)/float64(p.Exact) - 1) }

func paddings() ([]padding, error) {
	var out []padding
	for _, w := range networks() {
		m, err := w.network(paddingNodes)
		if err != nil {
			return nil, err
		}
		for _, r := range redundancies {
			a, err := codedsgd.Assign(paddingNodes, r)
			if err != nil {
				return nil, err
			}
			for _, s := range splits {
				p := padding{Network: w, Redundancy: r, Split: s}
				for _, l := range m.Layers() {
					cut, err := codedsgd.NewCut(l.Length, shapeOf(m, l), r, s)
					if err != nil {
						return nil, err
					}
					for _, group := range a.Groups() {
						for _, packet := range a.Packets(group) {
							p.Sent += cut.Padded(packet)
							p.Packets++
						}
					}
				}
				p.Exact = len(a.Groups()) * (r + 1) * m.NumParams() / r
				out = append(out, p)
			}
		}
	}
	return out, nil
}

func paddingTable(all []padding) result.Table {
	t := result.Table{ID: "padding", Title: fmt.Sprintf("What uneven segments cost, n = %d", paddingNodes), Kind: result.Counted,
		Caption: "Segments of one packet may differ by a row or a column; the shorter ones are filled up with zeros. Counted over all packets and layers of one exchange of the networks at full width, beside eq. (28) times the network's numbers.",
		Columns: []result.Column{{Key: "network", Title: "network"}, {Key: "r", Title: "r"}, {Key: "split", Title: "split by"}, {Key: "packets", Title: "packets"},
			{Key: "exact", Title: "numbers by (28)"}, {Key: "sent", Title: "numbers sent"}, {Key: "more", Title: "more", Unit: "%", Digits: 3}}}
	for _, p := range all {
		t.Rows = append(t.Rows, []any{p.Network.Title, p.Redundancy, p.Split, p.Packets, p.Exact, p.Sent, p.percent()})
	}
	return t
}
