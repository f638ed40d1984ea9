// Package method describes each synchronisation method once: its name, its family, the
// flags that it reads with their ranges, defaults and help, how pages draw and call it,
// and what its exchange costs by a formula. `train` and its help, `compare`, the pages
// and the playground read these descriptors and list no method by hand.
//
// A method of your own is a file of its own here, which calls Register, beside its
// policy in papers/dasp/rivals.
package method

import (
	"math"
	"slices"
	"strconv"

	"gradsync/experiments/method/cost"
)

// Family groups methods that exchange alike and so share a training loop and flags.
type Family string

// The families, in the order of help and pages.
const (
	Server    Family = "server"     // workers push to a parameter server, a policy answers
	AllReduce Family = "all-reduce" // every rank sends and receives, layer by layer
	Coded     Family = "coded"      // nodes that hold the same samples multicast codes
)

// Method describes one method.
type Method struct {
	Name     string // as in --sync, and the key in results and labels
	Family   Family
	Document string // the document's key; "ours"; "own" for the reader's
	// Label is its name on pages, in English and Chinese.
	Label [2]string
	// Flags lists the ones it reads beside the flags of every training.
	Flags []Flag
	Look  Look
	// Async says that it applies gradients as they arrive; Multicast that it sends one
	// packet to several nodes at once.
	Async, Multicast bool
	// Compare says that the experiments of `compare` run a registered method too.
	Compare bool
	own     []Flag // of a registered method: those that no other has
	// Costs are the formulas by which the playground compares it; none: it is not there.
	Costs []Formula
}

// Formula is a formula of what one iteration costs.
type Formula struct {
	Key  string // the method's name, or another for a second model
	Cost func(cost.Setting) cost.Cost
	// AtLeast says that the cost's Total is a lower bound.
	AtLeast bool
}

// Look fixes how pages draw a method, by keys of their palette.
type Look struct {
	Colour  string // blue, vermillion, green, orange, purple, skyBlue, grey
	Dash    string // solid, dots, dashes, dash-dot, long, short, long-dot
	Symbol  string // ECharts' name, for exported figures: circle, rect, triangle, diamond, roundRect
	Texture string // plain, stripes, back, dots, levels, posts
	// Subject says that its document is about it: where curves coincide, its look is that of both.
	Subject bool
}

// Flag is a parameter on the command line of `train`. Default has the flag's type (int, int64,
// float64, string, bool or []string; none of a path or a duration); a zero Default is shown by
// Help alone. A flag that only a registered method has is a number: float64.
type Flag struct {
	Name    string
	Default any
	Help    string
	// Want says in words which values are good: "at least 1". Good reports it of a
	// number; nil: all are, as far as the command line knows.
	Want string
	Good func(x float64) bool
}

// Allows tells whether a number is in the flag's range.
func (f Flag) Allows(x float64) bool { return f.Good == nil || f.Good(x) }

// From returns Want and Good of a flag whose numbers begin at least.
func From(least int) (want string, good func(float64) bool) {
	return "at least " + strconv.Itoa(least), func(x float64) bool { return x >= float64(least) && x <= math.MaxFloat64 }
}

// registered are all methods, built-in ones first, in the order of tables and pages.
var registered = slices.Concat(servers(), allReduces(), codeds())

// Register adds a method behind the others; a file of this package calls it from init.
// It panics where the name is taken, another method has a different flag of the same name, or
// a flag of its own is no number: mistakes in the program.
func Register(m Method) {
	if _, taken := Get(m.Name); taken {
		panic("method: " + m.Name + " is registered twice")
	}
	m.Flags = slices.Clone(m.Flags)
	for i, f := range m.Flags {
		g, known := flagOf(f.Name)
		_, list := g.Default.([]string)
		switch {
		case known && (g.Help != f.Help || g.Want != f.Want || !list && g.Default != f.Default):
			panic("method: --" + f.Name + " of " + m.Name + " is another flag of " + Readers(f.Name)[0] + ": choose another name")
		case known:
			continue
		}
		if n, ok := f.Default.(int); ok {
			m.Flags[i].Default = float64(n)
		} else if _, ok := f.Default.(float64); !ok {
			panic("method: --" + f.Name + " of " + m.Name + " needs a number as Default")
		}
		m.own = append(m.own, m.Flags[i])
	}
	registered = append(registered, m)
}

// Parameters returns the flags that no method but this registered one has.
func (m Method) Parameters() []Flag { return m.own }

// All returns every method, in the order of tables and pages.
func All() []Method { return slices.Clone(registered) }

// Get returns the method called name.
func Get(name string) (Method, bool) {
	i := slices.IndexFunc(registered, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return registered[i], true
}

// Names returns the names of the methods of some families, of all where none is given.
func Names(families ...Family) (out []string) {
	for _, m := range registered {
		if len(families) == 0 || slices.Contains(families, m.Family) {
			out = append(out, m.Name)
		}
	}
	return out
}

// Flags returns each flag that a method reads once, in the order of methods.
func Flags() (out []Flag) {
	for _, m := range registered {
		for _, f := range m.Flags {
			if !slices.ContainsFunc(out, func(g Flag) bool { return g.Name == f.Name }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// flagOf returns the flag called name.
func flagOf(name string) (Flag, bool) {
	for _, m := range registered {
		for _, f := range m.Flags {
			if f.Name == name {
				return f, true
			}
		}
	}
	return Flag{}, false
}

// Readers returns the names of the methods that read a flag.
func Readers(flag string) (out []string) {
	for _, m := range registered {
		if slices.ContainsFunc(m.Flags, func(f Flag) bool { return f.Name == flag }) {
			out = append(out, m.Name)
		}
	}
	return out
}

// Scratch returns a function that removes the methods registered since, so that a test leaves none
// to the next.
func Scratch() (forget func()) {
	was := All()
	return func() { registered = was }
}
