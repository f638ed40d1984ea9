package reports

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/method"
	"gradsync/reports/assets"
	"gradsync/reports/chart"
	"gradsync/reports/page"
	"gradsync/reports/playground"
	"gradsync/reports/typeset"
)

// playgroundModule is package playground as WebAssembly, compressed; the page holds it,
// for a page opened from a folder may not fetch a file.
const playgroundModule = "playground.wasm.gz"

// playgroundPage is the page of what-if sliders. Without scripts it has the presets'
// numbers, computed here by the functions that the module is compiled from.
type playgroundPage struct {
	page.Head
	Command string
	Methods []playMethod
	Sliders []playSlider
	Facts   []playFact
	Presets []playPreset
	Data    template.JS // what the script needs of all that; JSON, its <, > and & escaped
	Module  template.HTML
	Begin   said
	Heads   []string // of the columns, where a row is a card
}

// playMethod is one line of the chart.
type playMethod struct {
	Key     string
	Name    said
	Note    said // what its numbers are, and are not
	Links   []playLink
	Colour  string
	Dash    string // of its curve: an SVG stroke-dasharray
	AtLeast bool
}

type playLink struct {
	Href string
	Text said
}

// playSlider is one quantity of a setting. Stops are its values in the reader's unit;
// the setting's is From + Scale·stop.
type playSlider struct {
	ID    string    `json:"id"` // in the address of a shared setting
	Name  said      `json:"name"`
	Unit  string    `json:"unit"`
	Stops []float64 `json:"stops"`
	From  float64   `json:"from"`
	Scale float64   `json:"scale"`
	Help  said      `json:"-"`
	More  bool      `json:"-"` // not among the first
}

type playFact struct {
	Name, Note said
	Unit       string // bytes, seconds, share or ""
	Link       playLink
}

// playPreset is a setting of the documents; Values are the sliders', by their IDs.
type playPreset struct {
	Key    string
	Name   said
	Note   said
	Values map[string]float64
	Rows   []playRow
	About  []template.HTML // the facts, in their order
}

type playRow struct {
	Method playMethod
	Cells  []string // compute, wait, exchange, total, sent, received
	Least  bool
}

// setting turns the reader's values to SI units, by the sliders.
func (p playPreset) setting() playground.Setting {
	x := map[string]float64{}
	for _, s := range playSliders {
		x[s.ID] = s.From + float64(s.Scale*p.Values[s.ID])
	}
	return playground.Setting{
		Workers: int(x["n"]), PerMachine: int(x["g"]), Redundancy: int(x["r"]), Parameters: x["p"], Bandwidth: x["b"], Inner: x["i"],
		Latency: x["a"], Compute: x["c"], Slowest: x["h"], Density: x["z"], Codec: x["q"],
	}
}

// buildPlayground makes the page; built are the documents whose pages are there.
func buildPlayground(frame page.Head, built []string, command string) (*playgroundPage, error) {
	doc := &playgroundPage{Sliders: playSliders, Facts: slices.Clone(playFacts), Command: command,
		Begin: said{"Settings to begin with", "起始设定"}, Heads: []string{"computing", "waiting", "exchange", "iteration", "sent", "received"}}
	var err error
	frame.Wasm = true
	if doc.Head, err = frame.Named("Playground", "playground", page.PlaygroundScripts...); err != nil {
		return nil, err
	}
	css, err := assets.ReadFile(page.PlaygroundStyle)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	doc.Styles = append(slices.Clone(doc.Styles), page.Asset{Name: page.PlaygroundStyle, Style: template.CSS(css)})
	for _, m := range method.All() {
		for _, f := range m.Costs {
			doc.Methods = append(doc.Methods, playing(m, f))
		}
	}
	doc.link(func(l playLink) bool { return slices.Contains(built, strings.TrimSuffix(l.page(), ".html")) })
	for _, p := range playPresets {
		p.Rows = doc.rows(p.setting())
		for i, f := range doc.Facts {
			p.About = append(p.About, f.print(playground.About(playground.Fact(i), p.setting())))
		}
		doc.Presets = append(doc.Presets, p)
	}
	if doc.Data, err = doc.data(); err != nil {
		return nil, err
	}
	module, err := assets.ReadFile(playgroundModule)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	doc.Module = template.HTML(base64.StdEncoding.EncodeToString(module))
	return doc, nil
}

// playing returns the line of a method's formula: its words, or, of a registered method that
// has none here, what its descriptor says.
func playing(m method.Method, f method.Formula) playMethod {
	v, ok := playMethods[f.Key]
	if !ok {
		v = playMethod{Name: m.Label, Note: playRegistered}
		if f.Key != m.Name {
			v.Name = said{v.Name[0] + ", " + f.Key, v.Name[1] + "，" + f.Key}
		}
	}
	v.Colour, v.Dash = chart.Stroke(m.Look)
	if f.Key != m.Name {
		v.Dash = chart.SecondDash // another formula of the same method
	}
	v.Key, v.AtLeast, v.Links = f.Key, f.AtLeast, slices.Clone(v.Links)
	return v
}

