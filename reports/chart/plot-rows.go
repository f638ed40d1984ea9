package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"gradsync/reports/compare"
	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// bars draws a row per category and series, with its number behind it and its interval over it.
func (p *Plot) bars(en, zh notebook.Drawing) {
	dressed := looks(en.Series)
	scale := barScale(en)
	decimals, cut := decimalsOf(en.Series), false
	zero := scale.At(0)
	if en.Y.Log {
		zero = 0
	}
	for i, s := range en.Series {
		if len(en.Series) > 1 {
			l := dressed[group(s)]
			p.Key = append(p.Key, PlotKey{notebook.Both{s.Name, zh.Series[i].Name}, methodOf(group(s)),
				template.HTML(`<i class="bar" style="background:` + l.Colour + `"></i>`)})
		}
	}
	var b strings.Builder
	b.WriteString(`<div class="rows">`)
	bare := p.XTitle[0] != "" && !slices.ContainsFunc(en.X.Categories, func(c string) bool {
		_, err := strconv.ParseFloat(strings.ReplaceAll(c, "\u202f", ""), 64)
		return err != nil
	})
	for j, category := range en.X.Categories {
		name := notebook.Both{category, zh.X.Categories[j]}
		if bare { // a number alone says nothing
			name = notebook.Both{p.XTitle[0] + ": " + name[0], p.XTitle[1] + "：" + name[1]}
		}
		fmt.Fprintf(&b, `<b>%s</b>`, name.HTML())
		for _, s := range en.Series {
			if missing(s.Y[j]) {
				continue
			}
			at := scale.At(s.Y[j])
			fmt.Fprintf(&b, `<div style="--c:%s;--a:%s;--e:%s"><i></i>`, dressed[group(s)].Colour, places(min(zero, at)), places(max(zero, at)))
			if len(s.Lo) > 0 && s.Lo[j] < s.Hi[j] {
				class := ""
				if classes := scale.Cut([2]float64{s.Lo[j], s.Hi[j]}); classes != "" {
					class, cut = ` class="`+classes[1:]+`"`, true
				}
				fmt.Fprintf(&b, `<s%s style="--a:%s;--e:%s"></s>`, class, places(scale.At(s.Lo[j])), places(scale.At(s.Hi[j])))
			}
			fmt.Fprintf(&b, `<u>%s</u></div>`, shown(s.Y[j], decimals))
		}
	}
	if cut {
		p.add(notebook.Both{"An interval with an arrow goes on beyond the scale.", "带箭头的区间超出刻度。"})
	}
	if en.Y.Log {
		p.add(notebook.Both{"The axis is logarithmic.", "轴为对数轴。"})
	}
	b.WriteString(string(scale.Axis()) + "</div>")
	p.XTitle = notebook.Both{}
	p.Body = template.HTML(b.String())
}

// rounded keeps three digits: a bar is read no finer.
func rounded(x float64) float64 {
	if x == 0 {
		return 0
	}
	power := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(x))))
	if power < 1 {
		power = 1
	}
	return math.Round(x*power) / power
}

// barScale returns the axis of bars: from zero, and cut where intervals reach much farther than the bars.
func barScale(en notebook.Drawing) compare.Scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	reach := 0.0 // of the bars alone
	for _, s := range en.Series {
		for i, y := range s.Y {
			if missing(y) {
				continue
			}
			lo, hi, reach = min(lo, y), max(hi, y), max(reach, math.Abs(y))
			if len(s.Hi) > 0 && !missing(s.Hi[i]) {
				lo, hi = min(lo, s.Lo[i]), max(hi, s.Hi[i])
			}
		}
	}
	if !en.Y.Log {
		lo, hi = max(min(lo, 0), -1.5*reach), min(max(hi, 0), 1.5*reach)
	}
	scale := compare.Around(lo, hi, en.Y.Log, notebook.Both{})
	if !en.Y.Log && lo == 0 {
		scale = compare.Spanning(0, hi, false, notebook.Both{})
	}
	if scale.Hi < 1 && scale.Hi > 0.5 && strings.Contains(en.Y.Title, "= 1") { // what all are compared with is on the axis
		scale = compare.Spanning(scale.Lo, 1, false, notebook.Both{})
	}
	return scale
}

// decimalsOf returns how many decimals the numbers beside bars need, of three digits each.
func decimalsOf(series []notebook.Series) (most int) {
	for _, s := range series {
		for _, y := range s.Y {
			most = max(most, decimals(y))
		}
	}
	return most
}

// decimals returns how many decimals three digits of y have, without zeros at their end.
func decimals(y float64) int {
	y = rounded(y)
	for d := range mostDecimals + 1 {
		if power := math.Pow(10, float64(d)); missing(y) || math.Abs(y*power-math.Round(y*power)) < 1e-6 {
			return d
		}
	}
	return mostDecimals + 1
}

// mostDecimals is how many decimals a number beside a bar may have: smaller ones are written as powers of ten.
const mostDecimals = 4

// shown prints y with three digits, and with as many decimals as its neighbours.
func shown(y float64, most int) string {
	if most > mostDecimals || y == 0 {
		return typeset.Number(rounded(y), 0)
	}
	own := max(0, 2-int(math.Floor(math.Log10(math.Abs(rounded(y))))))
	digits := max(min(own, most), decimals(y))
	return notebook.Number(rounded(y), &digits)
}

// mostLabelled is how many bands have their label written in them.
const mostLabelled = 80

