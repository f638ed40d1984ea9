package portable

import (
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, New()) }

func TestRegistered(t *testing.T) {
	e, err := tensor.Lookup(Name)
	if err != nil || e.Name() != Name || e.Class() != Name {
		t.Errorf("Lookup(%q) = %v, %v", Name, e, err)
	}
	if _, err := tensor.Lookup("abacus"); err == nil {
		t.Error("an unknown engine was found")
	}
}

// TestExpLog compares with the standard library to 2 ulp, at random points and
// at the edges.
func TestExpLog(t *testing.T) {
	close := func(what string, x, got, want float64) {
		t.Helper()
		if got == want || math.IsNaN(got) && math.IsNaN(want) {
			return
		}
		if d := math.Abs(got - want); !(d <= 2*(math.Nextafter(math.Abs(want), math.Inf(1))-math.Abs(want))) {
			t.Errorf("%s(%g) = %v, want %v", what, x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := r.NormFloat64() * 100
		close("exp", x, exp(x), math.Exp(x))
		y := math.Exp(r.NormFloat64() * 30)
		close("log", y, log(y), math.Log(y))
	}
	for _, x := range []float64{0, 1, -1, 700, 710, -745, -746, -1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		close("exp", x, exp(x), math.Exp(x))
	}
	for _, x := range []float64{1, 2, 0.5, math.Nextafter(1, 0), math.Nextafter(1, 2), math.MaxFloat64, 1e-300, math.Inf(1), math.NaN()} {
		close("log", x, log(x), math.Log(x))
	}
	// Where amd64's assembly of the standard library is off; values from
	// Python's decimal module (exp and ln to 30 digits).
	close("exp", 709.7, exp(709.7), 1.654984027680264371e308)
	close("log", 5e-324, log(5e-324), -744.4400719213812622)
}
