package compare

import (
	"fmt"
	"strings"
)

// multicastNote says what multicast saves in bytes and in time.
func (s *study) multicastNote() string {
	g := s.Grounds[0]
	u, m := s.cells(g, "ssgd-unicast"), s.cells(g, "ssgd-multicast")
	return fmt.Sprintf("Multicast divides what SSGD's nodes send by %.2g, from %.2f to %.2f MB per round, and its round takes %s of unicast's time: on links that send and receive at once every node still has to take in the gradients of all others.",
		mean(u, sentOf)/mean(m, sentOf), mean(u, sentOf)/1e6, mean(m, sentOf)/1e6, s.times("ssgd-multicast", "ssgd-unicast"))
}

// codingNote compares CSSGD and sum-then-code with what they replace.
func (s *study) codingNote() string {
	g := s.Grounds[0]
	c, m, r := s.cells(g, "cssgd"), s.cells(g, "ssgd-multicast"), s.cells(g, "ring")
	return fmt.Sprintf("CSSGD with r = 2 (its int32 coding is charged; SSGD codes nothing and is charged none) sends %.2f MB per round (delivers %.2f), SSGD multicast %.2f (%.2f), ring %.2f, and computes every sample twice; its round takes %s of SSGD multicast's time and %s of ring's. Sums of redundant blocks, r = 2 (with six nodes nothing in them is coded, t = 1), send %.2f MB; their round takes %s of CSSGD's and %s of SSGD multicast's.",
		mean(c, sentOf)/1e6, mean(c, deliveredOf)/1e6, mean(m, sentOf)/1e6, mean(m, deliveredOf)/1e6, mean(r, sentOf)/1e6, s.times("cssgd", "ssgd-multicast"), s.times("cssgd", "ring"),
		mean(s.cells(g, "compressed"), sentOf)/1e6, s.times("compressed", "cssgd"), s.times("compressed", "ssgd-multicast"))
}

// speedNote says what it brings to give slow nodes fewer samples.
func (s *study) speedNote() string {
	return fmt.Sprintf("Samples by speed, without staleness: a round of SSGD unicast then takes %s of its time with equal samples. Any synchronous method could do so; none of the documents does.", s.times("ssgd-aware", "ssgd-unicast"))
}

// sparseNote says what RingSparse gains on each network.
func (s *study) sparseNote() string {
	var out []string
	for i := 0; i+2 < len(s.Home); i += 3 {
		layers, sparse := s.Home[i+1], s.Home[i+2]
		out = append(out, fmt.Sprintf("%s at %s %.2f", sparse.Network, sparse.Link, sparse.Round/layers.Round))
	}
	return "A round of RingSparse over one of the ring that also goes layer by layer: " + strings.Join(out, "; ") + "."
}

// sameNote lists asynchronous methods that did the same, push by push.
func (s *study) sameNote() string {
	var out []string
	for _, g := range s.Grounds {
		var same []string
		for _, m := range methods() {
			if cells := s.cells(g, m.Key); m.Async && m.Key != "asgd" && strings.HasPrefix(training(cells), "that of ") {
				same = append(same, fmt.Sprintf("%s what %s does", m.Title, cells[0].Shared))
			}
		}
		if len(same) > 0 {
			out = append(out, fmt.Sprintf("at %s %s", g.link(), join(same)))
		}
	}
	if len(out) == 0 {
		return "No two asynchronous methods do the same here, push by push, in every seed."
	}
	return "These do the same, push by push, in every seed: " + strings.Join(out, "; ") + ". Where nobody is far behind, no threshold acts."
}

// missing lists methods that do not reach the target in a seed.
func (s *study) missing() string {
	var out []string
	for _, g := range s.Grounds {
		for _, m := range methods() {
			if _, _, _, ok := reached(s.cells(g, m.Key), s.Target); !ok {
				out = append(out, m.Title+" at "+g.link())
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return fmt.Sprintf("The target is not reached in a seed by %s; they have no time to it.", join(out))
}

// paperNote says how the order changes in the paper's message model.
func (s *study) paperNote() string {
	var out []string
	for i := 0; i+2 < len(s.Paper); i += 3 {
		u, m, c := s.Paper[i], s.Paper[i+1], s.Paper[i+2]
		out = append(out, fmt.Sprintf("at %s a round of CSSGD takes %.2f of SSGD unicast's and %.2f of SSGD multicast's", c.Link, c.Round/u.Round, c.Round/m.Round))
	}
	return "With a message per micro-block, the paper's model, " + join(out) + "."
}
