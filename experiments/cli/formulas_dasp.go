package cli

import (
	"fmt"
	"math/big"

	"gradsync/papers/dasp"
)

// daspFormulas are those of DASP.
var daspFormulas = []evaluable{
	{"dasp.twait", "α(f_j − f_i) and other readings, 0 ≤ T_wait ≤ f_j", "DASP, Eq. (1)",
		[]param{optional("alpha", "weight α, from 0; at most 1 for convex", "0.5"), needed("fi", "iteration time of the waiting node, s"),
			needed("fj", "iteration time of the oldest node, s"), oneOf("form", "the reading", waitForms()...)}, waitSeconds},
	{"dasp.state", "QIS if gap ≤ Smin; WSS if gap ≤ Smax; else FSS", "DASP, Alg. 1",
		[]param{needed("gap", "v_n − v_min, versions"), optional("smin", "threshold Smin, versions", "3"), optional("smax", "threshold Smax, versions", "6")}, daspState},
	{"dasp.weight", "1/N in QIS; 1/K in WSS and FSS", "DASP, Eq. (2)",
		[]param{optional("n", "workers N", "6"), optional("k", "gradients in the update K", "1"), optional("state", "QIS, WSS, FSS or their numbers 1, 2, 3", "QIS")}, daspWeight},
}

// waitForms are the names of the readings, the default first.
func waitForms() (names []string) {
	for _, f := range dasp.WaitForms() {
		names = append(names, f.String())
	}
	return names
}

// waitSeconds is dasp.twait. The server rounds the same value to its clock's
// nanosecond: verify dasp.eq1 compares them.
func waitSeconds(v values) (answer, error) {
	f := dasp.WaitForms()[v.word("form")]
	if err := v.atLeastZero("alpha", "fi", "fj"); err != nil {
		return answer{}, err
	}
	if f == dasp.WaitConvex && v["alpha"].Cmp(one) > 0 {
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
	return answer{value: float64(s), exact: whole(int64(s)), text: s.String()}, nil
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
