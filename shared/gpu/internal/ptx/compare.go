package ptx

import (
	"fmt"
	"math/bits"
	"strings"
)

// compare decodes setp.<relation>.<type>.
func (d *decoder) compare(opcode string, args []string) (step, error) {
	relation, typ, _ := strings.Cut(opcode, ".")
	b := word
	if strings.HasSuffix(typ, "64") {
		b = long
	}
	r, err := d.wants(args, predicate, b, b)
	if err != nil {
		return nil, err
	}
	switch typ { // with the highest bit turned, unsigned numbers have the order of signed ones
	case "s32":
		return integers(relation, r[0], words32(r[1], r[2], 0))
	case "u32", "b32":
		return integers(relation, r[0], words32(r[1], r[2], 1<<31))
	case "s64":
		return integers(relation, r[0], words64(r[1], r[2], 0))
	case "u64", "b64":
		return integers(relation, r[0], words64(r[1], r[2], 1<<63))
	case "f32":
		return floats(relation, r, func(w *warp, at, i int) float64 { return float64(f32(w.words[at][i])) })
	case "f64":
		return floats(relation, r, func(w *warp, at, i int) float64 { return f64(w.longs[at][i]) })
	}
	return nil, fmt.Errorf("comparison of type %s is not known", typ)
}

// words32 and words64 find in which threads x is less than y, and in which equal.
func words32(x, y int, turn uint32) func(w *warp) (less, equal uint32) {
	return func(w *warp) (less, equal uint32) {
		x, y := &w.words[x], &w.words[y]
		for i := range x {
			a, b := int32(x[i]^turn), int32(y[i]^turn)
			if a < b {
				less |= 1 << i
			}
			if a == b {
				equal |= 1 << i
			}
		}
		return less, equal
	}
}

func words64(x, y int, turn uint64) func(w *warp) (less, equal uint32) {
	return func(w *warp) (less, equal uint32) {
		x, y := &w.longs[x], &w.longs[y]
		for i := range x {
			a, b := int64(x[i]^turn), int64(y[i]^turn)
			if a < b {
				less |= 1 << i
			}
			if a == b {
				equal |= 1 << i
			}
		}
		return less, equal
	}
}

func integers(relation string, to int, find func(w *warp) (less, equal uint32)) (step, error) {
	take, ok := map[string]func(less, equal uint32) uint32{
		"eq": func(_, e uint32) uint32 { return e },
		"ne": func(_, e uint32) uint32 { return ^e },
		"lt": func(l, _ uint32) uint32 { return l },
		"le": func(l, e uint32) uint32 { return l | e },
		"gt": func(l, e uint32) uint32 { return ^(l | e) },
		"ge": func(l, _ uint32) uint32 { return ^l },
	}[relation]
	if !ok {
		return nil, fmt.Errorf("relation %s of integers is not known", relation)
	}
	return func(w *warp) { w.setPred(to, take(find(w))) }, nil
}

// floats compares with three outcomes and a fourth: one of both is NaN.
func floats(relation string, r []int, read func(w *warp, at, i int) float64) (step, error) {
	take, ok := map[string]func(less, equal, nan uint32) uint32{
		"eq":  func(_, e, _ uint32) uint32 { return e },
		"ne":  func(_, e, n uint32) uint32 { return ^(e | n) },
		"lt":  func(l, _, _ uint32) uint32 { return l },
		"le":  func(l, e, _ uint32) uint32 { return l | e },
		"gt":  func(l, e, n uint32) uint32 { return ^(l | e | n) },
		"ge":  func(l, _, n uint32) uint32 { return ^(l | n) },
		"equ": func(_, e, n uint32) uint32 { return e | n },
		"neu": func(_, e, _ uint32) uint32 { return ^e },
		"ltu": func(l, _, n uint32) uint32 { return l | n },
		"leu": func(l, e, n uint32) uint32 { return l | e | n },
		"gtu": func(l, e, _ uint32) uint32 { return ^(l | e) },
		"geu": func(l, _, _ uint32) uint32 { return ^l },
		"num": func(_, _, n uint32) uint32 { return ^n },
		"nan": func(_, _, n uint32) uint32 { return n },
	}[relation]
	if !ok {
		return nil, fmt.Errorf("relation %s of floating-point numbers is not known", relation)
	}
	return func(w *warp) {
		var less, equal, nan uint32
		for m := w.act; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			switch x, y := read(w, r[1], i), read(w, r[2], i); {
			case x < y:
				less |= 1 << i
			case x == y:
				equal |= 1 << i
			case x != x || y != y:
				nan |= 1 << i
			}
		}
		w.setPred(r[0], take(less, equal, nan))
	}, nil
}

// shuffle decodes shfl.sync.bfly.b32 d|p, a, lanes, 31, -1: every thread of the warp
// gets a of the thread whose number differs by the bits of lanes.
func (d *decoder) shuffle(args []string) (step, error) {
	if len(args) != 5 || args[3] != "31" || args[4] != "-1" {
		return nil, fmt.Errorf("a shuffle of other than the whole warp is not known")
	}
	to, also, both := strings.Cut(args[0], "|")
	r, err := d.wants([]string{to, args[1], args[2]}, bankWWW...)
	if err != nil {
		return nil, err
	}
	inside := -1 // says that the source is in the warp, which it always is
	if both {
		if inside, err = d.target(predicate, also); err != nil {
			return nil, err
		}
	}
	return func(w *warp) {
		w.whole("shuffle")
		x, n := w.words[r[1]], &w.words[r[2]]
		o := &w.words[r[0]]
		for i := range o {
			o[i] = x[(uint32(i)^n[i])%warpSize]
		}
		if inside >= 0 {
			w.preds[inside] = allLanes
		}
	}, nil
}

// ballot decodes vote.sync.ballot.b32 d, p, -1: every thread gets all threads' p.
func (d *decoder) ballot(args []string) (step, error) {
	if len(args) != 3 || args[2] != "-1" {
		return nil, fmt.Errorf("a vote of other than the whole warp is not known")
	}
	r, err := d.wants(args[:2], word, predicate)
	if err != nil {
		return nil, err
	}
	return func(w *warp) {
		w.whole("vote")
		o, p := &w.words[r[0]], w.preds[r[1]]
		for i := range o {
			o[i] = p
		}
	}, nil
}
