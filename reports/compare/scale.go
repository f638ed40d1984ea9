package compare

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
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
	Range         *[2]float64 // what the document states is a range
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
	if m.Range != nil {
		out = append(out, m.Range[0], m.Range[1])
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
	least, most := limits(ends)
	wide := beyond * (s.Hi - s.Lo)
	if len(ends) > 0 && !s.Log {
		s.Lo, s.Hi = max(min(s.Lo, least), s.Lo-wide), min(max(s.Hi, most), s.Hi+wide)
	}
	return s.round()
}

// Around returns an axis that reaches a little beyond lo and hi, to the next label where one is near.
func Around(lo, hi float64, log bool, unit notebook.Both) Scale {
	return apart(lo, hi, log, unit).round()
}

// Spanning returns an axis that ends at lo and hi.
func Spanning(lo, hi float64, log bool, unit notebook.Both) Scale {
	s := apart(lo, hi, log, unit)
	s.Ticks = s.ticks()
	return s
}

func apart(lo, hi float64, log bool, unit notebook.Both) Scale {
	switch {
	case lo == hi && log:
		lo, hi = lo/2, hi*2
	case lo == hi:
		lo, hi = lo-max(1, math.Abs(lo))/2, hi+max(1, math.Abs(hi))/2
	}
	return Scale{Lo: lo, Hi: hi, Log: log && lo > 0, Unit: unit}
}

// mostLabels is how many labels an axis has room for.
const mostLabels = 7

// round widens the axis and labels it.
func (s Scale) round() Scale {
	if s.Log {
		for _, t := range steps(s.Lo/10, s.Lo) {
			s.Lo = t
		}
		s.Hi = steps(s.Hi, 10*s.Hi)[0]
	} else {
		step := s.step()
		span := s.Hi - s.Lo
		s.Lo, s.Hi = near(s.Lo, -step, span), near(s.Hi, step, span)
	}
	s.Ticks = s.ticks()
	return s
}

// near returns v moved outwards to the next multiple of step if that is at most half a step away,
// else by a twentieth of the span.
func near(v, step, span float64) float64 {
	to := math.Ceil(v/step-1e-9) * step
	if math.Abs(to-v) <= math.Abs(step)/2 {
		return to
	}
	return v + math.Copysign(span/20, step)
}

// step returns the distance of labels on an axis that is not logarithmic: 1, 2 or 5 times a power of ten.
func (s Scale) step() float64 {
	span := s.Hi - s.Lo
	for power := math.Pow(10, math.Floor(math.Log10(span))-1); ; power *= 10 {
		for _, k := range []float64{1, 2, 5} {
			if span/(k*power) <= mostLabels-1 {
				return k * power
			}
		}
	}
}

// steps returns 1, 2 and 5 times powers of ten from lo to hi.
func steps(lo, hi float64) (out []float64) {
	for power := math.Floor(math.Log10(lo)); power <= math.Log10(hi)+1e-9; power++ {
		for _, k := range []float64{1, 2, 5} {
			if t := k * math.Pow(10, power); t >= lo*(1-1e-9) && t <= hi*(1+1e-9) {
				out = append(out, t)
			}
		}
	}
	return out
}

// ticks returns the labels: at least three, at most mostLabels.
func (s Scale) ticks() (out []float64) {
	if s.Log {
		out = steps(s.Lo, s.Hi)
		if len(out) > mostLabels { // powers of ten alone, or every n-th of them
			from, to := math.Ceil(math.Log10(s.Lo)-1e-9), math.Floor(math.Log10(s.Hi)+1e-9)
			if to-from < 2 { // two powers of ten are no axis
				return slices.DeleteFunc(out, func(t float64) bool { return int(math.Round(t/math.Pow(10, math.Floor(math.Log10(t)+1e-9)))) == 2 })
			}
			out = nil
			for k := from; k <= to; k += math.Ceil((to - from + 1) / mostLabels) {
				out = append(out, math.Pow(10, k))
			}
		}
		if len(out) >= 3 {
			return out
		}
		out = nil
	}
	step := s.step()
	if out = s.multiples(step); len(out) < 3 { // an axis that ends just before its labels has room for closer ones
		if leading := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9)); leading > 4 {
			step *= 0.4
		} else {
			step *= 0.5
		}
		out = s.multiples(step)
	}
	return out
}

// multiples returns those of step that lie on the axis.
func (s Scale) multiples(step float64) (out []float64) {
	for k := math.Ceil(s.Lo/step - 1e-9); k*step <= s.Hi+1e-9*(s.Hi-s.Lo); k++ {
		out = append(out, math.Round(k)*step)
	}
	return out
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

// Percent prints a place on an axis.
func Percent(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", x), "0"), ".")
}

// Strip draws one row. It is hidden from whoever hears the page: the numbers stand beside it.
func (s Scale) Strip(m Mark) template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="strip" aria-hidden="true"`)
	if s.Null != nil {
		fmt.Fprintf(&b, ` style="--z:%s"`, Percent(s.At(*s.Null)))
	}
	b.WriteString(">")
	if m.Band != nil {
		fmt.Fprintf(&b, `<i class="band" style="--a:%s;--e:%s"></i>`, Percent(s.At(m.Band[0])), Percent(s.At(m.Band[1])))
	}
	if m.CI != nil && !m.Same {
		cut := ""
		if m.CI[0] < s.Lo {
			cut += " from"
		}
		if m.CI[1] > s.Hi {
			cut += " on"
		}
		fmt.Fprintf(&b, `<i class="ci%s" style="--a:%s;--e:%s"></i>`, cut, Percent(s.At(m.CI[0])), Percent(s.At(m.CI[1])))
	}
	if m.Range != nil {
		fmt.Fprintf(&b, `<i class="range" style="--a:%s;--e:%s"></i>`, Percent(s.At(m.Range[0])), Percent(s.At(m.Range[1])))
	}
	if m.Found != nil {
		same := ""
		if m.Same {
			same = " same"
		}
		fmt.Fprintf(&b, `<i class="ours%s" style="--x:%s"></i>`, same, Percent(s.At(*m.Found)))
	}
	if m.Stated != nil {
		fmt.Fprintf(&b, `<i class="stated" style="--x:%s"></i>`, Percent(s.At(*m.Stated)))
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// Axis draws the labels below the rows, the unit behind the last.
func (s Scale) Axis() template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="axis" aria-hidden="true">`)
	for i, t := range s.Ticks {
		label := notebook.Alike(Label(t))
		if i == len(s.Ticks)-1 {
			for l := range label {
				if s.Unit[l] != "" {
					label[l] += "\u00a0" + s.Unit[l]
				}
			}
		}
		fmt.Fprintf(&b, `<i style="--x:%s">%s</i>`, Percent(s.At(t)), label.HTML())
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// Label prints a label of an axis; large round numbers as powers of ten.
func Label(t float64) string {
	t = tidy(t)
	power := math.Floor(math.Log10(math.Abs(t)) + 1e-9)
	if t == 0 || math.Abs(power) < 5 {
		return notebook.Number(t, nil)
	}
	out := "10" + raised.Replace(strconv.Itoa(int(power)))
	if k := notebook.Number(tidy(t/math.Pow(10, power)), nil); k != "1" {
		out = k + "·" + out
	}
	return out
}

// raised writes a power above the line.
var raised = strings.NewReplacer("-", "⁻",
	"0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// tidy takes the rounding of a sum of steps from a label.
func tidy(t float64) float64 {
	if math.Abs(t) < 1e-12 {
		return 0
	}
	power := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(t))))
	return math.Round(t*power) / power
}
