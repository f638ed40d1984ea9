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
	Whole  bool     // all values are whole numbers: so are the labels
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
	} else if !s.Log && s.Lo > 0 && (s.Lo < s.Hi/2 || unit.En() != "" && unit.En() != "%") {
		s.Lo = 0 // an amount is read from nothing
	}
	s.Whole = unit.En() == "" && !slices.ContainsFunc(points, func(v float64) bool { return v != math.Trunc(v) })
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

// SpanningWhole returns an axis that ends at lo and hi, of whole numbers.
func SpanningWhole(lo, hi float64, log bool, unit notebook.Both) Scale {
	s := apart(lo, hi, log, unit)
	s.Whole = true
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
			if step := k * power; span/step <= mostLabels-1 && (!s.Whole || step >= 1 || span < 2) {
				return step
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
func (s Scale) At(v float64) float64 { return min(max(s.Place(v), 0), 100) }

// Place returns where v stands in per cent, below 0 or above 100 where the axis does not reach it.
func (s Scale) Place(v float64) float64 {
	lo, hi := s.Lo, s.Hi
	if s.Log {
		if v <= 0 {
			return 0
		}
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	return 100 * (v - lo) / (hi - lo)
}

// Percent prints a place on an axis.
func Percent(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", x), "0"), ".")
}

// Cut returns the classes of an interval that goes on beyond the axis: " from" to the left, " on" to the right.
func (s Scale) Cut(ends [2]float64) (classes string) {
	if ends[0] < s.Lo {
		classes += " from"
	}
	if ends[1] > s.Hi {
		classes += " on"
	}
	return classes
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
		fmt.Fprintf(&b, `<i class="band%s" style="--a:%s;--e:%s"></i>`, s.Cut(*m.Band), Percent(s.At(m.Band[0])), Percent(s.At(m.Band[1])))
	}
	if m.CI != nil && !m.Same {
		fmt.Fprintf(&b, `<i class="ci%s" style="--a:%s;--e:%s"></i>`, s.Cut(*m.CI), Percent(s.At(m.CI[0])), Percent(s.At(m.CI[1])))
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
	texts, spare := s.Labels(), s.spare()
	for i, t := range s.Ticks {
		label := notebook.Alike(texts[i])
		if i == len(s.Ticks)-1 {
			for l := range label {
				if s.Unit[l] != "" {
					label[l] += "\u00a0" + s.Unit[l]
				}
			}
		}
		class := ""
		if spare[i] {
			class = `class="if" `
		}
		fmt.Fprintf(&b, `<i %sstyle="--x:%s">%s</i>`, class, Percent(s.At(t)), label.HTML())
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// mostNarrow is how many labels a narrow axis has room for.
const mostNarrow = 4

// spare says which labels an axis can do without where it is narrow: every other one, counted from 0
// where the axis has it; both ends and 0 stay where that would leave fewer than three.
func (s Scale) spare() []bool {
	out := make([]bool, len(s.Ticks))
	if len(out) <= mostNarrow {
		return out
	}
	zero := max(0, slices.IndexFunc(s.Ticks, func(t float64) bool { return tidy(t) == 0 }))
	kept := 0
	for i := range out {
		if out[i] = (i-zero)%2 != 0; !out[i] {
			kept++
		}
	}
	if kept < 3 {
		for i := range out {
			out[i] = i != 0 && i != zero && i != len(out)-1
		}
	}
	return out
}

// Labels prints the labels of an axis in one style: where one is a power of ten, all are.
func (s Scale) Labels() []string {
	powers := slices.ContainsFunc(s.Ticks, func(t float64) bool { return t != 0 && math.Abs(power(t)) >= 5 })
	out := make([]string, len(s.Ticks))
	for i, t := range s.Ticks {
		if t = tidy(t); !powers || t == 0 || t == 1 || t == 10 {
			out[i] = notebook.Number(t, nil)
			continue
		}
		out[i] = "10" + raised.Replace(strconv.Itoa(int(power(t))))
		if k := notebook.Number(tidy(t/math.Pow(10, power(t))), nil); k != "1" {
			out[i] = k + "·" + out[i]
		}
	}
	return out
}

// power returns that of ten below t.
func power(t float64) float64 { return math.Floor(math.Log10(math.Abs(tidy(t))) + 1e-9) }

// letter is the width of a letter of a label, and gap the room between two, in per cent of an axis
// that is 270 pixels wide: a phone's.
const letter, gap = 6.6 / 2.7, 8 / 2.7

// fit reports whether two labels have room side by side.
func (s Scale) fit(a, b float64) bool {
	texts := Scale{Ticks: []float64{a, b}}.Labels()
	return s.Place(b)-s.Place(a) >= letter*float64(len([]rune(texts[0]))+len([]rune(texts[1])))/2+gap
}

// mostPlaces is how many places of points can be labels, and longest how many letters they may have.
const mostPlaces, longest = 12, 4

// On labels an axis at the places of its points, in rising order, where these are few and short; else
// an axis of whole numbers at both ends besides its round numbers.
func (s Scale) On(points []float64) Scale {
	short := func(texts []string) bool {
		return !slices.ContainsFunc(texts, func(t string) bool { return len([]rune(t)) > longest })
	}
	even, fits := true, true
	for i := 1; i < len(points); i++ {
		fits = fits && s.fit(points[i-1], points[i])
		even = even && math.Abs(points[i]-points[i-1]-points[1]+points[0]) < 1e-9*(s.Hi-s.Lo)
	}
	switch {
	case len(points) < 3 || !short(Scale{Ticks: []float64{points[0], points[len(points)-1]}}.Labels()):
		return s
	case len(points) <= mostPlaces && short(Scale{Ticks: points}.Labels()) && (fits || !even && !s.Log):
		if out := s.within(points); len(out) > 2 {
			s.Ticks = out
		}
	case s.Whole && !s.Log:
		round := slices.DeleteFunc(slices.Clone(s.Ticks), func(t float64) bool { return t == s.Lo || t == s.Hi })
		if out := s.within(slices.Concat([]float64{s.Lo}, round, []float64{s.Hi})); len(out) > 2 {
			s.Ticks = out
		}
	}
	return s
}

// within returns the first and the last of values, and those between that have room.
func (s Scale) within(values []float64) []float64 {
	last := values[len(values)-1]
	out := values[:1:1]
	for _, v := range values[1 : len(values)-1] {
		if s.fit(out[len(out)-1], v) && s.fit(v, last) {
			out = append(out, v)
		}
	}
	return append(out, last)
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
