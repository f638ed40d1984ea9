package cli

import (
	"math/big"
	"slices"
	"strings"
)

// evaluable is an equation of a document that `eval` computes.
type evaluable struct {
	name     string
	equation string
	source   string
	params   []param
	eval     func(v values) (answer, error)
}

// param is one argument. fallback "" means that it must be given. Where words
// are set it is one of them, and its value is the word's index.
type param struct {
	name, doc, fallback string
	words               []string
}

// needed is an argument without a default.
func needed(name, doc string) param { return param{name: name, doc: doc} }

// optional is an argument with one.
func optional(name, doc, fallback string) param {
	return param{name: name, doc: doc, fallback: fallback}
}

// oneOf is an argument in words; the first is the default.
func oneOf(name, doc string, words ...string) param {
	return param{name: name, doc: doc + ": " + strings.Join(words, ", "), fallback: words[0], words: words}
}

// answer is a formula's value. exact is nil where the value is not rational.
type answer struct {
	value float64
	exact *big.Rat
	text  string // what the number stands for: "WSS"
	unit  string
}

// values are the arguments by name. They are exact: 0.1 is one tenth.
type values map[string]*big.Rat

func rational(r *big.Rat, unit string) (answer, error) {
	f, _ := r.Float64()
	return answer{value: f, exact: r, unit: unit}, nil
}

// word returns the index of an argument in words; one that is not given, as in
// a check, is the default.
func (v values) word(name string) int {
	if v[name] == nil {
		return 0
	}
	return int(v[name].Num().Int64())
}

// count returns a whole argument of at least lo.
func (v values) count(name string, lo int64) (int64, error) {
	r := v[name]
	if !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() < lo {
		return 0, usagef("eval: --%s is %s, want a whole number from %d", name, r.RatString(), lo)
	}
	return r.Num().Int64(), nil
}

// positive checks that arguments are above zero.
func (v values) positive(names ...string) error {
	for _, n := range names {
		if v[n].Sign() <= 0 {
			return usagef("eval: --%s is %s, want more than 0", n, v[n].RatString())
		}
	}
	return nil
}

// atLeastZero checks that arguments are not negative.
func (v values) atLeastZero(names ...string) error {
	for _, n := range names {
		if v[n].Sign() < 0 {
			return usagef("eval: --%s is %s, want 0 or more", n, v[n].RatString())
		}
	}
	return nil
}

// share checks that an argument lies in [0, 1].
func (v values) share(name string) error {
	if v[name].Sign() < 0 || v[name].Cmp(one) > 0 {
		return usagef("eval: --%s is %s, want 0 to 1", name, v[name].RatString())
	}
	return nil
}

var one = big.NewRat(1, 1) // never changed

func whole(n int64) *big.Rat     { return big.NewRat(n, 1) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// formulas are all equations that eval knows, by document.
var formulas = slices.Concat(ringFormulas, rivalFormulas, sparseFormulas, daspFormulas, codedFormulas, []evaluable{
	{"reduction", "100(1 − ours/base)", "every percentage of DASP §3.2", []param{needed("ours", "our time"), needed("base", "the baseline's time")}, reductionOf},
})

func reductionOf(v values) (answer, error) {
	if err := v.positive("base"); err != nil {
		return answer{}, err
	}
	return rational(mul(whole(100), sub(one, quo(v["ours"], v["base"]))), "%")
}
