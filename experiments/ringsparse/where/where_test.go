package where

import (
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/ringsparse/setup"
	_ "gradsync/shared/tensor/engine/portable"
)

func TestTry(t *testing.T) {
	p := planOf("ci")
	for _, c := range p.grid(8, p.At[:1], p.At[1:]) {
		by := p.formulas(c)
		run, err := p.time(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for way := range run {
			worst = math.Max(worst, math.Abs(off(by[way], run[way])))
		}
		t.Logf("%v: %v %v\n   %v\n %g", c, by.fastest(), run.fastest(), run, worst)
	}
	m := found{plan: p}
	if err := m.train(t.Context(), 0, &exp.Bar{}); err != nil {
		t.Fatal(err)
	}
	for _, x := range m.real {
		same, far := x.agree()
		t.Log(x.Rates, x.Gbps, x.Seconds, x.Formulas, x.Bytes, same, far)
	}
	t.Logf("%+v", m.near)
	_ = setup.Gigabit
}
