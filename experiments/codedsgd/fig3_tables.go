package codedsgd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// segmentsOf says for each number of a layer which segment it is in.
func segmentsOf(l layerGradient, r int, split string) ([]int, error) {
	cut, err := codedsgd.NewCut(len(l.Fixed), l.Shape, r, split)
	if err != nil {
		return nil, err
	}
	marks := make([]int32, len(l.Fixed))
	for k := range r {
		part := make([]int32, cut.Len(k))
		fill(part, int32(k))
		cut.Scatter(marks, part, k)
	}
	out := make([]int, len(marks))
	for i, k := range marks {
		out[i] = int(k)
	}
	return out, nil
}

// drawSplits adds the matrix, its pictures and the segments' sizes.
func drawSplits(res *result.Result, l layerGradient) error {
	res.Tables = append(res.Tables, matrixTable(l))
	sizes := result.Table{ID: "segments", Title: "Segments of the matrix", Kind: result.Trained,
		Caption: "The layer's numbers cut by columns and by rows; the biases behind the weights are cut by themselves. In a packet all segments are as long as the longest.",
		Columns: []result.Column{{Key: "split", Title: "split by"}, {Key: "r", Title: "r"}, {Key: "k", Title: "segment"}, {Key: "weights", Title: "weights"}, {Key: "biases", Title: "biases"},
			{Key: "numbers", Title: "numbers"}, {Key: "padded", Title: "filled up to"}}}
	for _, s := range splits {
		for _, r := range redundancies {
			at, err := segmentsOf(l, r, s)
			if err != nil {
				return err
			}
			if s == codedsgd.Columns || r == redundancies[len(redundancies)-1] {
				res.Figures = append(res.Figures, splitFigure(l, at, r, s))
			}
			weights, biases, most := make([]int, r), make([]int, r), 0
			for i, k := range at {
				if i < l.Shape[0]*l.Shape[1] {
					weights[k]++
				} else {
					biases[k]++
				}
				most = max(most, weights[k]+biases[k])
			}
			for k := range r {
				sizes.Rows = append(sizes.Rows, []any{s, r, k, weights[k], biases[k], weights[k] + biases[k], most})
			}
		}
	}
	res.Tables = append(res.Tables, sizes)
	return nil
}

func matrixTable(l layerGradient) result.Table {
	t := result.Table{ID: "matrix", Title: "The matrix that is split", Kind: result.Trained,
		Caption: fmt.Sprintf("A real gradient: the last layer, %s, of the DNN with 8 hidden units, fresh weights, summed over the samples of one block. One row per output; the last column is the bias.", l.Layer),
		Columns: []result.Column{{Key: "row", Title: "row"}}}
	for c := range l.Shape[1] {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("c%d", c), Title: fmt.Sprintf("column %d", c), Digits: 4})
	}
	t.Columns = append(t.Columns, result.Column{Key: "bias", Title: "bias", Digits: 4})
	for row := range l.Shape[0] {
		line := []any{row}
		for _, v := range l.Values[row*l.Shape[1] : (row+1)*l.Shape[1]] {
			line = append(line, float64(v))
		}
		t.Rows = append(t.Rows, append(line, float64(l.Values[l.Shape[0]*l.Shape[1]+row])))
	}
	return t
}

// splitFigure draws the matrix, one lane per row, in its segments.
func splitFigure(l layerGradient, at []int, r int, split string) result.Figure {
	f := result.Figure{ID: fmt.Sprintf("%s-%d", split, r), Title: fmt.Sprintf("The matrix in %d segments, by %s", r, split), Kind: result.Trained, Form: "gantt",
		X: result.Axis{Title: "column (each is one step wide; the last is the bias)"}, Y: result.Axis{Title: "row"}}
	for row := range l.Shape[0] {
		f.Lanes = append(f.Lanes, fmt.Sprintf("row %d", row))
	}
	size := make([]int, r)
	// State by state, so that the legend is in the segments' order.
	for k := range r {
		for row := range l.Shape[0] {
			for c := range l.Shape[1] + 1 {
				i := row*l.Shape[1] + c
				if c == l.Shape[1] {
					i = l.Shape[0]*l.Shape[1] + row
				}
				if at[i] == k {
					size[k]++
					f.Bands = append(f.Bands, result.Band{Lane: row, From: float64(c), To: float64(c + 1), State: fmt.Sprintf("segment %d", k), Label: fmt.Sprintf("%.4f", l.Values[i])})
				}
			}
		}
	}
	how := "all of the same length"
	if slices.Min(size) != slices.Max(size) {
		how = "of unequal length, the first ones longer"
	}
	f.Caption = fmt.Sprintf("The same gradient, cut by %s as the code cuts it: %d segments of %s numbers, %s. The holder of rank k of the block sends segment k.", split, r, listed(size), how)
	f.Alt = fmt.Sprintf("A matrix of %d rows and %d columns with a column of biases in %d segments by %s, of %s numbers.", l.Shape[0], l.Shape[1], r, split, listed(size))
	return f
}

