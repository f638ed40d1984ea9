package eval

import (
	"fmt"
	"math/big"

	"gradsync/papers/dasp"
)

// daspFormulas lists the formulas of DASP.
var daspFormulas = []Formula{
	{"dasp.twait", "α(f_j − f_i) and other readings, 0 ≤ T_wait ≤ f_j", "DASP, Eq. (1)",
		[]Param{optional("alpha", "weight α, from 0; at most 1 for convex", "0.5"), needed("fi", "iteration time of the waiting node, s"),
			needed("fj", "iteration time of the oldest node, s"), oneOf("form", "the reading", waitForms()...)}, waitSeconds},
	{"dasp.state", "QIS if gap ≤ Smin; WSS if gap ≤ Smax; else FSS", "DASP, Alg. 1",
		[]Param{needed("gap", "v_n − v_min, versions"), optional("smin", "threshold Smin, versions", "3"),
			optional("smax", "threshold Smax, versions", "6")}, daspState},
	{"dasp.weight", "1/N in QIS; 1/K in WSS and FSS", "DASP, Eq. (2)",
		[]Param{optional("n", "workers N", "6"), optional("k", "gradients in the update K", "1"),
			optional("state", "QIS, WSS, FSS or their numbers 1, 2, 3", "QIS")}, daspWeight},
}

// waitForms names the readings, the default first.
func waitForms() (names []string) {
	for _, f := range dasp.WaitForms() {
		names = append(names, f.String())
	}
	return names
}

// waitSeconds computes dasp.twait. The server rounds the same value to its clock's
// nanosecond; `gradsync verify dasp` compares the two as dasp.eq1.
func waitSeconds(v Args) Answer {
	f := dasp.WaitForms()[v.word("form")]
	v.atLeastZero("alpha", "fi", "fj")
	if f == dasp.WaitConvex && v["alpha"].Cmp(one) > 0 {
		refuse("--alpha is %s, want at most 1 for the convex form", v["alpha"].RatString())
	}
	return rational(waitExactly(f, v["alpha"], v["fi"], v["fj"]), "s")
}

// waitExactly returns T_wait of a reading, clamped to [0, f_j].
func waitExactly(form dasp.WaitForm, alpha, fi, fj *big.Rat) *big.Rat {
	var w *big.Rat
	switch form {
	case dasp.WaitDifference:
		w = mul(alpha, sub(fj, fi))
	case dasp.WaitAbsolute:
		w = mul(alpha, new(big.Rat).Abs(sub(fi, fj)))
	case dasp.WaitConvex:
		w = add(mul(alpha, fi), mul(sub(one, alpha), fj))
	case dasp.WaitOldest:
		w = mul(alpha, fj)
	}
	if w.Sign() < 0 {
		return new(big.Rat)
	}
	if w.Cmp(fj) > 0 {
		return fj
	}
	return w
}

func daspState(v Args) Answer {
	gap := v.count("gap", 0)
	c := dasp.Config{Workers: 2, Smin: v.count("smin", 0), Smax: v.count("smax", 1)}
	if err := c.Validate(); err != nil {
		panic(&InputError{err})
	}
	view := dasp.NewView(2)
	view.V[0], view.Newest = gap, gap
	s := c.Decide(view, 0).State
	return Answer{Value: float64(s), Exact: whole(int64(s)), Text: s.String()}
}

func daspWeight(v Args) Answer {
	n, k, state := v.count("n", 1), v.count("k", 1), v.count("state", int64(dasp.QIS))
	if state > int64(dasp.FSS) {
		refuse("--state is %d, want 1 (QIS), 2 (WSS) or 3 (FSS)", state)
	}
	w, d := dasp.Config{Workers: int(n)}.Weight(dasp.State(state), int(k)), k
	if dasp.State(state) == dasp.QIS {
		d = n
	}
	out := Answer{Value: w, Text: dasp.State(state).String()}
	if fmt.Sprint(w) == fmt.Sprint(1/float64(d)) {
		out.Exact = big.NewRat(1, d)
	}
	return out
}
