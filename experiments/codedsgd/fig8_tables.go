package codedsgd

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// caption says how the numbers of a ground were made; the trainings are described
// with the first.
func (c *course) caption(v variant) string {
	return fmt.Sprintf("To %s test accuracy (%s). Updates: trained, mean over seeds ± half the 95 %% interval; time: updates × the iteration of a timing-only run. %s", percent(c.target), c.targetWhy(), groundHow(v)+c.first(v))
}

// targetWhy says where the target is from.
func (c *course) targetWhy() string {
	if c.plan.Target > 0 {
		return "the paper's"
	}
	return fmt.Sprintf("what the paper's rule picks here, in place of %s", percent(statedTarget(c.plan.Net)))
}

// timeTable has a row for each number of nodes and method.
func (c *course) timeTable(v variant) result.Table {
	t := result.Table{ID: "time-" + v.Key, Title: "Time to the target, " + groundName(v), Kind: result.Shared, Caption: c.caption(v),
		Columns: []result.Column{{Key: "nodes", Title: "nodes, classes"}, {Key: "method", Title: "method"},
			{Key: "iteration", Title: "time per update", Unit: "ms", Digits: 1}, {Key: "compute", Title: "of it a node computes", Unit: "ms", Digits: 1},
			{Key: "updates", Title: "updates", Digits: 1}, {Key: "half", Title: "±", Digits: 1}, {Key: "time", Title: "time to the target", Unit: "s", Digits: 3},
			{Key: "multicast", Title: "saves of SSGD Multicast", Unit: "%", Digits: 1}, {Key: "unicast", Title: "saves of SSGD Unicast", Unit: "%", Digits: 1}}}
	for i, on := range c.on {
		updates, half := exp.MeanAndHalf(c.updates[i])
		of := on.Of[v.Key]
		for _, x := range compared(on.Nodes) {
			it := of[x]
			t.Rows = append(t.Rows, []any{on.Nodes, exchangeName(on.Nodes, x), 1e3 * it.Seconds, 1e3 * it.Compute, exp.OrNone(updates), exp.OrNone(half), exp.OrNone(updates * it.Seconds),
				saved(it.Seconds, of[multicast].Seconds), saved(it.Seconds, of[unicast].Seconds)})
		}
	}
	return t
}

// loadWords says how Q and with it communication over computation go with n.
func (c *course) loadWords() string {
	var out []string
	for _, on := range c.on {
		it := on.Of[judged.Key][unicast]
		out = append(out, fmt.Sprintf("%d nodes Q = %d, %.2g", on.Nodes, microBlocks(on.Nodes, redundancies...), it.Seconds/it.Compute-1))
	}
	return "One cutting for all redundancies makes Q(n) jump, and with it communication over computation (SSGD Unicast's time beside computing, over computing): " + strings.Join(out, "; ") + ". Few nodes have next to nothing to save."
}

// methodsOf are all that are compared on some number of nodes, in order.
func (c *course) methodsOf() []exchange { return compared(c.plan.most()) }

// timeFigure draws the time to the target over the number of nodes.
func (c *course) timeFigure(v variant) result.Figure {
	f := result.Figure{ID: "times-" + v.Key, Title: c.plan.Net.Title + ": time to the target, " + groundName(v), Kind: result.Shared, Form: "line", Caption: c.caption(v) +
		" All methods share the updates and their interval, which the table has.", X: result.Axis{Title: "nodes (and classes)"}, Y: result.Axis{Title: "time to " + percent(c.target), Unit: "s", Log: true}}
	f.Series = c.overNodes(func(i int, x exchange) float64 { return meanOf(c.updates[i]) * c.on[i].Of[v.Key][x].Seconds })
	f.Alt = c.orderWords(v)
	return f
}

// shareFigure draws the same times as shares of SSGD Multicast's, which do not depend
// on the training.
func (c *course) shareFigure(v variant) result.Figure {
	f := result.Figure{ID: "share-" + v.Key, Title: c.plan.Net.Title + ": time over SSGD Multicast's, " + groundName(v), Kind: result.TimingOnly, Form: "line",
		Caption: "Time per update, and so to any accuracy, over that of SSGD Multicast: below 1 is sooner. " + groundHow(v), X: result.Axis{Title: "nodes (and classes)"}, Y: result.Axis{Title: "time over SSGD Multicast's", Log: true}}
	f.Series = c.overNodes(func(i int, x exchange) float64 {
		return c.on[i].Of[v.Key][x].Seconds / c.on[i].Of[v.Key][multicast].Seconds
	})
	f.Alt = c.orderWords(v)
	return f
}

// overNodes makes a series for each method; a value that is no number or that a
// logarithmic axis cannot show is left out.
func (c *course) overNodes(of func(i int, x exchange) float64) (out []result.Series) {
	for _, x := range c.methodsOf() {
		name, group := seriesName(x)
		s := result.Series{Name: name, Group: group}
		for i, on := range c.on {
			if x.Redundancy > on.Nodes {
				continue
			}
			if y := of(i, x); y > 0 {
				s.X, s.Y = append(s.X, float64(on.Nodes)), append(s.Y, y)
			}
		}
		if len(s.X) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// orderWords says where CSSGD is ahead of either SSGD.
func (c *course) orderWords(v variant) string {
	return fmt.Sprintf("CSSGD is sooner than SSGD Multicast with %s; sooner than SSGD Unicast with %s.", lowerOn(c.on, v, multicast, secondsIn), lowerOn(c.on, v, unicast, secondsIn))
}

// timeNotes say what the figure of the paper shows and what is found.
func (c *course) timeNotes(source string) []string {
	notes := []string{
		fmt.Sprintf("%s; the curves are lost, and “at every number of nodes” is our reading. In its own message and time model, with a multicast counted once for everybody: %s Every node needs every gradient, so that a plain multicast of a block serves n − r nodes and a coded one r: (28) over SSGD Multicast is (n−r)/r, a gain only for r > n/2.",
			timeSaid(source, c.plan.Net), c.orderWords(judged)),
		fmt.Sprintf("Of the time, %s; %s.", meanWords(c.on, judged, multicast, secondsIn), meanWords(c.on, judged, unicast, secondsIn)),
		switchNote(c.on),
		c.loadWords(),
		"Charged for every receiver, SSGD is the unicast of the same figure, the baseline that (19) divides by: only against it does the model of §3.2.4 promise a gain.",
	}
	if c.plan.Nodes[0] == 2 {
		notes = append(notes, "With 2 nodes r = 2 means that both compute the whole batch and nothing is exchanged; r = 3 has no blocks there and is absent. With 2 nodes a multicast has one receiver: SSGD's two ways are one.")
	}
	for _, v := range grounds[1:] {
		notes = append(notes, strings.ToUpper(groundName(v)[:1])+groundName(v)[1:]+": "+c.orderWords(v))
	}
	for i, u := range c.updates {
		if math.IsNaN(meanOf(u)) {
			notes = append(notes, fmt.Sprintf("On %d nodes a seed does not reach the target in %d updates: no point there.", c.on[i].Nodes, c.plan.Updates))
		}
	}
	return append(notes, shared, c.whole.note())
}

// timeSaid is what the text says of its figure.
func timeSaid(source string, net network) string {
	if net.Key == cnn.Key {
		return fmt.Sprintf("The text says of %s and the CNN that communication takes less of its time, and that saving it matters less than for the DNN, of which it says that CSSGD effectively reduces SSGD's time", source)
	}
	return fmt.Sprintf("The text says of %s that CSSGD effectively reduces SSGD's time", source)
}