// roomFor reports whether a label fits into a band of a width on a phone, where the drawing has some 260 pixels.
func roomFor(label string, width int) bool {
	n := len([]rune(label))
	return n > 0 && width*260/side >= 8*n+6
}

// narrowest is how wide a band is at least, in steps of the drawing: on a phone three of them are a pixel.
const narrowest = 4

// lanes draws a time line: a lane per worker, a band per stretch.
func (p *Plot) lanes(en, zh notebook.Drawing) {
	from, to := math.Inf(1), math.Inf(-1)
	for _, b := range en.Bands {
		from, to = min(from, b.From), max(to, b.To)
	}
	xs := compare.Spanning(from, to, false, notebook.Both{})
	names, keys := bandStates(en.Bands)
	chinese, _ := bandStates(zh.Bands)
	var drawing, moments, labels strings.Builder
	tall := side / float64(len(en.Lanes))
	for i, name := range names {
		l, ok := states[strings.ToLower(keys[i])]
		if !ok {
			l = spare[i%len(spare)]
		}
		// What colour tells apart, height tells too.
		margin := []float64{0.12, 0.28, 0.4, 0.2, 0.34}[i%5]
		var b, moment strings.Builder
		for _, band := range en.Bands {
			if band.State != name {
				continue
			}
			x, w := spot(xs, band.From), spot(xs, band.To)-spot(xs, band.From)
			y, h := int((float64(band.Lane)+margin)*tall), int((1-2*margin)*tall)
			if w < narrowest { // a line, which no stretching makes thinner
				fmt.Fprintf(&moment, "M%d %dv%d", x+w/2, y, h)
				continue
			}
			fmt.Fprintf(&b, "M%d %dh%dv%dh%dz", x, y, w, h, -w)
			if len(en.Bands) <= mostLabelled && roomFor(band.Label, w) {
				fmt.Fprintf(&labels, `<u class="in" style="--x:%s;--y:%s">%s</u>`, places((xs.At(band.From)+xs.At(band.To))/2),
					places(100-100*(float64(band.Lane)+0.5)/float64(len(en.Lanes))), template.HTMLEscapeString(band.Label))
			}
		}
		if b.Len() > 0 {
			fmt.Fprintf(&drawing, `<path class="f" fill="%s" d="%s"/>`, l.Colour, b.String())
		}
		if moment.Len() > 0 {
			fmt.Fprintf(&moments, `<path stroke="%s" d="%s"/>`, l.Colour, moment.String())
		}
		p.Key = append(p.Key, PlotKey{notebook.Both{name, chinese[i]}, "", template.HTML(fmt.Sprintf(`<i class="bar" style="background:%s;--m:%s"></i>`,
			l.Colour, places(100*margin)))})
	}
	for i, lane := range en.Lanes {
		fmt.Fprintf(&labels, `<u class="y" style="--y:%s">%s</u>`, places(100-100*(float64(i)+0.5)/float64(len(en.Lanes))), notebook.Both{lane, zh.Lanes[i]}.HTML())
	}
	wide := 0
	for _, lane := range en.Lanes {
		wide = max(wide, len([]rune(lane)))
	}
	body := area(xs, compare.Scale{Hi: 1}, drawing.String()+moments.String(), labels.String())
	p.Body = template.HTML(strings.Replace(string(body), `<div class="area">`, fmt.Sprintf(`<div class="area lanes" style="--n:%d;--w:%d">`,
		len(en.Lanes), min(wide, 18)), 1))
}

// cells draws a map as a table: a row per lane, a column per category.
func (p *Plot) cells(en, zh notebook.Drawing) {
	names, keys := bandStates(en.Bands)
	chinese, _ := bandStates(zh.Bands)
	var groups []notebook.Series
	for i, name := range names {
		groups = append(groups, notebook.Series{Name: name, Group: keys[i]})
	}
	dressed := looks(groups)
	at := map[[2]int]notebook.Band{}
	for _, b := range en.Bands {
		at[[2]int{b.Lane, int(b.From)}] = b
	}
	for i, name := range names {
		p.Key = append(p.Key, PlotKey{notebook.Both{name, chinese[i]}, methodOf(keys[i]), template.HTML(fmt.Sprintf(`<i class="bar c%d" style="--c:%s"></i>`, i%6,
			dressed[keys[i]].Colour))})
	}
	most := 0
	for _, band := range en.Bands {
		most = max(most, decimals(band.To))
	}
	var b strings.Builder
	b.WriteString(`<div class="scroll always" tabindex="0"><table class="cells"><thead><tr><td></td>`)
	for j, c := range en.X.Categories {
		fmt.Fprintf(&b, `<th scope="col">%s</th>`, notebook.Both{c, zh.X.Categories[j]}.HTML())
	}
	b.WriteString("</tr></thead><tbody>\n")
	for i, lane := range en.Lanes {
		fmt.Fprintf(&b, `<tr><th scope="row">%s</th>`, notebook.Both{lane, zh.Lanes[i]}.HTML())
		for j := range en.X.Categories {
			band, ok := at[[2]int{i, j}]
			if !ok {
				b.WriteString("<td></td>")
				continue
			}
			n := slices.Index(names, band.State)
			fmt.Fprintf(&b, `<td class="c%d" style="--c:%s">%s</td>`, n%6, dressed[keys[n]].Colour, shown(band.To, most))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>")
	p.Body = template.HTML(b.String())
}
