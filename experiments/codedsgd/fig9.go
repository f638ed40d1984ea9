package codedsgd

import (
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig9 is the DNN's traffic to the target over the number of nodes.
func fig9() exp.Experiment {
	return traffic("fig9", "Fig. 9", dnn, func(*school, course) ([]result.Claim, error) { return nil, nil })
}

// traffic is Fig. 9 or 11: bytes until the target, of all nodes together.
func traffic(id, source string, net network, judge func(*school, course) ([]result.Claim, error)) exp.Experiment {
	return figure{id: id, title: "Traffic to the benchmark accuracy, " + net.Title, source: source, nets: []network{net}, depth: toTarget,
		fill: func(s *school, res *result.Result, cs []course) error {
			c := cs[0]
			claims, err := judge(s, c)
			if err != nil {
				return err
			}
			res.Claims = append(res.Claims, claims...)
			for _, v := range trafficGrounds() {
				res.Tables = append(res.Tables, c.trafficTable(v))
				res.Figures = append(res.Figures,
					c.trafficFigure(v, "once", "a multicast counted once", bytesIn),
					c.trafficFigure(v, "receivers", "counted once per receiver", func(it iteration) float64 { return it.Delivered }))
			}
			res.Notes = c.trafficNotes(source)
			return nil
		}}.experiment()
}

// trafficGrounds are the two message models: bytes do not depend on what carries them.
func trafficGrounds() []variant { return []variant{judged, ethernet} }

// trafficName is a message model.
func trafficName(v variant) string {
	if v.Whole {
		return "whole gradients"
	}
	return "the paper's message model"
}

func trafficKey(v variant) string {
	if v.Whole {
		return "whole"
	}
	return "micro"
}

func (c *course) trafficHow(v variant) string {
	how := "The batch is cut into Q(n) micro-blocks, the same for all methods, and the gradient of each travels by itself."
	if v.Whole {
		how = "A message is the summed gradient of a block; SSGD's nodes send one each, CSSGD has C(n,r) blocks."
	}
	return fmt.Sprintf("To %s test accuracy (%s), message bodies of all nodes: updates × the bytes of an iteration, counted in a run of the same messages. %s", percent(c.target), c.targetWhy(), how+c.first(v))
}

// first describes the trainings with the first ground alone.
func (w *largest) first(v variant) string {
	if v.Key != judged.Key {
		if v.Whole {
			return " Trained as under the first table." + w.whole.clips()
		}
		return " Trained as under the first table."
	}
	return " " + w.how() + "."
}

func (c *course) trafficTable(v variant) result.Table {
	t := result.Table{ID: "traffic-" + trafficKey(v), Title: "Traffic to the target, " + trafficName(v), Kind: result.Shared, Caption: c.trafficHow(v),
		Columns: []result.Column{{Key: "nodes", Title: "nodes, classes"}, {Key: "method", Title: "method"}, {Key: "updates", Title: "updates", Digits: 1},
			{Key: "packets", Title: "packets per update"}, {Key: "once", Title: "a multicast once", Unit: "GB", Digits: 3}, {Key: "receivers", Title: "once per receiver", Unit: "GB", Digits: 3},
			{Key: "multicast", Title: "once, of SSGD Multicast's once", Unit: "%", Digits: 1}, {Key: "unicast", Title: "once, of SSGD's once per receiver", Unit: "%", Digits: 1}}}
	for i, on := range c.on {
		updates := meanOf(c.updates[i])
		of := on.Of[v.Key]
		for _, x := range compared(on.Nodes) {
			it := of[x]
			t.Rows = append(t.Rows, []any{on.Nodes, exchangeName(on.Nodes, x), exp.OrNone(updates), it.Packets, exp.OrNone(updates * it.Bytes / 1e9), exp.OrNone(updates * it.Delivered / 1e9),
				100 * it.Bytes / of[multicast].Bytes, 100 * it.Bytes / of[multicast].Delivered})
		}
	}
	return t
}

func (c *course) trafficFigure(v variant, key, how string, of func(iteration) float64) result.Figure {
	f := result.Figure{ID: "traffic-" + trafficKey(v) + "-" + key, Title: fmt.Sprintf("%s: traffic to the target, %s, %s", c.plan.Net.Title, trafficName(v), how), Kind: result.Shared, Form: "line",
		Caption: c.trafficHow(v) + " No exchange has no traffic and no point.", X: result.Axis{Title: "nodes (and classes)"}, Y: result.Axis{Title: "traffic to " + percent(c.target), Unit: "GB", Log: true}}
	f.Series = c.overNodes(func(i int, x exchange) float64 { return meanOf(c.updates[i]) * of(c.on[i].Of[v.Key][x]) / 1e9 })
	f.Alt = trafficWords(c.on, v, of)
	return f
}

// trafficWords says where CSSGD sends less than SSGD with multicast.
func trafficWords(cs []crossing, v variant, of func(iteration) float64) string {
	return "CSSGD sends less than SSGD Multicast with " + lowerOn(cs, v, multicast, of) + "."
}

func (c *course) trafficNotes(source string) []string {
	notes := []string{
		fmt.Sprintf("The text says of %s that CSSGD sends less in all than SSGD Multicast; the curves are lost, and “at every number of nodes” is our reading. Counted alike, a multicast once in both, in its own message model: %s In %d of these points r = n, which sends nothing. With whole gradients: %s",
			source, trafficWords(c.on, judged, bytesIn), silent(c.on), trafficWords(c.on, ethernet, bytesIn)),
		fmt.Sprintf("Of the traffic, %s.", meanWords(c.on, judged, multicast, bytesIn)),
		"In the paper's message model SSGD Multicast sends Q gradients and CSSGD Q·(n−r)/r: less only for r > n/2. What the text says comes out if CSSGD's packets are counted once and SSGD's once per receiver, (19): the last column.",
		"With whole gradients an ordinary SSGD sends n, one per node, and CSSGD C(n,r)·(n−r)/r: redundancy multiplies the blocks, and no block's gradient is smaller than another's.",
	}
	if c.plan.Nodes[0] == 2 {
		notes = append(notes, "With r = n nothing is exchanged: every node computes the whole batch.")
	}
	return append(notes, c.whole.note())
}