func reassemblyTable(all []reassembly) result.Table {
	t := result.Table{ID: "reassembled", Title: "Cut and put together", Kind: result.Trained,
		Caption: fmt.Sprintf("Every layer's gradient of both networks in fixed point was cut in 1 to %d segments, each laid out as it travels, and put together in a layer of other numbers.", mostSegments),
		Columns: []result.Column{{Key: "network", Title: "network"}, {Key: "split", Title: "split by"}, {Key: "layers", Title: "layers"}, {Key: "cuts", Title: "cuts"}, {Key: "ragged", Title: "of them ragged"},
			{Key: "numbers", Title: "numbers compared"}, {Key: "wrong", Title: "wrong"}}}
	for _, x := range all {
		t.Rows = append(t.Rows, []any{x.Network, x.Split, x.Layers, x.Cuts, x.Ragged, x.Numbers, x.Wrong})
	}
	return t
}

func printedTable(all []printed) result.Table {
	t := result.Table{ID: "printed", Title: "Eq. (16) as printed", Kind: result.Trained,
		Caption: "Eq. (16) stacks the pieces M⁰ … Mʳ, r+1 of them; eq. (10) has r, numbered 0 … r−1, and a block has r holders. Tried on the matrix above: where it is cut in r, piece r begins behind the last number; where it is cut in r+1, by columns, r holders leave one piece unsent.",
		Columns: []result.Column{{Key: "r", Title: "r, holders and pieces by (10)"}, {Key: "pieces", Title: "pieces by (16)"}, {Key: "length", Title: "numbers"}, {Key: "begin", Title: "cut in r: piece r begins at"},
			{Key: "missing", Title: "cut in r+1: numbers that nobody sends"}, {Key: "share", Title: "of all", Unit: "%", Digits: 1}}}
	for _, x := range all {
		t.Rows = append(t.Rows, []any{x.R, x.R + 1, x.Length, x.Begin, x.Missing, 100 * float64(x.Missing) / float64(x.Length)})
	}
	return t
}

func fig3Notes(l layerGradient, all []reassembly, eq16 []printed, pads []padding) []string {
	wrong, numbers, ragged, cuts := 0, 0, 0, 0
	for _, x := range all {
		wrong, numbers, ragged, cuts = wrong+x.Wrong, numbers+x.Numbers, ragged+x.Ragged, cuts+x.Cuts
	}
	first := fmt.Sprintf("Cut by columns or by rows and put together again, every gradient is what it was: %.1f million numbers compared, none wrong, in %d cuts of which %d do not come out even.", float64(numbers)/1e6, cuts, ragged)
	if wrong > 0 {
		first = fmt.Sprintf("%d of %d numbers are wrong after cutting and putting together.", wrong, numbers)
	}
	notes := []string{first}
	fits, holes := 0, []string{}
	for _, x := range eq16 {
		if x.Begin < x.Length || x.Missing == 0 {
			fits++
		}
		holes = append(holes, fmt.Sprintf("%d of %d numbers at r = %d", x.Missing, x.Length, x.R))
	}
	if fits == 0 {
		notes = append(notes, fmt.Sprintf("Eq. (16) prints the pieces 0 to r; there are r of them, 0 to r−1. A piece r has nothing in it, and cut in r+1 pieces a gradient would never be complete, for a block has r holders: missing would be %s.", strings.Join(holes, " and ")))
	} else {
		notes = append(notes, fmt.Sprintf("Eq. (16)'s r+1 pieces would be complete in %d of %d cases.", fits, len(eq16)))
	}
	worst := slices.MaxFunc(pads, func(a, b padding) int { return cmp.Compare(a.percent(), b.percent()) })
	if worst.Sent > worst.Exact {
		notes = append(notes, fmt.Sprintf("Where r does not divide the rows or columns, packets carry some zeros. At %d nodes that is at most %.2f %% more than eq. (28): the %s at r = %d, by %s.", paddingNodes, worst.percent(), worst.Network.Title, worst.Redundancy, worst.Split))
	} else {
		notes = append(notes, fmt.Sprintf("At %d nodes no packet carries a zero to be filled up.", paddingNodes))
	}
	return append(notes,
		fmt.Sprintf("By rows or by columns is a matter of layout and of which of the two r divides: the %d × %d matrix here has a whole number of columns for two segments, not for three. The code's default is rows, whose segments are consecutive in memory.", l.Shape[0], l.Shape[1]),
		"The paper's own matrix is lost; this one is the last layer of a small DNN, so that all its numbers can be shown.")
}
