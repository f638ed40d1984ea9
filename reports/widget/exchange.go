package widget

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/typeset"
)

// packetWalk is a coded exchange as assets/widgets-exchange.js moves it: who computed which
// block, and every packet with what its receivers get of it.
type packetWalk struct {
	Nodes    int             `json:"nodes"`
	Segments int             `json:"segments"` // of a gradient
	Blocks   []exchangeBlock `json:"blocks"`   // by number
	Packets  []packet        `json:"packets"`  // in the order of the frame
}

type exchangeBlock struct {
	Number  int   `json:"number"`
	Holders []int `json:"holders"`
}

type packet struct {
	From    int       `json:"from"`
	To      []int     `json:"to"`
	Content string    `json:"content"` // "G{0,1}[1] + G{1,2}[0]"
	Got     []decoded `json:"got"`     // one per receiver
}

// decoded holds what one receiver has after it subtracted what it knew.
type decoded struct {
	Node       int    `json:"node"`
	Block      int    `json:"block"`
	Segment    int    `json:"segment"`
	Subtracted string `json:"subtracted"`
}

var (
	integers  = regexp.MustCompile(`\d+`)
	gotten    = regexp.MustCompile(`^(\d+):G\{([\d,]+)\}\[(\d+)\]$`)
	takenAway = regexp.MustCompile(`^(\d+):(.+)$`)
)

// ints returns the whole numbers in the words of a cell.
func ints(cell any) []int {
	var out []int
	for _, w := range integers.FindAllString(typeset.Raw(cell), -1) {
		if n, err := strconv.Atoi(w); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// exchangeOf reads a frame "packets-N-R" and, for the blocks and their holders,
// "complete-N-R" of the same result.
func exchangeOf(r *result.Result, t *frame) (*packetWalk, error) {
	size := ints(t.ID)
	at := slices.IndexFunc(r.Frames, func(o frame) bool { return o.ID == strings.Replace(t.ID, "packets", "complete", 1) })
	if len(size) != 2 || at < 0 {
		return nil, fmt.Errorf("no nodes and redundancy in its name, or no frame of what each node lacks")
	}
	x := &packetWalk{Nodes: size[0], Segments: size[1]}
	if err := x.readBlocks(&r.Frames[at]); err != nil {
		return nil, err
	}
	for i, row := range t.Rows {
		cell := func(key string) any {
			if k := t.At(key); k >= 0 {
				return row[k]
			}
			return nil
		}
		text := func(key string) string {
			if k := t.At(key); k >= 0 {
				return printed(t.Columns[k], row[k])
			}
			return ""
		}
		from := ints(cell("from"))
		p := packet{To: ints(cell("to")), Content: spaced(text("content"))}
		if len(from) != 1 || len(p.To) == 0 || p.Content == "" {
			return nil, fmt.Errorf("row %d: from %v to %v: %q", i, cell("from"), cell("to"), p.Content)
		}
		p.From = from[0]
		var err error
		if p.Got, err = x.readDecoded(typeset.Raw(cell("decoded")), typeset.Raw(cell("subtracted"))); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		x.Packets = append(x.Packets, p)
		for _, n := range append(p.To, p.From) {
			if n >= x.Nodes || len(p.Got) != len(p.To) {
				return nil, fmt.Errorf("row %d: node %d of %d; %d receivers, %d of them decode", i, n, x.Nodes, len(p.To), len(p.Got))
			}
		}
	}
	if len(x.Packets) == 0 {
		return nil, fmt.Errorf("no packet")
	}
	return x, nil
}

// readBlocks takes every block and its holders from what the nodes lack: with r < n
// somebody lacks each.
func (x *packetWalk) readBlocks(t *frame) error {
	q, h := t.At("block"), t.At("holders")
	if q < 0 || h < 0 {
		return fmt.Errorf("frame %s: no columns block and holders", t.ID)
	}
	for _, row := range t.Rows {
		n, holders := ints(row[q]), ints(row[h])
		if len(n) != 1 || len(holders) != x.Segments {
			return fmt.Errorf("frame %s: block %v held by %v, not by %d nodes", t.ID, row[q], row[h], x.Segments)
		}
		if !slices.ContainsFunc(x.Blocks, func(b exchangeBlock) bool { return b.Number == n[0] }) {
			x.Blocks = append(x.Blocks, exchangeBlock{n[0], holders})
		}
	}
	slices.SortFunc(x.Blocks, func(a, b exchangeBlock) int { return a.Number - b.Number })
	return nil
}

// spaced gives the sums of a cell, which have no spaces, room to be read.
func spaced(sum string) string { return strings.ReplaceAll(sum, "+", " + ") }

// readDecoded reads "0:G{1,2}[0];2:…", by node, and, for the same nodes, what each
// subtracted before.
func (x *packetWalk) readDecoded(got, subtracted string) (out []decoded, err error) {
	before := map[string]string{}
	for _, part := range strings.Split(subtracted, ";") {
		if m := takenAway.FindStringSubmatch(part); m != nil {
			before[m[1]] = spaced(m[2])
		}
	}
	for _, part := range strings.Split(got, ";") {
		m := gotten.FindStringSubmatch(part)
		if m == nil {
			return nil, fmt.Errorf("%q names no node and segment", part)
		}
		holders := ints(m[2])
		at := slices.IndexFunc(x.Blocks, func(b exchangeBlock) bool { return slices.Equal(b.Holders, holders) })
		if at < 0 {
			return nil, fmt.Errorf("%q: nobody lacks a block of these nodes", part)
		}
		d := decoded{Node: ints(m[1])[0], Block: x.Blocks[at].Number, Segment: ints(m[3])[0], Subtracted: before[m[1]]}
		if d.Segment >= x.Segments {
			return nil, fmt.Errorf("%q: a gradient has %d segments", part, x.Segments)
		}
		out = append(out, d)
	}
	return out, nil
}
