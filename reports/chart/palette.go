package chart

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gradsync/experiments/method"
	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// The palette of Okabe and Ito, which readers with any common colour vision
// tell apart; yellow is left to areas, as a line it is too pale on white.
const (
	orange     = "#E69F00"
	skyBlue    = "#56B4E9"
	green      = "#009E73"
	yellow     = "#F0E442"
	Blue       = "#0072B2"
	vermillion = "#D55E00"
	purple     = "#CC79A7"
	grey       = "#8A8F98"
)

// look is how one method is drawn: colour alone never tells two apart.
type look struct {
	Colour string
	Dash   any    // ECharts line type: a word or lengths in pixels
	Symbol string // marker of the mean line
	Decal  decal
}

// decal is a texture over a bar or a band, for print and for colour-blind
// readers.
type decal struct {
	Symbol string  `json:"symbol"`
	DashX  []int   `json:"dashArrayX"`
	DashY  []int   `json:"dashArrayY"`
	Turn   float64 `json:"rotation"`
	Size   float64 `json:"symbolSize"`
	Colour string  `json:"color"`
}

const decalInk = "rgba(0,0,0,0.28)"

var (
	plain   = decal{Symbol: "none", Colour: "rgba(0,0,0,0)"}
	stripes = decal{Symbol: "rect", DashX: []int{1, 0}, DashY: []int{2, 5}, Turn: -0.785, Size: 1, Colour: decalInk}
	back    = decal{Symbol: "rect", DashX: []int{1, 0}, DashY: []int{2, 5}, Turn: 0.785, Size: 1, Colour: decalInk}
	dots    = decal{Symbol: "rect", DashX: []int{3, 5}, DashY: []int{3, 5}, Size: 1, Colour: decalInk}
	levels  = decal{Symbol: "rect", DashX: []int{1, 0}, DashY: []int{1, 4}, Size: 1, Colour: decalInk}
	posts   = decal{Symbol: "rect", DashX: []int{1, 4}, DashY: []int{1, 0}, Size: 1, Colour: decalInk}
)

// What the keys of a descriptor's look stand for. What a look leaves out is solid, plain
// and, as a colour, blue.
var (
	colours = map[string]string{
		"": Blue, "blue": Blue, "vermillion": vermillion, "green": green,
		"orange": orange, "purple": purple, "skyBlue": skyBlue, "grey": grey,
	}
	dashes = map[string]any{
		"": "solid", "solid": "solid", "dots": []int{2, 3}, "dashes": []int{8, 4}, "dash-dot": []int{8, 3, 2, 3},
		"long": []int{12, 4}, "short": []int{4, 2}, "long-dot": []int{12, 4, 2, 4},
	}
	textures = map[string]decal{"": plain, "plain": plain, "stripes": stripes, "back": back, "dots": dots, "levels": levels, "posts": posts}
)

// aliases are methods by other words, which look like them.
var aliases = map[string]string{
	"dense": "ring", "halving": "halving-doubling", "cssgd-r2": "cssgd", "coded": "cssgd", "ssgd": "ssgd-multicast",
	"ring-timed": "ring", "both-timed": "naive",
}

// groups fixes how groups look that are no methods; keys are slugs of their names.
var groups = map[string]look{
	"gradients":  {purple, []int{4, 2}, "rect", stripes},
	"weights":    {orange, []int{12, 4, 2, 4}, "diamond", back},
	"all-gather": {vermillion, []int{2, 3}, "triangle", dots},
	"printed":    {Blue, []int{6, 3, 2, 3, 2, 3}, "circle", plain}, // RingSparse by the printed rule
	"layer":      {grey, []int{8, 4}, "rect", levels},              // and with D of the layer
	"alone":      {Blue, []int{2, 3}, "none", dots},                // one worker
	"ideal":      {grey, []int{2, 2}, "none", plain},

	"asgd":     {purple, []int{8, 4}, "triangle", stripes},
	"asgd-cut": {skyBlue, []int{2, 3}, "rect", dots},
	"cssgd-r3": {green, []int{8, 4}, "rect", stripes},

	"qis": {green, "solid", "circle", plain}, // as lines: yellow, the band of WSS, is too pale
	"wss": {orange, []int{8, 3, 2, 3}, "diamond", stripes},
	"fss": {vermillion, []int{8, 4}, "triangle", back},
}

// fixed returns the look that a group has on every page: its method's or its own.
func fixed(group string) (look, bool) {
	key := typeset.Slug(group)
	if l, ok := groups[key]; ok {
		return l, true
	}
	m, ok := described(key)
	if !ok || m.Look.Colour == "" {
		return look{}, false
	}
	return inked(m.Look), true
}

// described returns the method of a slug.
func described(key string) (method.Method, bool) {
	if name, ok := aliases[key]; ok {
		key = name
	}
	return method.Get(key)
}

// subject reports whether a group's method is what its document is about: where its curve
// coincides with another's, its look is that of both.
func subject(group string) bool {
	m, ok := described(typeset.Slug(group))
	return ok && m.Look.Subject
}

