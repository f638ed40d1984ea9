package kit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gradsync/experiments/result"
)

// spec is one word of a head: key, :enumeration, [unit], .decimals, and ± for half an
// interval or ~ for its ends.
var spec = regexp.MustCompile(`^([\w.-]+?)(?::([\w-]+))?(?:\[([^\]]+)\]|/(\S*?))?(?:\.(\d+))?([±~])?$`)

// parsed returns the column of a word and the bounds that follow it.
func parsed(word string) (c result.Column, bounds []string) {
	m := spec.FindStringSubmatch(word)
	if m == nil {
		panic("kit: no column is spelled " + word) // a programmer's mistake
	}
	c = result.Column{Key: m[1], Enum: m[2], Unit: m[3] + m[4]}
	if m[5] != "" {
		d, _ := strconv.Atoi(m[5]) // digits, by the expression
		c.Digits = &d
	}
	switch m[6] {
	case "±":
		bounds = []string{result.Half, result.Samples}
	case "~":
		bounds = []string{result.Low, result.High, result.Samples}
	}
	return c, bounds
}

// Rows returns the frame of a head, with what of gives of each row in its columns. The head
// has a word per column: "case:case n link[Gb/s] share[%].1 seconds[s].2±" is a key of the
// enumeration case, two numbers printed to four significant digits, the second with a unit,
// one with one decimal, and an Estimate with half its interval (~: with the ends). An empty
// key and what is no number are empty cells.
func Rows[R any](id, head string, rows []R, of func(R) []any) result.Frame {
	f := result.Frame{ID: id, Rows: [][]any{}}
	words := strings.Fields(head)
	bounds := make([][]string, len(words))
	for i, word := range words {
		var c result.Column
		c, bounds[i] = parsed(word)
		f.Columns = append(f.Columns, c)
		for _, b := range bounds[i] {
			f.Columns = append(f.Columns, result.Column{Key: c.Key + "_" + b, Unit: c.Unit, Digits: c.Digits, Bound: b})
		}
	}
	for _, r := range rows {
		cells := of(r)
		if len(cells) != len(words) {
			panic(fmt.Sprintf("kit: frame %s: %d cells in a row, %d columns in its head", id, len(cells), len(words)))
		}
		var row []any
		for i, x := range cells {
			row = append(row, cellOf(x))
			e, _ := x.(Estimate)
			for _, b := range bounds[i] {
				row = append(row, e.bound(b))
			}
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// Facts returns facts by the words of a head and their values in turn.
func Facts(pairs ...any) (out []result.Fact) {
	for i := 0; i+1 < len(pairs); i += 2 {
		c, _ := parsed(pairs[i].(string))
		f := result.Fact{Key: c.Key, Value: cellOf(pairs[i+1]), Enum: c.Enum, Unit: c.Unit, Digits: c.Digits}
		switch x := pairs[i+1].(type) {
		case Estimate:
			if f.N, f.CI95 = x.N, x.CI; len(x.Samples) > 1 {
				f.Samples = x.Samples
			}
		case bool:
			f.Enum = "bool"
		}
		out = append(out, f)
	}
	return out
}

func cellOf(x any) any {
	switch x := x.(type) {
	case Estimate:
		return mean(x)
	case float64:
		return orNone(x)
	case string:
		if x == "" {
			return nil
		}
	}
	return x
}

// bound returns what a bound column has of e; an estimate of one seed has no interval and
// is its own sample.
func (e Estimate) bound(which string) any {
	switch {
	case e.N == 0 || math.IsNaN(e.Value):
	case which == result.Half:
		return orNone(e.Half())
	case which == result.Low && e.CI != nil:
		return e.CI[0]
	case which == result.High && e.CI != nil:
		return e.CI[1]
	case which == result.Samples && len(e.Samples) > 1:
		return samples(e.Samples)
	}
	return nil
}
