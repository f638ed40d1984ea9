package ring

import (
	"fmt"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// loops name the two halves.
var loops = [2]string{"reduce-scatter", "all-gather"}

// loopOf is the half that a step belongs to.
func loopOf(r recording, step int) string {
	if step < len(r.Transfers)-1 {
		return loops[0]
	}
	return loops[1]
}

// ranksIn spells a holding: "0+4".
func ranksIn(h holding) string {
	var out []string
	for rank := range 32 {
		if h>>rank&1 == 1 {
			out = append(out, fmt.Sprint(rank))
		}
	}
	return strings.Join(out, "+")
}

const markCaption = "Recorded from a run of the code with real sums: GPU r's chunks held the numbers 2^r and the chunk's own number, so every message tells by itself which chunk it is and whose contributions are in it."

// transferTable lists every transfer.
func transferTable(r recording) result.Table {
	t := result.Table{ID: "transfers", Title: "Every transfer, N = 5", Kind: result.Counted, Caption: markCaption + " Steps, GPUs and chunks are numbered from 0.",
		Columns: []result.Column{{Key: "step", Title: "step"}, {Key: "gpu", Title: "GPU"}, {Key: "loop", Title: "loop"},
			{Key: "sends", Title: "sends chunk"}, {Key: "sent_holds", Title: "with contributions"}, {Key: "to", Title: "to GPU"},
			{Key: "receives", Title: "receives chunk"}, {Key: "from", Title: "from GPU"}, {Key: "how", Title: "and"}, {Key: "holds", Title: "which then holds"}}}
	for step := range r.Transfers[0] {
		for rank := range r.Transfers {
			x := r.Transfers[rank][step]
			how := "overwrites"
			if x.adds() {
				how = "adds"
			}
			t.Rows = append(t.Rows, []any{step, rank, loopOf(r, step), x.Sent.Chunk, ranksIn(x.Sent.Holds), x.To, x.Received.Chunk, x.From, how, ranksIn(x.After)})
		}
	}
	return t
}

// stateTable is what all chunks hold after each step.
func stateTable(r recording) result.Table {
	t := result.Table{ID: "states", Title: "What every chunk holds after each step, N = 5", Kind: result.Counted,
		Caption: markCaption + " An entry lists the GPUs whose contributions are in the chunk; −1 is before the first step.",
		Columns: []result.Column{{Key: "step", Title: "after step"}, {Key: "loop", Title: "loop"}, {Key: "gpu", Title: "GPU"}}}
	for c := range r.Transfers {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("chunk%d", c), Title: fmt.Sprintf("chunk %d", c)})
	}
	for at := range r.States[0] {
		loop := "start"
		if at > 0 {
			loop = loopOf(r, at-1)
		}
		for rank := range r.States {
			row := []any{at - 1, loop, rank}
			for _, h := range r.States[rank][at] {
				row = append(row, ranksIn(h))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// sentenceTable holds the blog's sentences against the recordings.
func sentenceTable(five recording, broken map[int][]string) result.Table {
	t := result.Table{ID: "sentences", Title: "The blog's sentences and the recording", Kind: result.Counted,
		Caption: fmt.Sprintf("Each sentence on the schedule, held against the recorded messages of N = 5 and of every N from 1 to %d.", mostRanks),
		Columns: []result.Column{{Key: "sentence", Title: "sentence"}, {Key: "five", Title: "N = 5"}, {Key: "all", Title: fmt.Sprintf("N = 1 … %d", mostRanks)}}}
	for _, s := range blogSchedule {
		of5, sizes := "as stated", 0
		if f := s.fault(five); f != "" {
			of5 = f
		}
		for n := 1; n <= mostRanks; n++ {
			for _, f := range broken[n] {
				if strings.HasPrefix(f, s.key+":") {
					sizes++
				}
			}
		}
		all := "as stated at all"
		if sizes > 0 {
			all = fmt.Sprintf("not at %d of %d", sizes, mostRanks)
		}
		t.Rows = append(t.Rows, []any{s.text, of5, all})
	}
	return t
}

// stepFigure draws when each chunk is on which link.
func stepFigure(r recording, spans [][]cluster.Span) result.Figure {
	f := result.Figure{ID: "ring-of-five", Title: "Five GPUs, eight steps", Kind: result.TimingOnly, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "s"}, Y: result.Axis{Title: "GPU"},
		Caption: "The blog's 1.2 GB over ideal links of 1 GB/s: each band is one chunk of 0.24 GB on its way to the right neighbour. Which chunk it is comes from the recording above, when it is on its way from a timing-only run of the same code in virtual time."}
	busy, end := 0.0, 0.0
	for rank, list := range spans {
		f.Lanes = append(f.Lanes, fmt.Sprintf("GPU %d", rank))
		for step, s := range list {
			x := r.Transfers[rank][step]
			f.Bands = append(f.Bands, result.Band{Lane: rank, From: s.From.Seconds(), To: s.To.Seconds(), State: loopOf(r, step),
				Label: fmt.Sprintf("step %d: chunk %d, contributions %s, to GPU %d", step, x.Sent.Chunk, ranksIn(x.Sent.Holds), x.To)})
			busy += s.To.Seconds() - s.From.Seconds()
			end = max(end, s.To.Seconds())
		}
	}
	f.Alt = fmt.Sprintf("Five lanes, eight bands each: four of reduce-scatter, then four of all-gather. The exchange takes %.2f s and the links are busy %.0f %% of that time.", end, 100*busy/(end*float64(len(spans))))
	return f
}
