package asm

import "math"

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// expBelow is e^x for x ≤ 0, by fdlibm's polynomial as portable's exp: the same
// bits where x ≥ −700, 0 below, where a softmax is 0 in float32. NaN is NaN.
// Products are rounded explicitly: Go may fuse them with a sum (GOAMD64=v3).
//
//	e^x = 2^k·e^r,  r = x − k·ln 2,  |r| ≤ ln 2/2
func expBelow(x float64) float64 {
	if x < -700 {
		return 0
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
	return y * math.Float64frombits(uint64(1023+int64(k))<<52) // a normal number
}

// logAbove is the natural logarithm of a finite x ≥ 1, by fdlibm's polynomial as
// portable's log, the same bits. NaN is NaN.
//
//	x = 2^k·(1+f),  s = f/(2+f),  log(1+f) = 2s + 2s³/3 + …
func logAbove(x float64) float64 {
	if x != x {
		return x
	}
	bits := math.Float64bits(x)
	k := float64(int(bits>>52) - 1023)
	f := math.Float64frombits(bits&(1<<52-1) | 1023<<52) // 1 ≤ f < 2
	if f >= math.Sqrt2 {
		f, k = f/2, k+1
	}
	f--
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
	odd := l5 + float64(s4*l7)
	odd = l3 + float64(s4*odd)
	odd = float64(s2 * (l1 + float64(s4*odd)))
	even := l4 + float64(s4*l6)
	even = float64(s4 * (l2 + float64(s4*even)))
	half := float64(0.5 * f * f)
	tail := float64(s*(half+(odd+even))) + float64(k*ln2Lo)
	return float64(k*ln2Hi) - ((half - tail) - f)
}
