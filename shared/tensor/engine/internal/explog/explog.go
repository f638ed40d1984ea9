// Package explog holds the two elementary functions of a loss, the same bits on
// every machine: math.Exp and math.Log have assembly on some, and Go may fuse a
// product with a sum on others, so every product is rounded explicitly.
package explog

import "math"

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Exp returns e^x by fdlibm's polynomial; the error is below 1 ulp.
//
//	e^x = 2^k·e^r,  r = x − k·ln 2,  |r| ≤ ln 2/2
//
// Exp(NaN) is NaN; below −745 the result is 0, above 709.78 it is +Inf.
//
// Source: ours: fdlibm's e_exp.c, Sun Microsystems 1993
func Exp(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < -7.45133219101941108420e+02:
		return 0
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	poly := p4 + float64(t*p5)
	poly = p3 + float64(t*poly)
	poly = p2 + float64(t*poly)
	poly = p1 + float64(t*poly)
	c := r - float64(t*poly)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	if k >= -1021 && k <= 1023 { // 2^k·y is a normal number: one exact product
		return y * math.Float64frombits(uint64(1023+int64(k))<<52)
	}
	return math.Ldexp(y, int(k))
}

// Log returns the natural logarithm of x > 0; Log(NaN) is NaN, Log(+Inf) is +Inf.
//
//	x = 2^k·(1+f),  s = f/(2+f),  log(1+f) = 2s + 2s³/3 + …  (fdlibm's polynomial)
//
// Source: ours: fdlibm's e_log.c, Sun Microsystems 1993
func Log(x float64) float64 {
	if x != x || math.IsInf(x, 1) {
		return x
	}
	f1, k := parts(x)
	if f1 < math.Sqrt2/2 {
		f1 *= 2
		k--
	}
	f := f1 - 1
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := l5 + float64(s4*l7)
	t1 = l3 + float64(s4*t1)
	t1 = float64(s2 * (l1 + float64(s4*t1)))
	t2 := l4 + float64(s4*l6)
	t2 = float64(s4 * (l2 + float64(s4*t2)))
	half := float64(float64(0.5*f) * f)
	kf := float64(k)
	tail := float64(s*(half+(t1+t2))) + float64(kf*ln2Lo)
	return float64(kf*ln2Hi) - ((half - tail) - f)
}

// parts does math.Frexp, quicker for normal numbers.
func parts(x float64) (f float64, k int) {
	bits := math.Float64bits(x)
	if e := int(bits >> 52); e > 0 && e < 2047 {
		return math.Float64frombits(bits&(1<<52-1) | 1022<<52), e - 1022
	}
	return math.Frexp(x)
}
