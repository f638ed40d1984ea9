package codedsgd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

// moreNodes are the sizes for which the time model's best redundancy is shown.
var moreNodes = []int{2, 4, 6, 8, 10, 12, 16, 20, 24, 32}

const howSpeed = "Timing-only, 8 nodes, of which one or four have a share of the platform's speed, or that fall from 1, 1, 0.9, 0.8 … to 0.4; the paper's message model, one medium, no jitter, latency or time for coding. "

func speedTable(rows []speedRow) result.Table {
	t := result.Table{ID: "speed", Title: "Time per batch with equal blocks and with blocks by speed", Kind: result.TimingOnly,
		Caption: howSpeed + "Computing: of the slowest node with equal blocks, and of every node with blocks by speed.",
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "pattern", Title: "nodes"}, {Key: "r", Title: "r"}, {Key: "slowest", Title: "computing, equal", Unit: "ms", Digits: 1}, {Key: "each", Title: "computing, by speed", Unit: "ms", Digits: 1},
			{Key: "equal", Title: "equal blocks", Unit: "ms", Digits: 1}, {Key: "uneven", Title: "by speed", Unit: "ms", Digits: 1}, {Key: "saved", Title: "saved", Unit: "%", Digits: 1},
			{Key: "equal-overlap", Title: "equal, overlap", Unit: "ms", Digits: 1}, {Key: "uneven-overlap", Title: "by speed, overlap", Unit: "ms", Digits: 1}, {Key: "saved-overlap", Title: "saved", Unit: "%", Digits: 1}}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []any{r.Net.Title, r.Pattern.Title, r.R, 1e3 * r.Slowest, 1e3 * r.Each, 1e3 * r.Equal[0], 1e3 * r.Uneven[0], 100 * r.saved(0), 1e3 * r.Equal[1], 1e3 * r.Uneven[1], 100 * r.saved(1)})
	}
	return t
}

// bestSpeed is a network and a pattern, each way at its own best redundancy.
type bestSpeed struct {
	Net           network
	Pattern       speedPattern
	Overlap       int
	REqual, RBest int
	Equal, Uneven float64
}

func (b bestSpeed) saved() float64 { return 1 - b.Uneven/b.Equal }

func bestSpeeds(rows []speedRow) (out []bestSpeed) {
	for overlap := range 2 {
		for i, r := range rows {
			if i == 0 || r.Net.Key != rows[i-1].Net.Key || r.Pattern.Key != rows[i-1].Pattern.Key {
				out = append(out, bestSpeed{Net: r.Net, Pattern: r.Pattern, Overlap: overlap, REqual: r.R, RBest: r.R, Equal: r.Equal[overlap], Uneven: r.Uneven[overlap]})
			}
			b := &out[len(out)-1]
			if x := r.Equal[overlap]; x < b.Equal {
				b.Equal, b.REqual = x, r.R
			}
			if x := r.Uneven[overlap]; x < b.Uneven {
				b.Uneven, b.RBest = x, r.R
			}
		}
	}
	return out
}

func bestSpeedTable(best []bestSpeed) result.Table {
	t := result.Table{ID: "best", Title: "Each at its own best redundancy", Kind: result.TimingOnly, Caption: howSpeed + "The best of the redundancies above.",
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "pattern", Title: "nodes"}, {Key: "overlap", Title: "overlap"}, {Key: "r-equal", Title: "best r, equal"}, {Key: "equal", Title: "equal blocks", Unit: "ms", Digits: 1},
			{Key: "r-uneven", Title: "best r, by speed"}, {Key: "uneven", Title: "by speed", Unit: "ms", Digits: 1}, {Key: "saved", Title: "saved", Unit: "%", Digits: 1}}}
	for _, b := range best {
		t.Rows = append(t.Rows, []any{b.Net.Title, b.Pattern.Title, yesNo(b.Overlap == 1), b.REqual, 1e3 * b.Equal, b.RBest, 1e3 * b.Uneven, 100 * b.saved()})
	}
	return t
}

func heldTable(rows []speedRow) result.Table {
	t := result.Table{ID: "held", Title: "Samples per node, DNN, with blocks by speed", Kind: result.Counted,
		Caption: fmt.Sprintf("Counted from the assignment, of %d samples; equal blocks give every node r/8 of them.", dnn.batch(anchor)),
		Columns: []result.Column{{Key: "pattern", Title: "nodes"}, {Key: "r", Title: "r"}, {Key: "samples", Title: "samples of node 0 … 7"}, {Key: "off", Title: "furthest from its share", Unit: "samples", Digits: 1}}}
	for _, r := range rows {
		if r.Net.Key != dnn.Key {
			continue
		}
		t.Rows = append(t.Rows, []any{r.Pattern.Title, r.R, strings.Trim(fmt.Sprint(r.Held), "[]"), furthest(r)})
	}
	return t
}

