// Package eval computes the formulas of the documents by name, exactly where they are
// rational: `gradsync eval` prints them, and package verify compares them with counts
// and with the floats that pages and experiments compute. It has a file per document.
package eval

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"gradsync/papers/dasp"
)

// Formula is an equation of a document.
type Formula struct {
	Name     string // "ring.bytes": the part before the dot is its group
	Equation string
	Source   string
	Params   []Param
	compute  func(v Args) Answer // it panics with an *InputError, which Evaluate and Exact return
}

// Param is one argument of a formula. It must be given if Default is empty. A
// parameter that takes words has the index of the word as its value.
type Param struct {
	Name, Doc, Default string
	Example            string // a value with which the formula's examples run, of one without a default
	words              []string
}

// Args holds the arguments of a formula by name. They are exact: 0.1 is one tenth.
type Args map[string]*big.Rat

// Answer is a formula's value. Exact is nil where the value is not rational.
type Answer struct {
	Value float64
	Exact *big.Rat
	Text  string // what the number stands for: "WSS"
	Unit  string
}

// InputError is an argument that is missing, unreadable or outside a formula's domain.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// refuse ends a computation with an InputError.
func refuse(format string, args ...any) { panic(&InputError{fmt.Errorf("eval: "+format, args...)}) }

// caught calls f and returns the InputError that ended it.
func caught(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			x, ours := p.(*InputError)
			if !ours {
				panic(p)
			}
			err = x
		}
	}()
	f()
	return nil
}

// formulas lists all equations, document by document.
var formulas = slices.Concat(ringFormulas, rivalFormulas, sparseFormulas, daspFormulas, codedFormulas, []Formula{
	{"reduction", "100(1 − ours/base)", "every percentage of DASP §3.2",
		[]Param{needed("ours", "our time"), needed("base", "the baseline's time")}, of("%", func(v Args) *big.Rat {
			v.positive("base")
			return mul(whole(100), sub(one, quo(v["ours"], v["base"])))
		})},
})

// Formulas returns all formulas, document by document.
func Formulas() []Formula { return formulas }

// Group returns the part of a formula's name before the dot.
func (f *Formula) Group() string {
	group, _, _ := strings.Cut(f.Name, ".")
	return group
}

// Evaluate computes f from its arguments in words, one for each of its parameters.
func (f *Formula) Evaluate(texts map[string]string) (out Answer, err error) {
	err = caught(func() {
		v := Args{}
		for _, p := range f.Params {
			if texts[p.Name] == "" {
				refuse("%s needs --%s (%s)", f.Name, p.Name, p.Doc)
			}
			v[p.Name] = p.read(texts[p.Name])
		}
		out = f.compute(v)
	})
	return out, err
}

// Exact evaluates the rational formula of a name. It panics if there is none.
func Exact(name string, v Args) (x *big.Rat, err error) {
	i := slices.IndexFunc(formulas, func(f Formula) bool { return f.Name == name })
	if i < 0 {
		panic("eval: no formula " + name)
	}
	err = caught(func() { x = formulas[i].compute(v).Exact })
	return x, err
}

// Float evaluates the rational formula of a name and rounds its value once.
func Float(name string, v Args) (float64, error) {
	r, err := Exact(name, v)
	if err != nil {
		return 0, err
	}
	f, _ := r.Float64()
	return f, nil
}

// needed declares an argument without a default.
func needed(name, doc string) Param { return Param{Name: name, Doc: doc, Example: "8"} }

// as gives an argument without a default another value in examples.
func (p Param) as(example string) Param {
	p.Example = example
	return p
}

// optional declares an argument with a default.
func optional(name, doc, value string) Param { return Param{Name: name, Doc: doc, Default: value} }

// oneOf declares an argument that is one of some words; the first is the default.
func oneOf(name, doc string, words ...string) Param {
	return Param{Name: name, Doc: doc + ": " + strings.Join(words, ", "), Default: words[0], words: words}
}

