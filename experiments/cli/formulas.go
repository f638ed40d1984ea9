package cli

import (
	"fmt"
	"math/big"

	"gradsync/papers/dasp"
)

// evaluable is an equation of a document that `eval` computes.
type evaluable struct {
	name     string
	equation string
	source   string
	params   []param
	eval     func(v values) (answer, error)
}

// param is one argument. fallback "" means that it must be given.
type param struct{ name, doc, fallback string }

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

func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

var (
	paramN  = param{"n", "number of ranks N", ""}
	paramK  = param{"k", "bytes per rank K", ""}
	paramBW = param{"bandwidth", "link bandwidth, bytes per second", ""}
)

// formulas are all equations that eval knows, by document.
var formulas = []evaluable{
	{"ring.bytes", "2(N−1)K/N", "ring, All-reduce communication cost", []param{paramN, paramK}, ringBytes},
	{"ring.seconds", "2(N−1)(α + K/(N·B))", "ring, All-reduce communication cost; α is ours",
		[]param{paramN, paramK, paramBW, {"latency", "seconds per message α", "0"}}, ringSeconds},
	{"naive.seconds", "(N−1)K/B", "ring, The communication problem (one direction)", []param{paramN, paramK, paramBW}, naiveSeconds},
	{"ring.busbw", "S/t · 2(N−1)/N", "nccl-tests' definition of bus bandwidth",
		[]param{paramN, {"bytes", "S", ""}, {"seconds", "t", ""}}, busBandwidth},
	{"dasp.twait", "α(f_j − f_i) and other readings, 0 ≤ T_wait ≤ f_j", "DASP, Eq. (1)",
		[]param{{"alpha", "weight α, from 0; at most 1 for convex", "0.5"}, {"fi", "iteration time of the waiting node, s", ""}, {"fj", "iteration time of the oldest node, s", ""},
			{"form", "difference, absolute, convex or oldest", "difference"}}, nil},
	{"dasp.state", "QIS if gap ≤ Smin; WSS if gap ≤ Smax; else FSS", "DASP, Alg. 1",
		[]param{{"gap", "v_n − v_min, versions", ""}, {"smin", "threshold Smin, versions", "3"}, {"smax", "threshold Smax, versions", "6"}}, daspState},
	{"dasp.weight", "1/N in QIS; 1/K in WSS and FSS", "DASP, Eq. (2)",
		[]param{{"n", "workers N", "6"}, {"k", "gradients in the update K", "1"}, {"state", "QIS, WSS, FSS or their numbers 1, 2, 3", "QIS"}}, daspWeight},
	{"reduction", "100(1 − ours/base)", "every percentage of DASP §3.2", []param{{"ours", "our time", ""}, {"base", "the baseline's time", ""}}, reductionOf},
}

func ringBytes(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if _, err := v.count("k", 0); err != nil {
		return answer{}, err
	}
	return rational(mul(big.NewRat(2*(n-1), n), v["k"]), "bytes")
}

func ringSeconds(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return answer{}, err
	}
	hop := quo(v["k"], mul(big.NewRat(n, 1), v["bandwidth"]))
	return rational(mul(big.NewRat(2*(n-1), 1), hop.Add(hop, v["latency"])), "s")
}

func naiveSeconds(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("bandwidth"); err != nil {
		return answer{}, err
	}
	return rational(quo(mul(big.NewRat(n-1, 1), v["k"]), v["bandwidth"]), "s")
}

func busBandwidth(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	if err := v.positive("seconds"); err != nil {
		return answer{}, err
	}
	return rational(mul(quo(v["bytes"], v["seconds"]), big.NewRat(2*(n-1), n)), "bytes/s")
}

// waitSeconds is dasp.twait; form comes as text beside the numbers. The server
// rounds the same value to its clock's nanosecond: verify dasp.eq1 compares them.
func waitSeconds(v values, form string) (answer, error) {
	f, err := dasp.ParseWaitForm(form)
	if err != nil {
		return answer{}, usageError{err}
	}
	for _, name := range []string{"alpha", "fi", "fj"} {
		if v[name].Sign() < 0 {
			return answer{}, usagef("eval: --%s is %s, want 0 or more", name, v[name].RatString())
		}
	}
	if f == dasp.WaitConvex && v["alpha"].Cmp(big.NewRat(1, 1)) > 0 {
		return answer{}, usagef("eval: --alpha is %s, want at most 1 for the convex form", v["alpha"].RatString())
	}
	return rational(exactWait(f, v["alpha"], v["fi"], v["fj"]), "s")
}

func daspState(v values) (answer, error) {
	gap, err := v.count("gap", 0)
	if err != nil {
		return answer{}, err
	}
	smin, err := v.count("smin", 0)
	if err != nil {
		return answer{}, err
	}
	smax, err := v.count("smax", 1)
	if err != nil {
		return answer{}, err
	}
	c := dasp.Config{Workers: 2, Smin: smin, Smax: smax}
	if err := c.Validate(); err != nil {
		return answer{}, usageError{err}
	}
	view := dasp.NewView(2)
	view.V[0], view.Newest = gap, gap
	s := c.Decide(view, 0).State
	return answer{value: float64(s), exact: big.NewRat(int64(s), 1), text: s.String()}, nil
}

func daspWeight(v values) (answer, error) {
	n, err := v.count("n", 1)
	if err != nil {
		return answer{}, err
	}
	k, err := v.count("k", 1)
	if err != nil {
		return answer{}, err
	}
	state, err := v.count("state", int64(dasp.QIS))
	if err != nil {
		return answer{}, err
	}
	if state > int64(dasp.FSS) {
		return answer{}, usagef("eval: --state is %d, want 1 (QIS), 2 (WSS) or 3 (FSS)", state)
	}
	w := dasp.Config{Workers: int(n)}.Weight(dasp.State(state), int(k))
	d := k
	if dasp.State(state) == dasp.QIS {
		d = n
	}
	if exact := big.NewRat(1, d); fmt.Sprint(w) == fmt.Sprint(1/float64(d)) {
		return answer{value: w, exact: exact, text: dasp.State(state).String()}, nil
	}
	return answer{value: w, text: dasp.State(state).String()}, nil
}

func reductionOf(v values) (answer, error) {
	if err := v.positive("base"); err != nil {
		return answer{}, err
	}
	r := new(big.Rat).Sub(big.NewRat(1, 1), quo(v["ours"], v["base"]))
	return rational(mul(big.NewRat(100, 1), r), "%")
}