// furthest is how many samples a node's load is off r·|F_j|·v/Σv at most.
func furthest(r speedRow) (off float64) {
	sum := 0.0
	for _, v := range r.Pattern.Speeds {
		sum += v
	}
	for i, v := range r.Pattern.Speeds {
		off = max(off, math.Abs(float64(r.Held[i])-float64(r.R*r.Net.batch(anchor))*v/sum))
	}
	return off
}

func exactTable(rows []exactRow) result.Table {
	t := result.Table{ID: "exact", Title: "Decoding with uneven blocks", Kind: result.Trained,
		Caption: "An MLP, three updates, nodes of speed 1, 1/2, 1/3 …; sha256 of the parameters by coded packets and by whole gradients of the same uneven blocks. Equal blocks are other sums in float32, and may differ.",
		Columns: []result.Column{{Key: "n", Title: "n"}, {Key: "r", Title: "r"}, {Key: "packets", Title: "packets"}, {Key: "coded", Title: "coded"}, {Key: "uncoded", Title: "uncoded"}, {Key: "same", Title: "same bits"}, {Key: "even", Title: "coded, equal blocks"}}}
	for _, e := range rows {
		t.Rows = append(t.Rows, []any{e.N, e.R, int(e.Packets), short(e.Coded), short(e.Uncoded), yesNo(e.same()), short(e.Even)})
	}
	return t
}

func short(hash string) string { return hash[:min(12, len(hash))] }

// unevenNote is what blocks by speed gain if each way has its best redundancy.
func unevenNote(how string, best []bestSpeed, overlap int) string {
	var least, most *bestSpeed
	for i := range best {
		b := &best[i]
		if b.Overlap != overlap {
			continue
		}
		if least == nil || b.saved() < least.saved() {
			least = b
		}
		if most == nil || b.saved() > most.saved() {
			most = b
		}
	}
	text := func(b *bestSpeed) string {
		return fmt.Sprintf("%s %% (%s, %s)", strings.Replace(fmt.Sprintf("%.0f", 100*b.saved()), "-", "−", 1), b.Net.Title, b.Pattern.Title)
	}
	return fmt.Sprintf("%s, each way at its best r, blocks by speed save from %s to %s of a batch's time", how, text(least), text(most))
}

// rowsNote is the same at equal redundancies, and why it may be negative.
func rowsNote(rows []speedRow, overlap int) string {
	least, most, longer := rows[0], rows[0], 0
	for _, r := range rows {
		if r.saved(overlap) < least.saved(overlap) {
			least = r
		}
		if r.saved(overlap) > most.saved(overlap) {
			most = r
		}
		if r.saved(overlap) < 0 {
			longer++
		}
	}
	text := fmt.Sprintf("; at the same r up to %.0f %% (%s, %s, r = %d).", 100*most.saved(overlap), most.Net.Title, most.Pattern.Title, most.R)
	if longer > 0 {
		text += fmt.Sprintf(" In %d of %d cases they take longer, by up to %.0f %%: where the medium binds, equal blocks let the fast nodes send while the slow ones compute, and with blocks by speed all come to it at once.", longer, len(rows), -100*least.saved(overlap))
	}
	return text
}

// bestAt is the best redundancy of n nodes by the exact form at a ratio.
func bestAt(n int, ratio float64) int {
	var t []float64
	for r := 1; r <= n; r++ {
		t = append(t, forms[0].batch(n, r, ratio))
	}
	return bestOf(t)
}

// moreLaws are those of the abstracts' page but for our own Q(n).
func moreLaws() []law { return laws[:4] }

// statedRatios put r* = 3 and 2 at 8 nodes: the middles of the ranges, in the exact form.
var statedRatios = []float64{7.875, 3.5}