// inked turns a descriptor's keys into what ECharts draws.
func inked(l method.Look) look {
	symbol := l.Symbol
	if symbol == "" {
		symbol = "circle"
	}
	return look{colours[l.Colour], dashes[l.Dash], symbol, textures[l.Texture]}
}

// methodOf returns the name of the method that a group is, "" of another group.
func methodOf(group string) string {
	m, _ := described(typeset.Slug(group))
	return m.Name
}

// Stroke returns the colour and the stroke-dasharray of a method's line in a drawing that
// is no chart; one without a look is grey, dashes and dots.
func Stroke(l method.Look) (colour, dash string) {
	if l.Colour == "" {
		l = method.Look{Colour: "grey", Dash: "long-dot"}
	}
	lengths, _ := dashes[l.Dash].([]int)
	return colours[l.Colour], strings.Trim(fmt.Sprint(lengths), "[]")
}

// SecondDash is the stroke-dasharray of a method's second formula, whose curve has the method's colour.
const SecondDash = "2 2 2 6"

// spare dresses groups that are no method, in order of appearance.
var spare = []look{
	{Blue, "solid", "circle", plain},
	{vermillion, []int{8, 4}, "triangle", stripes},
	{green, []int{2, 3}, "rect", dots},
	{orange, []int{8, 3, 2, 3}, "diamond", back},
	{purple, []int{12, 4}, "roundRect", levels},
	{skyBlue, []int{4, 2}, "circle", posts},
	{grey, "solid", "triangle", plain},
}

// states fixes how each band of a time line looks; keys are lower-case.
var states = map[string]look{
	"compute": {Colour: skyBlue, Decal: plain},
	"push":    {Colour: Blue, Decal: posts},
	"pull":    {Colour: Blue, Decal: levels},
	"apply":   {Colour: grey, Decal: plain},
	"qis":     {Colour: green, Decal: plain},
	"at-once": {Colour: green, Decal: plain}, // methods without states
	"wss":     {Colour: yellow, Decal: stripes},
	"fss":     {Colour: vermillion, Decal: back},
	"barrier": {Colour: purple, Decal: dots},
	"wait":    {Colour: purple, Decal: dots},

	"forward":        {Colour: skyBlue, Decal: plain},
	"backward":       {Colour: green, Decal: posts},
	"all-reduce":     {Colour: Blue, Decal: stripes},
	"reduce-scatter": {Colour: Blue, Decal: stripes},
	"all-gather":     {Colour: orange, Decal: back},
	"send":           {Colour: Blue, Decal: posts},
	"receive":        {Colour: Blue, Decal: levels},
	"compress":       {Colour: yellow, Decal: stripes},
	"decompress":     {Colour: yellow, Decal: levels},
	"convert":        {Colour: vermillion, Decal: dots},
	"update":         {Colour: grey, Decal: plain},
	"idle":           {Colour: purple, Decal: dots},
	"computes":       {Colour: skyBlue, Decal: plain}, // blocks of a node, without time
	"fetches":        {Colour: yellow, Decal: stripes},
}

// group returns the key that a series is coloured by.
func group(s notebook.Series) string {
	if s.Group != "" {
		return s.Group
	}
	return s.Name
}

// looks dresses every group of a figure. A group that is no method, or whose look
// another of the figure wears, takes a spare look that nobody in it wears.
func looks(series []notebook.Series) map[string]look {
	out := map[string]look{}
	var worn []look
	for _, s := range series {
		l, ok := fixed(group(s))
		if ok && out[group(s)].Colour == "" && !slices.ContainsFunc(worn, l.like) {
			out[group(s)], worn = l, append(worn, l)
		}
	}
	for _, s := range series {
		if g := group(s); out[g].Colour == "" {
			out[g] = unworn(worn)
			worn = append(worn, out[g])
		}
	}
	return out
}

// like reports whether two looks are one in colour and texture.
func (l look) like(o look) bool { return l.Colour == o.Colour && reflect.DeepEqual(l.Decal, o.Decal) }

// unworn returns a spare look in a colour that nobody wears; when all are worn, one of
// them in another texture.
func unworn(worn []look) look {
	for _, l := range spare {
		if !slices.ContainsFunc(worn, func(w look) bool { return w.Colour == l.Colour }) {
			return l
		}
	}
	for shift := 1; shift < len(spare); shift++ {
		for i, l := range spare {
			p := spare[(i+shift)%len(spare)]
			l.Dash, l.Symbol, l.Decal = p.Dash, p.Symbol, p.Decal
			if !slices.ContainsFunc(worn, l.like) {
				return l
			}
		}
	}
	return spare[len(worn)%len(spare)]
}

// bandStates lists the states of a time line in order of appearance, and their keys.
func bandStates(bands []notebook.Band) (names, keys []string) {
	for _, b := range bands {
		if !slices.Contains(names, b.State) {
			names, keys = append(names, b.State), append(keys, b.Key)
		}
	}
	return names, keys
}