// read reads an argument; a word is its index.
func (p Param) read(text string) *big.Rat {
	if p.words == nil {
		return number(p.Name, text)
	}
	at := slices.Index(p.words, text)
	if at < 0 {
		refuse("--%s %q, want %s", p.Name, text, strings.Join(p.words, ", "))
	}
	return whole(int64(at))
}

// largest bounds the arguments, and its inverse bounds them from below: what is
// computed of them stays a float64 and prints on a line.
var largest = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))

// numerals match the numbers that are read: no hexadecimal, binary or octal ones, no
// underscores and no binary exponents, which math/big takes as well.
var numerals = regexp.MustCompile(`^[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)$`)

// number reads an argument; a state's name is its number.
func number(name, text string) *big.Rat {
	if name == "state" {
		for _, s := range []dasp.State{dasp.QIS, dasp.WSS, dasp.FSS} {
			if strings.EqualFold(text, s.String()) {
				return big.NewRat(int64(s), 1)
			}
		}
	}
	if len(text) > 40 {
		refuse("--%s %.12q… has %d characters, want a number of at most 40", name, text, len(text))
	}
	if !numerals.MatchString(text) {
		refuse("--%s %q is no number: want decimal digits, as in 8, 0.1, 1e9 or 1/3", name, text)
	}
	r, ok := new(big.Rat), true
	if p, q, fraction := strings.Cut(text, "/"); fraction { // SetString would take 010/3 for 8/3
		a, _ := new(big.Int).SetString(p, 10)
		b, _ := new(big.Int).SetString(q, 10)
		if b.Sign() == 0 {
			refuse("--%s %s divides by 0", name, text)
		}
		r.SetFrac(a, b)
	} else if r, ok = r.SetString(text); !ok {
		refuse("--%s %q is no number", name, text)
	}
	if size := new(big.Rat).Abs(r); size.Sign() > 0 && (size.Cmp(largest) > 0 || size.Cmp(new(big.Rat).Inv(largest)) < 0) {
		refuse("--%s %s is out of range: want 0, or 1e-30 to 1e30", name, text)
	}
	return r
}

// rational answers with an exact value.
func rational(r *big.Rat, unit string) Answer {
	f, _ := r.Float64()
	return Answer{Value: f, Exact: r, Unit: unit}
}

// of makes a formula's function of one that returns an exact value.
func of(unit string, x func(v Args) *big.Rat) func(Args) Answer {
	return func(v Args) Answer { return rational(x(v), unit) }
}

// word returns the index of an argument in words; an absent one has the default's index.
func (v Args) word(name string) int {
	if v[name] == nil {
		return 0
	}
	return int(v[name].Num().Int64())
}

// count returns a whole argument of at least lo.
func (v Args) count(name string, lo int64) int64 {
	r := v[name]
	if !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() < lo {
		refuse("--%s is %s, want a whole number from %d", name, r.RatString(), lo)
	}
	return r.Num().Int64()
}

// most refuses an argument above a bound, whose name is said if it is one of an argument.
func most(name string, x, bound int64, of string) {
	if x > bound {
		refuse("--%s is %d, want at most %s%d", name, x, of, bound)
	}
}

// positive checks that arguments are above zero, atLeastZero that they are not negative, share that one lies in [0, 1].
func (v Args) positive(names ...string) {
	for _, n := range names {
		if v[n].Sign() <= 0 {
			refuse("--%s is %s, want more than 0", n, v[n].RatString())
		}
	}
}

func (v Args) atLeastZero(names ...string) {
	for _, n := range names {
		if v[n].Sign() < 0 {
			refuse("--%s is %s, want 0 or more", n, v[n].RatString())
		}
	}
}

func (v Args) share(name string) {
	if v[name].Sign() < 0 || v[name].Cmp(one) > 0 {
		refuse("--%s is %s, want 0 to 1", name, v[name].RatString())
	}
}

var one = big.NewRat(1, 1) // never changed

func whole(n int64) *big.Rat     { return big.NewRat(n, 1) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