func moreTable() result.Table {
	t := result.Table{ID: "more", Title: "The best redundancy of more nodes, by the time model", Kind: result.Modelled,
		Caption: "Exact form; Tcomm/Tcalc at 8 nodes 7.875 (DNN) and 3.5 (CNN), the middles of what r* = 3 and 2 imply, carried to other n by each law. Saved: of SSGD's time with unicasts.",
		Columns: []result.Column{{Key: "n", Title: "n"}}}
	for i, l := range moreLaws() {
		for k, name := range []string{"DNN", "CNN"} {
			t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("r%d%d", i, k), Title: fmt.Sprintf("%s, best r, %s", name, strings.Split(l.Title, ":")[0])}, result.Column{Key: fmt.Sprintf("s%d%d", i, k), Title: "saved", Unit: "%", Digits: 0})
		}
	}
	for _, n := range moreNodes {
		row := []any{n}
		for _, l := range moreLaws() {
			for _, ratio := range statedRatios {
				row = append(row, bestAt(n, l.at(n, ratio)), 100*forms[0].saving(n, l.at(n, ratio)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func moreFigure() result.Figure {
	f := result.Figure{ID: "more-nodes", Title: "The best redundancy of more nodes, DNN", Kind: result.Modelled, Form: "line", X: result.Axis{Title: "nodes"}, Y: result.Axis{Title: "best r"},
		Caption: "Exact form, Tcomm/Tcalc = 7.875 at 8 nodes, carried to other n by each law."}
	var ends []string
	last := moreNodes[len(moreNodes)-1]
	for _, l := range moreLaws() {
		s := result.Series{Name: strings.Split(l.Title, ":")[0], Group: l.Key}
		for _, n := range moreNodes {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, float64(bestAt(n, l.at(n, statedRatios[0]))))
		}
		f.Series = append(f.Series, s)
		ends = append(ends, fmt.Sprintf("%d with Tcomm/Tcalc %s", bestAt(last, l.at(last, statedRatios[0])), s.Name))
	}
	f.Alt = fmt.Sprintf("At %d nodes the best r is %s.", last, strings.Join(ends, ", "))
	return f
}

func speedFigure(rows []speedRow) result.Figure {
	f := result.Figure{ID: "saved", Title: "Saved by blocks by speed", Kind: result.TimingOnly, Form: "line", X: result.Axis{Title: "redundancy r"}, Y: result.Axis{Title: "time per batch saved", Unit: "%"},
		Caption: howSpeed + "CNN, with overlap, as the algorithm sends."}
	var alts []string
	for _, p := range speedPatterns {
		s := result.Series{Name: p.Title, Group: p.Key}
		for _, r := range rows {
			if r.Net.Key == cnn.Key && r.Pattern.Key == p.Key {
				s.X, s.Y = append(s.X, float64(r.R)), append(s.Y, 100*r.saved(1))
			}
		}
		f.Series = append(f.Series, s)
		alts = append(alts, fmt.Sprintf("%s, %.0f to %.0f %%", p.Title, slices.Min(s.Y), slices.Max(s.Y)))
	}
	f.Alt = "Saved of a batch's time, CNN with overlap, over the redundancies: " + strings.Join(alts, "; ") + "."
	return f
}

func speedNotes(rows []speedRow, exact []exactRow) []string {
	notes := []string{"Blocks of any sizes decode, since a packet's segments do not depend on how many samples a gradient sums: the paper's sentence (§2.1) holds."}
	for overlap, how := range []string{"Without overlap", "With overlap"} {
		notes = append(notes, unevenNote(how, bestSpeeds(rows), overlap)+rowsNote(rows, overlap))
	}
	off := 0.0
	for _, r := range rows {
		off = max(off, furthest(r))
	}
	same := 0
	for _, e := range exact {
		if e.same() {
			same++
		}
	}
	notes = append(notes, fmt.Sprintf("In %d of %d real trainings with uneven blocks coded packets and whole gradients end with the same bits.", same, len(exact)))
	if off < 10 {
		notes = append(notes, fmt.Sprintf("Every node's samples are within %.1f of its share by speed: with C(n,r) blocks there is room for any speeds up to the point where one node would need a block twice.", off))
	} else {
		notes = append(notes, fmt.Sprintf("A node's samples are up to %.0f off its share by speed.", off))
	}
	last := moreNodes[len(moreNodes)-1]
	var ends []string
	for _, l := range moreLaws() {
		ends = append(ends, fmt.Sprintf("%d (Tcomm/Tcalc %s)", bestAt(last, l.at(last, statedRatios[0])), strings.Split(l.Title, ":")[0]))
	}
	return append(notes, fmt.Sprintf("\"With more nodes CSSGD can renew its best redundancy\" (§3.2.5): by the time model the DNN's r* = 3 at 8 nodes becomes at %d nodes %s.", last, strings.Join(ends, ", ")))
}
