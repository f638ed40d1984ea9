package widget

import (
	"fmt"
	"slices"
	"strconv"

	"gradsync/experiments/result"
	"gradsync/reports/typeset"
)

// ringWalk is a recorded ring as assets/widgets-ring.js walks it: what the chunks
// hold before the first step, and every transfer of every step.
type ringWalk struct {
	GPUs  int        `json:"gpus"`
	Start [][][]int  `json:"start"` // by GPU and chunk: whose contributions, ascending
	Steps []ringStep `json:"steps"`
}

type ringStep struct {
	Step      int            `json:"step"`
	Adds      bool           `json:"adds"` // reduce-scatter; else all-gather
	Sums      int            `json:"sums"` // contributions in every received chunk afterwards
	Transfers []ringTransfer `json:"transfers"`
}

// ringTransfer is one message, seen from who receives it.
type ringTransfer struct {
	GPU      int    `json:"gpu"`
	From     int    `json:"from"`
	Receives int    `json:"receives"` // the chunk
	Sent     string `json:"sent"`     // whose contributions travel: "0+4"
	SentBy   []int  `json:"sentBy"`
	Holds    string `json:"holds"` // and what the receiver's chunk holds then
	Adds     bool   `json:"adds"`
}

// ringOf reads the frames transfers and states of one result.
func ringOf(r *result.Result, t *frame) (*ringWalk, error) {
	at := slices.IndexFunc(r.Frames, func(o frame) bool { return o.ID == "states" })
	cols := columnsOf(t, "step", "gpu", "loop", "sends", "sent_holds", "receives", "from", "how", "holds")
	if at < 0 || cols == nil {
		return nil, fmt.Errorf("a column is missing, or the frame of states")
	}
	w := &ringWalk{}
	if err := w.readStart(&r.Frames[at]); err != nil {
		return nil, err
	}
	sent := map[[2]int]string{} // by step and sender
	for _, row := range t.Rows {
		sent[[2]int{int(exact(row[cols["step"]])), int(exact(row[cols["gpu"]]))}] = typeset.Raw(row[cols["sent_holds"]])
	}
	for i, row := range t.Rows {
		number := func(key string) int { return int(exact(row[cols[key]])) }
		step := number("step")
		x := ringTransfer{GPU: number("gpu"), From: number("from"), Receives: number("receives"), Holds: typeset.Raw(row[cols["holds"]]),
			Adds: row[cols["how"]] == "adds"}
		x.Sent = sent[[2]int{step, x.From}]
		x.SentBy = ints(x.Sent)
		n := len(w.Steps)
		if step == n {
			w.Steps = append(w.Steps, ringStep{Step: step, Adds: row[cols["loop"]] == "reduce-scatter", Sums: len(ints(x.Holds))})
			n++
		}
		outside := func(k int) bool { return k < 0 || k >= w.GPUs }
		if step != n-1 || n == 0 || outside(x.GPU) || outside(x.From) || outside(x.Receives) || len(x.SentBy) == 0 {
			return nil, fmt.Errorf("row %d: step %v, GPU %v, from %v, chunk %v with contributions %q", i, row[cols["step"]], row[cols["gpu"]],
				row[cols["from"]], row[cols["receives"]], x.Sent)
		}
		s := &w.Steps[n-1]
		if x.Adds != s.Adds || len(ints(x.Holds)) != s.Sums {
			return nil, fmt.Errorf("row %d: %v a sum of %s in a step whose first transfer does otherwise", i, row[cols["how"]], x.Holds)
		}
		s.Transfers = append(s.Transfers, x)
	}
	if len(w.Steps) == 0 {
		return nil, fmt.Errorf("no transfer")
	}
	return w, nil
}

// readStart takes what every chunk holds before the first step.
func (w *ringWalk) readStart(t *frame) error {
	step, gpu := t.At("step"), t.At("gpu")
	for _, row := range t.Rows {
		if step < 0 || gpu < 0 || exact(row[step]) != -1 || row[gpu] == nil {
			continue
		}
		var chunks [][]int
		for c := 0; t.At("chunk"+strconv.Itoa(c)) >= 0; c++ {
			chunks = append(chunks, ints(row[t.At("chunk"+strconv.Itoa(c))]))
		}
		w.Start = append(w.Start, chunks)
	}
	w.GPUs = len(w.Start)
	for g, chunks := range w.Start {
		if len(chunks) != w.GPUs || !slices.Equal(chunks[0], []int{g}) {
			return fmt.Errorf("frame %s: GPU %d begins with %v, of %d GPUs", t.ID, g, chunks, w.GPUs)
		}
	}
	if w.GPUs < 2 {
		return fmt.Errorf("frame %s: %d GPUs before the first step", t.ID, w.GPUs)
	}
	return nil
}

// columnsOf returns the places of columns, nil if one is missing.
func columnsOf(t *frame, keys ...string) map[string]int {
	at := map[string]int{}
	for _, key := range keys {
		if at[key] = t.At(key); at[key] < 0 {
			return nil
		}
	}
	return at
}
