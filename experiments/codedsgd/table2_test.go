package codedsgd

import (
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
)

func TestJudgeFinals(t *testing.T) {
	net := func(alone int64) *finals {
		return &finals{w: &largest{plan: trainingPlan{Net: dnn, Alone: alone, Updates: 5}}, Serial: kit.Sample{0.9, 0.92}, SSGD: kit.Sample{0.9, 0.901},
			ASGD: kit.Sample{0.95, 0.9}, Longer: kit.Sample{0.93, 0.93}}
	}
	ok := net(1)
	judgedAs(t, judgeFinals([]*finals{ok, ok}), claims.SameSign, "C30-found.points", 0.95, "C30-longer", nil, "C30-changed", true, "C30.gaps", []args{
		{"method": "synchronous", "model": "mlp", "points": -0.95}, {"method": "asgd", "model": "mlp", "points": 1.5},
		{"method": "synchronous", "model": "mlp", "points": -0.95}, {"method": "asgd", "model": "mlp", "points": 1.5}})
	if ok.within() != "all" {
		t.Errorf("within: %s", ok.within())
	}
	low := net(1)
	low.ASGD = kit.Sample{0.899, 0.899} // 1.1 points below
	judgedAs(t, judgeFinals([]*finals{ok, low}), claims.Differs, "C30-found.points", 1.1)
	if low.within() != "synchronous" {
		t.Errorf("within: %s", low.within())
	}
	judgedAs(t, judgeFinals([]*finals{net(2), ok}), claims.SameSign, "C30-longer.gaps", []args{
		{"method": "synchronous", "model": "mlp", "points": -2.95, "times": 2}, {"method": "asgd", "model": "mlp", "points": -0.5, "times": 2}})
	low.SSGD = kit.Sample{0.8, 0.9}
	judgedAs(t, judgeFinals([]*finals{low, ok}), claims.Differs)
	if low.within() != "none" {
		t.Errorf("within: %s", low.within())
	}
}
