package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// pathStep is one command of a path in absolute coordinates: M and L with a point, A
// with radii, turn, two flags and a point, Z with nothing.
type pathStep struct {
	op byte
	at []float64
}

// end returns where the command leads; a path's Z leads nowhere here.
func (s pathStep) end() (x, y float64) { return s.at[len(s.at)-2], s.at[len(s.at)-1] }

// operands is how many numbers a command takes.
var operands = map[byte]int{'M': 2, 'L': 2, 'A': 7, 'H': 1, 'V': 1, 'Z': 0}

// parsePath reads path data: the commands that ECharts uses and those Tidy
// writes; any other is an error, for a drawing must not lose a part in silence.
func parsePath(d string) ([]pathStep, error) {
	var out []pathStep
	var op byte
	var x, y, x0, y0 float64
	for rest := strings.TrimSpace(d); rest != ""; {
		if c := rest[0]; c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			op, rest = c, rest[1:]
		}
		up := op &^ 0x20
		n, ok := operands[up]
		if !ok || len(out) == 0 && up != 'M' {
			return nil, fmt.Errorf("draw: path %.40q: unknown command %q", d, op)
		}
		at := make([]float64, n)
		for i := range at {
			var err error
			if at[i], rest, err = number1(rest); err != nil {
				return nil, fmt.Errorf("draw: path %.40q: %w", d, err)
			}
		}
		rest = strings.TrimLeft(rest, " ,\n")
		if up == 'Z' {
			out, x, y = append(out, pathStep{op: 'Z'}), x0, y0
			if rest != "" && rest[0] < 'A' {
				return nil, fmt.Errorf("draw: path %.40q: a number after Z", d)
			}
			continue
		}
		s := absolute(op, at, x, y)
		x, y = s.end()
		if s.op == 'M' {
			x0, y0 = x, y
			op = 'L' | op&0x20
		}
		out = append(out, s)
	}
	return out, nil
}

// absolute returns a command with its operands as seen from (x, y).
func absolute(op byte, at []float64, x, y float64) pathStep {
	up := op &^ 0x20
	if up == 'H' {
		at = []float64{at[0], 0}
		if op == 'H' {
			at[1] = y
		}
	}
	if up == 'V' {
		at = []float64{0, at[0]}
		if op == 'V' {
			at[0] = x
		}
	}
	if op != up {
		at[len(at)-2] += x
		at[len(at)-1] += y
	}
	if up == 'H' || up == 'V' {
		up = 'L'
	}
	return pathStep{op: up, at: at}
}

// number1 takes one number from the front of s.
func number1(s string) (v float64, rest string, err error) {
	s = strings.TrimLeft(s, " ,\n")
	i, dot := 0, false
	for i < len(s) {
		c := s[i]
		switch {
		case c == '-' && (i == 0 || s[i-1] == 'e'), c >= '0' && c <= '9', c == 'e' && i > 0:
		case c == '.' && !dot:
			dot = true
		default:
			v, err = strconv.ParseFloat(s[:i], 64)
			return v, s[i:], err
		}
		i++
	}
	v, err = strconv.ParseFloat(s, 64)
	return v, "", err
}

// scaled returns the path at k times its size, moved by (dx, dy).
func scaled(p []pathStep, k, dx, dy float64) []pathStep {
	out := make([]pathStep, len(p))
	for i, s := range p {
		out[i] = pathStep{op: s.op, at: append([]float64(nil), s.at...)}
		if n := len(s.at); n > 0 {
			if s.op == 'A' {
				out[i].at[0], out[i].at[1] = k*s.at[0], k*s.at[1]
			}
			out[i].at[n-2], out[i].at[n-1] = k*s.at[n-2]+dx, k*s.at[n-1]+dy
		}
	}
	return out
}

// box is a rectangle that holds a path.
type box struct{ x0, y0, x1, y1 float64 }

// apart reports whether two boxes have no area in common.
func (a box) apart(b box) bool { return a.x1 <= b.x0 || b.x1 <= a.x0 || a.y1 <= b.y0 || b.y1 <= a.y0 }

// pathBox holds the path and by more on each side.
func pathBox(p []pathStep, by float64) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, s := range p {
		if len(s.at) == 0 {
			continue
		}
		x, y, r := s.at[len(s.at)-2], s.at[len(s.at)-1], by
		if s.op == 'A' {
			r += 2 * max(s.at[0], s.at[1])
		}
		b = box{min(b.x0, x-r), min(b.y0, y-r), max(b.x1, x+r), max(b.y1, y+r)}
	}
	return b
}

// short prints v to a number of decimals, with no digit more than it needs.
func short(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	switch {
	case s == "-0" || s == "":
		return "0"
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "-" + s[2:]
	}
	return s
}

// writePath returns path data: relative to the point before, which costs fewer digits,
// in tenths of a pixel, in hundredths where it has arcs. Every point is rounded by
// itself, so that errors do not add up.
func writePath(p []pathStep) string {
	decimals := 1
	for _, s := range p {
		if s.op == 'A' {
			decimals = 2
		}
	}
	w := pathWriter{decimals: decimals, unit: math.Pow10(decimals)}
	for _, s := range p {
		w.add(s)
	}
	return w.b.String()
}

type pathWriter struct {
	b            strings.Builder
	decimals     int
	unit         float64
	x, y, x0, y0 float64 // in units, as written
	last         byte
}

func (w *pathWriter) add(s pathStep) {
	if s.op == 'Z' {
		w.b.WriteByte('Z')
		w.x, w.y, w.last = w.x0, w.y0, 'Z'
		return
	}
	ex, ey := s.end()
	x, y := math.Round(ex*w.unit), math.Round(ey*w.unit)
	dx, dy := x-w.x, y-w.y
	switch {
	case s.op == 'M':
		w.word('M', x, y)
		w.x0, w.y0, w.last = x, y, 'M'
	case s.op == 'A':
		if dx == 0 && dy == 0 { // a whole circle would vanish
			dy, y = -1, y-1
		}
		w.word('a', s.at[0]*w.unit, s.at[1]*w.unit, s.at[2]*w.unit, s.at[3]*w.unit, s.at[4]*w.unit, dx, dy)
	case dx == 0 && dy == 0 && w.last != 'M': // shorter than can be seen
		return
	case dy == 0 && dx != 0:
		w.word('h', dx)
	case dx == 0 && dy != 0:
		w.word('v', dy)
	default:
		w.word('l', dx, dy)
	}
	w.x, w.y = x, y
}

// word writes a command; one that repeats the last needs no letter.
func (w *pathWriter) word(op byte, units ...float64) {
	if op != w.last || op == 'M' {
		w.b.WriteByte(op)
	}
	for i, u := range units {
		n := short(u/w.unit, w.decimals)
		if n[0] != '-' && (i > 0 || op == w.last) {
			w.b.WriteByte(' ')
		}
		w.b.WriteString(n)
	}
	w.last = op
}