// addPlayground adds the page to a folder that has the pages named.
func addPlayground(out page.Outputs, t *template.Template, frame page.Head, pages []string, command string) error {
	var built []string
	for _, p := range pages {
		built = append(built, strings.TrimSuffix(p, ".html"))
	}
	doc, err := buildPlayground(frame, built, command)
	if err != nil {
		return err
	}
	// The section of an experiment is there only where it was run.
	doc.link(func(l playLink) bool {
		_, id, _ := strings.Cut(l.Href, "#")
		made, ok := out[l.page()]
		return !ok || id == "" || bytes.Contains(made, []byte(` id="`+id+`"`))
	})
	return out.Page(t, "playground.html", "playground.html", doc)
}

// link leaves the links whose place is there.
func (p *playgroundPage) link(there func(playLink) bool) {
	for i, m := range p.Methods {
		p.Methods[i].Links = slices.DeleteFunc(m.Links, func(l playLink) bool { return !there(l) })
	}
	for i, f := range p.Facts {
		if !there(f.Link) {
			p.Facts[i].Link = playLink{}
		}
	}
}

// page returns the file that a link leads to, without the place in it.
func (l playLink) page() string {
	doc, _, _ := strings.Cut(l.Href, "#")
	return doc
}

// rows returns the numbers of all methods for a setting.
func (p *playgroundPage) rows(s playground.Setting) (out []playRow) {
	least := math.Inf(1)
	for i := range p.Methods {
		if t := playground.Of(i, playground.Total, s); t < least { // NaN is not
			least = t
		}
	}
	for i, m := range p.Methods {
		of := func(q playground.Quantity) float64 { return playground.Of(i, q, s) }
		total := playTime(of(playground.Total))
		if m.AtLeast && total != "–" {
			total = "≥ " + total
		}
		out = append(out, playRow{Method: m, Least: of(playground.Total) == least, Cells: []string{
			playTime(of(playground.Compute)), playTime(of(playground.Wait)), playTime(of(playground.Exchange)), total,
			playSize(of(playground.Sent)), playSize(of(playground.Received)),
		}})
	}
	return out
}

// print returns a fact's number as the page's script shows it.
func (f playFact) print(x float64) template.HTML {
	switch {
	case f.Unit == "bytes":
		return typeset.Escape(playSize(x))
	case f.Unit == "seconds":
		return typeset.Escape(playTime(x))
	case f.Unit == "share" && x <= 0:
		return said{"never", "从不"}.HTML()
	case f.Unit == "share":
		return typeset.Escape(strconv.FormatFloat(100*x, 'g', 3, 64) + typeset.NBSP + "%")
	}
	return typeset.Escape(typeset.Number(x, 0))
}

// data returns the words and ranges of the page's script, as JSON.
func (p *playgroundPage) data() (template.JS, error) {
	type method struct {
		Key     string `json:"key"`
		Name    said   `json:"name"`
		Colour  string `json:"colour"`
		Dash    string `json:"dash"`
		AtLeast bool   `json:"atLeast"`
	}
	var d struct {
		Methods []method                      `json:"methods"`
		Sliders []playSlider                  `json:"sliders"`
		Facts   []string                      `json:"facts"` // their units
		Presets map[string]map[string]float64 `json:"presets"`
		Names   map[string]said               `json:"names"` // of the presets
		First   string                        `json:"first"`
	}
	d.Presets, d.Names, d.First = map[string]map[string]float64{}, map[string]said{}, p.Presets[0].Key
	for _, m := range p.Methods {
		d.Methods = append(d.Methods, method{m.Key, m.Name, m.Colour, m.Dash, m.AtLeast})
	}
	for _, f := range p.Facts {
		d.Facts = append(d.Facts, f.Unit)
	}
	for _, x := range p.Presets {
		d.Presets[x.Key], d.Names[x.Key] = maps.Clone(x.Values), x.Name
	}
	d.Sliders = p.Sliders
	raw, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("reports: playground: %w", err)
	}
	return template.JS(raw), nil
}

// playTime prints a time as the page's script does: three digits and a unit.
func playTime(x float64) string { return inUnit(x, []string{"s", "ms", "µs", "ns"}, 1e-3) }

// playSize prints a size so.
func playSize(x float64) string {
	return inUnit(x, []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}, 1e3)
}

// inUnit goes from unit to unit, each step times the one before, while the number is
// not in the range of the unit: below 1 of decreasing units, from 1000 of increasing.
func inUnit(x float64, units []string, step float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	if x == 0 {
		return "0" + typeset.NBSP + units[0]
	}
	i := 0
	for ; i < len(units)-1 && (step < 1 && x < 0.9995 || step > 1 && x >= 999.5); i++ {
		x /= step
	}
	digits := 3
	if x >= 999.5 {
		digits = len(strconv.FormatFloat(x, 'f', 0, 64))
	}
	s := strconv.FormatFloat(x, 'f', max(0, digits-1-int(math.Floor(math.Log10(x)))), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + typeset.NBSP + units[i]
}
