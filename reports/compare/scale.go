package compare

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"gradsync/reports/notebook"
)

// Scale is an axis with at least three labels.
type Scale struct {
	Lo, Hi float64
	Log    bool
	Null   *float64 // the value of no effect, a line through the rows
	Ticks  []float64
	Unit   notebook.Both // behind the last label
}

// Mark holds what one row shows on a scale; nil fields are not drawn.
type Mark struct {
	Stated, Found *float64
	CI            *[2]float64 // the 95 % interval of Found
	Band          *[2]float64 // what other readings give
	Same          bool        // both methods did the same: Found is hollow and has no interval
}

// points returns the values that a scale must show whole.
func (m Mark) points() (out []float64) {
	for _, x := range []*float64{m.Stated, m.Found} {
		if x != nil {
			out = append(out, *x)
		}
	}
	return out
}

// beyond is how far an interval may stretch a scale to either side, in parts of the range of its
// points; what reaches further is cut and says so by its end.
const beyond = 1.5

// NewScale returns a scale for marks. Values that are all positive and lie more than a factor of
// fifty apart stand on a logarithmic one.
func NewScale(marks []Mark, null *float64, unit notebook.Both) Scale {
	var points, ends []float64
	for _, m := range marks {
		points = append(points, m.points()...)
		for _, r := range []*[2]float64{m.CI, m.Band} {
			if r != nil && !m.Same {
				ends = append(ends, r[0], r[1])
			}
		}
	}
	s := Scale{Null: null, Unit: unit}
	if len(points) == 0 {
		points = append(points, ends...)
	}
	s.Lo, s.Hi = limits(points)
	s.Log = s.Lo > 0 && s.Hi > 50*s.Lo && (null == nil || *null > 0)
	if null != nil {
		s.Lo, s.Hi = min(s.Lo, *null), max(s.Hi, *null)
	} else if !s.Log && s.Lo > 0 && s.Lo < s.Hi/2 {
		s.Lo = 0 // an amount is read from nothing
	}
	if s.Hi == s.Lo {
		s.Lo, s.Hi = s.Lo-max(1, math.Abs(s.Lo))/2, s.Hi+max(1, math.Abs(s.Hi))/2
	}
	if s.Log {
		s.logTicks()
		return s
	}
	least, most := limits(ends)
	wide := beyond * (s.Hi - s.Lo)
	if len(ends) > 0 {
		s.Lo, s.Hi = max(min(s.Lo, least), s.Lo-wide), min(max(s.Hi, most), s.Hi+wide)
	}
	s.ticks()
	return s
}

func limits(values []float64) (lo, hi float64) {
	for i, v := range values {
		if i == 0 {
			lo, hi = v, v
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// ticks puts labels at round values and widens the axis by a little, to the next label if that is near.
func (s *Scale) ticks() {
	span := s.Hi - s.Lo
	step := 0.0
	for power := math.Pow(10, math.Floor(math.Log10(span))-1); step == 0; power *= 10 {
		for _, k := range []float64{1, 2, 5} {
			if span/(k*power) <= 7 {
				step = k * power
				break
			}
		}
	}
	s.Lo, s.Hi = near(s.Lo, -step, span), near(s.Hi, step, span)
	for k := math.Ceil(s.Lo/step - 1e-9); k*step <= s.Hi+1e-9*span; k++ {
		s.Ticks = append(s.Ticks, math.Round(k)*step)
	}
}

// near returns v moved outwards to the next multiple of step if that is less than half a step away,
// else by a twentieth of the span.
func near(v, step, span float64) float64 {
	to := math.Ceil(v/step-1e-9) * step
	if math.Abs(to-v) <= math.Abs(step)/2 {
		return to
	}
	return v + math.Copysign(span/20, step)
}

func (s *Scale) logTicks() {
	from, to := math.Floor(math.Log10(s.Lo)), math.Ceil(math.Log10(s.Hi))
	s.Lo, s.Hi = math.Pow(10, from), math.Pow(10, to)
	every := math.Ceil((to - from) / 6)
	for k := from; k <= to; k += every {
		s.Ticks = append(s.Ticks, math.Pow(10, k))
		if to-from == 1 {
			s.Ticks = append(s.Ticks, 2*math.Pow(10, k), 5*math.Pow(10, k))
		}
	}
	if to-from == 1 {
		s.Ticks = []float64{s.Lo, 2 * s.Lo, 5 * s.Lo, s.Hi}
	}
}

// At returns where v stands on the axis in per cent, held within it.
func (s Scale) At(v float64) float64 {
	lo, hi := s.Lo, s.Hi
	if s.Log {
		if v <= 0 {
			return 0
		}
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	return 100 * (min(max(v, lo), hi) - lo) / (hi - lo)
}

func percent(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", x), "0"), ".")
}

// Strip draws one row. It is hidden from whoever hears the page: the numbers stand beside it.
func (s Scale) Strip(m Mark) template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="strip" aria-hidden="true"`)
	if s.Null != nil {
		fmt.Fprintf(&b, ` style="--z:%s"`, percent(s.At(*s.Null)))
	}
	b.WriteString(">")
	if m.Band != nil {
		fmt.Fprintf(&b, `<i class="band" style="--a:%s;--e:%s"></i>`, percent(s.At(m.Band[0])), percent(s.At(m.Band[1])))
	}
	if m.CI != nil && !m.Same {
		cut := ""
		if m.CI[0] < s.Lo {
			cut += " from"
		}
		if m.CI[1] > s.Hi {
			cut += " on"
		}
		fmt.Fprintf(&b, `<i class="ci%s" style="--a:%s;--e:%s"></i>`, cut, percent(s.At(m.CI[0])), percent(s.At(m.CI[1])))
	}
	if m.Found != nil {
		same := ""
		if m.Same {
			same = " same"
		}
		fmt.Fprintf(&b, `<i class="ours%s" style="--x:%s"></i>`, same, percent(s.At(*m.Found)))
	}
	if m.Stated != nil {
		fmt.Fprintf(&b, `<i class="stated" style="--x:%s"></i>`, percent(s.At(*m.Stated)))
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// Axis draws the labels below the rows, the unit behind the last.
func (s Scale) Axis() template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="axis" aria-hidden="true">`)
	for i, t := range s.Ticks {
		label := notebook.Alike(notebook.Number(tidy(t), nil))
		if i == len(s.Ticks)-1 {
			for l := range label {
				if s.Unit[l] != "" {
					label[l] += "\u00a0" + s.Unit[l]
				}
			}
		}
		fmt.Fprintf(&b, `<i style="--x:%s">%s</i>`, percent(s.At(t)), label.HTML())
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// tidy takes the rounding of a sum of steps from a label.
func tidy(t float64) float64 {
	if math.Abs(t) < 1e-12 {
		return 0
	}
	power := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(t))))
	return math.Round(t*power) / power
}
