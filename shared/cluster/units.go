package cluster

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unit is one spelling of a quantity: value in base units = number · scale.
type unit struct {
	name  string
	scale float64
}

// quantity is a kind of value with the units it may be written in, the base
// unit first. Marshal writes the first of `canonical` that gives a number ≥ 1.
type quantity struct {
	units     []unit
	canonical []string
}

var (
	flopRate = quantity{[]unit{
		{"FLOP/s", 1}, {"kFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15},
	}, []string{"TFLOP/s", "GFLOP/s", "MFLOP/s", "FLOP/s"}}
	byteRate = quantity{[]unit{
		{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12},
		{"KiB/s", 1 << 10}, {"MiB/s", 1 << 20}, {"GiB/s", 1 << 30}, {"TiB/s", 1 << 40},
		{"b/s", 1. / 8}, {"kb/s", 1e3 / 8}, {"Mb/s", 1e6 / 8}, {"Gb/s", 1e9 / 8}, {"Tb/s", 1e12 / 8},
	}, []string{"GB/s", "MB/s", "kB/s", "B/s"}}
	duration = quantity{[]unit{
		{"s", 1}, {"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"min", 60},
	}, []string{"s", "ms", "us", "ns"}}
	fraction = quantity{[]unit{{"", 1}, {"%", 1e-2}}, []string{""}}
)

// parse reads "number unit" into base units; the number is
// 0 or between 1e-30 and 1e30.
func (q quantity) parse(s string) (float64, error) {
	text := strings.TrimSpace(s)
	i := strings.LastIndexAny(text, "0123456789.") + 1
	name := strings.TrimSpace(text[i:])
	k := slices.IndexFunc(q.units, func(u unit) bool { return u.name == name })
	if k < 0 {
		return 0, fmt.Errorf("%q has unit %q, want one of %s", s, name, q)
	}
	v, err := strconv.ParseFloat(text[:i], 64)
	if err != nil || strings.ContainsAny(text[:i], "xX_pP") {
		return 0, fmt.Errorf("%q: %q is not a decimal number", s, text[:i])
	}
	if !(v >= 0 && v <= 1e30) || v != 0 && v < 1e-30 {
		return 0, fmt.Errorf("%q is not 0 or a number from 1e-30 to 1e30", s)
	}
	// Exact until the one rounding at the end: "4.1 TFLOP/s" is 4.1e12.
	exact, ok := new(big.Rat).SetString(text[:i])
	if !ok {
		return 0, fmt.Errorf("%q: %q is not a decimal number", s, text[:i])
	}
	scale := new(big.Rat)
	if f := q.units[k].scale; f >= 1 {
		scale.SetFloat64(f)
	} else {
		scale.SetFrac64(1, int64(math.Round(1/f)))
	}
	v, _ = exact.Mul(exact, scale).Float64()
	return v, nil
}

// parseDuration reads a time of at most 24 hours, rounded to the nanosecond.
func parseDuration(s string) (time.Duration, error) {
	v, err := duration.parse(s)
	if err != nil {
		return 0, err
	}
	if v > 86400 {
		return 0, fmt.Errorf("%q is more than 24 hours", s)
	}
	return time.Duration(math.Round(v * 1e9)), nil
}

// String lists the units.
func (q quantity) String() string {
	names := make([]string, len(q.units))
	for i, u := range q.units {
		if names[i] = u.name; u.name == "" {
			names[i] = "none"
		}
	}
	return strings.Join(names, ", ")
}

// format writes v so that parse returns exactly v.
func (q quantity) format(v float64) string {
	for _, name := range q.canonical {
		k := slices.IndexFunc(q.units, func(u unit) bool { return u.name == name })
		n := v / q.units[k].scale
		if n < 1 && k != 0 {
			continue
		}
		s := strings.TrimSpace(strconv.FormatFloat(n, 'g', -1, 64) + " " + name)
		if back, err := q.parse(s); err == nil && back == v {
			return s
		}
	}
	return strings.TrimSpace(strconv.FormatFloat(v, 'g', -1, 64) + " " + q.units[0].name)
}
